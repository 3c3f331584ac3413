// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/inverse_kinematics.hpp"

namespace tandem::inline TANDEM_ISA {

/// A sum of many terms, with what rounding takes off it.
template <class S>
struct LongSum {
  S sum{0}, lost{0};
  TANDEM_HD void add(const S& x) {
    const S term = x - lost, next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
};

/// Terms of the cost of a rollout: sums of weight x^2, for what x is. Columns without data are terms that are not
/// there.
struct RolloutTerms {
  /// Of the rows of x, as far as they have weights.
  template <class S, class Weight, class X>
  TANDEM_HD static S of_rows(Index rows, Weight weight, X x, const S& sum) {
    S all = sum;
    for (Index k = 0; k < rows; ++k) all = mul_add(S(weight[k]) * S(x[k]), S(x[k]), all);
    return all;
  }
  /// Of q (-) reference; `u` has nv rows for it.
  template <class S, class M, class Weight, class Q, class Reference_, class U>
  TANDEM_HD static S of_configuration(const ModelView<M>& m, Weight weight, Q q, Reference_ reference, U u,
                                      const S& sum) {
    Difference::body<S>(m, reference, q, u, u);
    return of_rows(m.nv, weight, u, sum);
  }
  /// Of v - reference.
  template <class S, class Weight, class V, class Reference_>
  TANDEM_HD static S of_velocity(Index rows, Weight weight, V v, Reference_ reference, const S& sum) {
    S all = sum;
    for (Index k = 0; k < rows; ++k) {
      const S x = reference ? S(v[k]) - S(reference[k]) : S(v[k]);
      all = mul_add(S(weight[k]) * x, x, all);
    }
    return all;
  }
  /// Of a frame's way to a pose: e = [R^T (p_target - p); log(R^T R_target)], as inverse kinematics has it.
  template <class S, class M, class Weight, class Q, class Pose>
  TANDEM_HD static S of_frame(const ModelView<M>& m, int frame, Weight weight, Q q, Pose target, const S& sum) {
    const auto goal = InverseKinematics::load_goal<S>(target);
    const auto X_fw = for_each_joint_below<S>(m, frame, q, [](auto, int, const Transform<S>&) TANDEM_INLINE {});
    const auto away = X_fw.E * (goal.r - X_fw.r);
    const auto turn = logarithm(quaternion_of(X_fw.E * transpose(goal.E)));
    const S e[6] = {away.x, away.y, away.z, turn.x, turn.y, turn.z};
    return of_rows(6, weight, e, sum);
  }
};

}  // namespace tandem::inline TANDEM_ISA
