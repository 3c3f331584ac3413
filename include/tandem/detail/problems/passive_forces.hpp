// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// Passive joint forces: what springs, viscous damping and dry friction add to tau.
///
///     tau = -stiffness (q - q_rest) - damping v - friction sign(v)
///
/// Method    q - q_rest is the joint's stretch, see joint.hpp; Coulomb friction ramps up linearly below a slip
///           speed of 1e-3 (rad/s or m/s), so that it does not jump at rest
/// In        q [nq] rad|m   v [nv] rad/s|m/s     Out tau [nv] N m|N
/// Work      none     Cost O(n_links)
struct PassiveForces : WorkOf<> {
  static constexpr const char* name = "passive_forces";
  static constexpr const char* summary = "joint forces of springs, damping and friction";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      {"tau", Rows::v, Role::output, "N m|N", "joint forces of springs, damping and friction", "", Limit::force},
  };
  static constexpr double slip_speed = 1e-3;

  template <class S, class M, class Q, class Qd, class Tau, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Tau tau, Work) {
    for (int i = 1; i < m.n_links; ++i) {
      if (m.mimics[i] != 0) continue;  // what a mimic joint adds is in the rows of the joint that it follows
      on_joint(m.type[i], [&](auto joint) TANDEM_INLINE {
        S stretched[decltype(joint)::nv];
        stretch<S>(joint, m.q_rest + m.q_index[i], q + m.q_index[i], &stretched[0]);
        for (int k = 0; k < decltype(joint)::nv; ++k) {
          const int row = m.v_index[i] + k;
          const S speed = v[row];
          tau[row] = spring_force(m, row, stretched[k], -loss_coefficient(m, row, speed) * speed);
        }
      });
    }
  }

  /// -stiffness stretch + others
  template <class S, class M>
  TANDEM_HD static S spring_force(const ModelView<M>& m, int row, const S& stretch, const S& others) {
    return any(m.stiffness[row] != M(0)) ? mul_add(-S(m.stiffness[row]), stretch, others) : others;
  }
  /// Damping and friction as one damping coefficient at the given speed.
  template <class S, class M>
  TANDEM_HD static S loss_coefficient(const ModelView<M>& m, int row, const S& speed) {
    const S damping(m.damping[row]);
    return any(m.friction[row] != M(0)) ? damping + friction_coefficient(S(m.friction[row]), speed) : damping;
  }
  /// Friction as a damping coefficient at the given speed: friction / max(|speed|, slip speed).
  template <class S>
  TANDEM_HD static S friction_coefficient(const S& friction, const S& speed) {
    const S size = abs(speed), slip(slip_speed);
    return friction / select(size < slip, slip, size);
  }
};

}  // namespace tandem::inline TANDEM_ISA
