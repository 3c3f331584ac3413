// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/simulation/rollout_cost.hpp"
#include "tandem/detail/simulation/tangents.hpp"

namespace tandem::inline TANDEM_ISA {

/// The terms of RolloutTerms, backwards: how `weight` times a term changes with the state is added to by_q and by_v.
struct CostGradient {
  /// With e = q (-) reference; `e` and `by_e` have nv rows for it.
  template <class S, class M, class Weight, class Q, class Reference_, class U, class By>
  TANDEM_HD static void of_configuration(const ModelView<M>& m, const S& weight, Weight w, Q q, Reference_ reference,
                                         U e, U by_e, By by_q) {
    Difference::body<S>(m, reference, q, e, e);
    for (Index k = 0; k < m.nv; ++k) by_e[k] = S(2) * weight * S(w[k]) * S(e[k]);
    Tangents::difference_end<S>(m, e, by_e, by_q);
  }
  template <class S, class Weight, class V, class Reference_, class By>
  TANDEM_HD static void of_velocity(Index rows, const S& weight, Weight w, V v, Reference_ reference, By by_v) {
    for (Index k = 0; k < rows; ++k) {
      const S x = reference ? S(v[k]) - S(reference[k]) : S(v[k]);
      by_v[k] = mul_add(S(2) * weight * S(w[k]), x, S(by_v[k]));
    }
  }
  /// As the frame moves by the motion [w; v] along its own axes, x = R^T (p_target - p) changes by x x w - v and
  /// y = log(R^T R_target) by -J(-y)^-1 w: forces on x and y are a wrench on the frame, which joints below feel.
  template <class S, class M, class Weight, class Q, class Pose, class By>
  TANDEM_HD static void of_frame(const ModelView<M>& m, int frame, const S& weight, Weight w, Q q, Pose target,
                                 By by_q) {
    const auto goal = InverseKinematics::load_goal<S>(target);
    const auto X_fw = for_each_joint_below<S>(m, frame, q, [](auto, int, const Transform<S>&) TANDEM_INLINE {});
    const auto x = X_fw.E * (goal.r - X_fw.r);
    const auto y = logarithm(quaternion_of(X_fw.E * transpose(goal.E)));
    const S twice = S(2) * weight;
    const Vec3<S> on_x = {twice * S(w[0]) * x.x, twice * S(w[1]) * x.y, twice * S(w[2]) * x.z};
    const Vec3<S> on_y = {twice * S(w[3]) * y.x, twice * S(w[4]) * y.y, twice * S(w[5]) * y.z};
    const S factor = logarithm_coefficient(dot(y, y), rotation_coefficients(dot(y, y)));
    const Force<S> f = {cross(on_x, x) - less_half_turned(-y, factor, on_y), -on_x};
    for_each_joint_below<S>(m, frame, q, [&](auto joint, int i, const Transform<S>& X_fi) TANDEM_INLINE {
      add_joint_force(joint, m, i, transpose_mul(X_fi, f), by_q);
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
