// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/forward_kinematics.hpp"

namespace tandem::inline TANDEM_ISA {

/// Calls f(kind of joint, link, X_fi) for every joint between a frame and the base, from the frame inwards; X_fi leads
/// from the link that the joint carries to the frame. Returns X_f0 = X_fw.
template <class S, class M, class Q, class F>
TANDEM_HD Transform<S> for_each_joint_below(const ModelView<M>& m, int frame, Q q, F&& f) {
  auto X_fi = frame_transform<S>(m, frame);
  for (int i = m.frame_link[frame]; i != 0; i = m.parent[i])
    on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
      f(joint, i, X_fi);
      X_fi = X_fi * joint_transform<S>(joint, m, i, q);
    });
  return X_fi;
}

/// Jacobian of a frame: its velocity is J(q) v.
///
/// Method    a walk from the frame to the base, gathering X_fi S_i
/// In        q [nq] rad|m
/// Out       J [6, nv], linear first
/// Frames    reference says along which axes and of which point the velocity is
/// Work      none     Cost O(depth), and 6 nv zeros
struct Jacobian : WorkOf<> {
  static constexpr const char* name = "jacobian";
  static constexpr const char* summary = "Jacobian of a frame";
  static constexpr Argument arguments[] = {
      argument::q,
      {"J", Rows::jacobian, Role::output, "m/rad|1, rad/rad|rad/m", "Jacobian of the frame"},
  };
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  int frame = 0;
  Reference reference = Reference::local;

  template <class S, class M, class Q, class J_, class Work>
  TANDEM_HD void body(const ModelView<M>& m, Q q, J_ J, Work) const {
    const Index n = m.nv;
    const auto X_fw = local_columns<S>(m, frame, q, J);
    if (reference == Reference::local) return;
    for (int i = m.frame_link[frame]; i != 0; i = m.parent[i])
      on_joint_kind<S>(m, i, [&](auto joint) TANDEM_INLINE {
        // a column that two joints share is turned once, at the joint that owns it
        for (int k = 0; k < joint.nv; ++k) {
          const Index column = m.v_index[i] + k;
          if (m.n_mimic != 0 && !first_visit(m, i)) continue;
          const Motion<S> c = {{J[3 * n + column], J[4 * n + column], J[5 * n + column]},
                               {J[column], J[n + column], J[2 * n + column]}};
          set_column(J, n, column, seen_from(reference, X_fw, c));
        }
      });
  }

  /// The Jacobian along the frame's own axes. Returns X_fw.
  template <class S, class M, class Q, class J_>
  TANDEM_HD static Transform<S> local_columns(const ModelView<M>& m, int frame, Q q, J_ J) {
    const Index n = m.nv;
    fill(J, 6 * n, S(0));
    return for_each_joint_below<S>(m, frame, q, [&](auto joint, int i, const Transform<S>& X_fi) TANDEM_INLINE {
      for (int k = 0; k < joint.nv; ++k)
        add_column(J, n, m.v_index[i] + k, S(m.multiplier[i]) * (X_fi * joint.template axis<S>(k)));
    });
  }

  /// False if a joint nearer to the frame already had the column of joint i.
  template <class M>
  TANDEM_HD bool first_visit(const ModelView<M>& m, int i) const {
    for (int j = m.frame_link[frame]; j != i; j = m.parent[j])
      if (m.v_index[j] == m.v_index[i]) return false;
    return true;
  }

  template <class S, class J_>
  TANDEM_HD static void set_column(J_ J, Index n, Index column, const Motion<S>& c) {
    const S rows[6] = {c.v.x, c.v.y, c.v.z, c.w.x, c.w.y, c.w.z};
    for (int r = 0; r < 6; ++r) J[n * r + column] = rows[r];
  }
  template <class S, class J_>
  TANDEM_HD static void add_column(J_ J, Index n, Index column, const Motion<S>& c) {
    const S rows[6] = {c.v.x, c.v.y, c.v.z, c.w.x, c.w.y, c.w.z};
    for (int r = 0; r < 6; ++r) J[n * r + column] = S(J[n * r + column]) + rows[r];
  }
};

/// Time derivative of a frame's Jacobian times the velocity: the frame's acceleration is J a + dJ/dt v.
///
/// Method    a walk from the frame to the base. With u_i = X_fi S_i v_i the acceleration left when a = 0 is the sum of
///           u_j x u_i over all pairs of joints with j nearer to the base
/// In        q [nq] rad|m   v [nv] rad/s|m/s
/// Out       Jdot_v [6] m/s^2, rad/s^2, linear first
/// Frames    reference as for the Jacobian; derivative of the six numbers J v of that reference
/// Work      none     Cost O(depth)
struct JacobianTimeDerivativeProduct : WorkOf<> {
  static constexpr const char* name = "jacobian_time_derivative_product";
  static constexpr const char* summary = "time derivative of a frame's Jacobian times the velocity";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      {"Jdot_v", Rows::motion, Role::output, "m/s^2, rad/s^2", "dJ/dt v of the frame"},
  };
  int frame = 0;
  Reference reference = Reference::local;

  template <class S, class M, class Q, class Qd, class Out, class Work>
  TANDEM_HD void body(const ModelView<M>& m, Q q, Qd v, Out out, Work) const {
    auto velocity = Motion<S>::zero(), bias = Motion<S>::zero();
    const auto X_fw =
        for_each_joint_below<S>(m, frame, q, [&](auto joint, int i, const Transform<S>& X_fi) TANDEM_INLINE {
          const auto v_J = joint_motion<S>(joint, m, i, v);
          const auto u_i = X_fi * (Motion<S>::zero() + v_J);
          bias = bias + cross(u_i, velocity);
          if (drifts(v_J)) bias = bias + X_fi * drift_of<S>(v_J);
          velocity = velocity + u_i;
        });
    if (reference == Reference::local_world_aligned) bias.v = bias.v + cross(velocity.w, velocity.v);
    store_linear_first(out, 0, seen_from(reference, X_fw, bias));
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[Jacobian]
after = "ForwardKinematicsVjp"
compiled_with = "ForwardKinematics"
ignores_loops = true

[Jacobian.python]
summary = "Jacobian of a frame: its velocity is J v."
example = '''
>>> arm = tandem.load("arm7")
>>> tandem.jacobian(arm, tandem.neutral_configuration(arm), "tool0", reference="world").shape
(6, 7)
'''

[JacobianTimeDerivativeProduct]
after = "Jacobian"
declared_after = "ForwardKinematicsDerivatives"
compiled_with = "Jacobian"
cuda_with = "Jacobian"
ignores_loops = true

[JacobianTimeDerivativeProduct.python]
summary = "Time derivative of a frame's Jacobian times the velocity: the frame's acceleration is J a + dJ/dt v."
text = "That is the derivative of the six numbers J v of this reference, without J a."
*/
