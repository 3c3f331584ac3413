// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/integrate.hpp"

namespace tandem::inline TANDEM_ISA {

/// Calls f(row in v, how far its spring is stretched) for every row.
template <class S, class M, class Q, class F>
TANDEM_HD void for_each_stretch(const ModelView<M>& m, Q q, F&& f) {
  for_each_independent_joint<S>(m, [&](auto joint, int iq, int iv) TANDEM_INLINE {
    S stretched[most_nv<decltype(joint)>];
    stretch<S>(joint, m.q_rest + iq, q + iq, &stretched[0]);
    for (int k = 0; k < joint.nv; ++k) f(iv + k, stretched[k]);
  });
}

/// Passive joint torques of springs, viscous damping and dry friction.
///
///     tau = -stiffness (q - q_rest) - damping v - friction sign(v)
///
/// Method    q - q_rest is the joint's stretch, see joint.hpp; Coulomb friction ramps up linearly below a slip
///           speed of 1e-3 (rad/s or m/s), so that it does not jump at rest
/// In        q [nq] rad|m   v [nv] rad/s|m/s     Out tau [nv] N m|N
/// Work      none     Cost O(n_links)
struct PassiveForces : WorkOf<> {
  static constexpr const char* name = "passive_forces";
  static constexpr const char* summary = "joint torques of springs, damping and friction";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      {"tau", Rows::v, Role::output, "N m|N", "joint torques of springs, damping and friction", "", Limit::force},
  };
  static constexpr double slip_speed = 1e-3;

  template <class S, class M, class Q, class Qd, class Tau, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Tau tau, Work) {
    for_each_stretch<S>(m, q, [&](int row, const S& stretched) TANDEM_INLINE {
      const S speed = v[row];
      tau[row] = spring_force(m, row, stretched, -loss_coefficient(m, row, speed) * speed);
    });
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

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[PassiveForces]
after = "CentroidalMomentumDerivatives"
compiled_with = "CentroidalMomentum"
cuda_with = "CentroidalMomentum"
ignores_loops = true

[PassiveForces.python]
summary = "Joint torques of springs, damping and friction, to be added to tau."
text = '''
    tau = -stiffness (q - q_rest) - damping v - friction sign(v)

Friction is linear in ``v`` below a slip speed of 1e-3 rad/s or m/s.
'''
*/
