// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/passive_forces.hpp"

namespace tandem::inline TANDEM_ISA {

/// Calls f(row in v, how far its spring is stretched, row k in v, how that changes with coordinate k) for every row and
/// every coordinate of its joint.
template <class S, class M, class Q, class F>
TANDEM_HD void for_each_stretch_rate(const ModelView<M>& m, Q q, F&& f) {
  for_each_independent_joint<S>(m, [&](auto joint, int iq, int iv) TANDEM_INLINE {
    constexpr int most = most_nv<decltype(joint)>;
    const int d = joint.nv;
    S stretched[most], unit[most], rate[most];
    stretch<S>(joint, m.q_rest + iq, q + iq, &stretched[0]);
    for (int k = 0; k < d; ++k) {
      for (int j = 0; j < d; ++j) unit[j] = S(j == k);
      stretch_rate<S>(joint, &stretched[0], &unit[0], &rate[0]);
      for (int j = 0; j < d; ++j) f(iv + j, stretched[j], iv + k, rate[j]);
    }
  });
}

/// Derivatives of passive_forces: how springs, damping and friction change with configuration and velocity.
///
///     tau(q (+) dq, v + dv) = tau + dtau_dq dq + dtau_dv dv + ...
///
/// Method    joints one by one: springs by how the stretch changes, see joint.hpp; dtau_dv is diagonal
/// In        q [nq] rad|m   v [nv] rad/s|m/s or none: zeros     Out dtau_dq, dtau_dv [nv, nv]: a row for each joint
///           force
/// Frames    increments of q are those of `integrate`
/// Errors    none; at the slip speed, where friction has a bend, dtau_dv is that of faster motion
/// Work      none     Cost O(n_links), and 2 nv^2 zeros
struct PassiveForcesDerivatives : WorkOf<> {
  static constexpr const char* name = "passive_forces_derivatives";
  static constexpr const char* summary = "derivatives of the torques of springs, damping and friction";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::optional(argument::v),
      {"dtau_dq", Rows::square, Role::output, "N m|N per rad|m", "derivative of the joint torques by configuration"},
      {"dtau_dv", Rows::square, Role::output, "N m|N per rad/s|m/s", "by velocity"},
  };

  template <class S, class M, class Q, class Qd, class Out, class OutV, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Out dtau_dq, OutV dtau_dv, Work) {
    const Index n = m.nv;
    fill(dtau_dq, n * n, S(0));
    fill(dtau_dv, n * n, S(0));
    for_each_stretch_rate<S>(m, q, [&](int row, const S&, int k, const S& rate) TANDEM_INLINE {
      if (any(m.stiffness[row] != M(0))) dtau_dq[n * row + k] = -S(m.stiffness[row]) * rate;
    });
    for (Index row = 0; row < n; ++row)
      dtau_dv[n * row + row] = -(S(m.damping[row]) + friction_rate(S(m.friction[row]), v ? S(v[row]) : S(0)));
  }

  /// How friction grows with the speed: at once up to the slip speed, and no further.
  template <class S>
  TANDEM_HD static S friction_rate(const S& friction, const S& speed) {
    const S slip(PassiveForces::slip_speed);
    return select(abs(speed) < slip, S(1 / PassiveForces::slip_speed) * friction, S(0));
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[PassiveForcesDerivatives]
after = "PassiveForces"
compiled_with = "EnergyDerivatives"
cuda_with = "EnergyDerivatives"
ignores_loops = true

[PassiveForcesDerivatives.cpp]
order = "q v dtau_dq dtau_dv work"

[PassiveForcesDerivatives.python]
summary = "Derivatives of :func:`passive_forces` by configuration and velocity."
text = '''
    tau(q (+) dq, v + dv) = tau + dtau_dq dq + dtau_dv dv + ...

To be added to the derivatives of the driving torques. dtau_dv is diagonal; at the slip speed, where friction has a
kink, it is that of faster motion. dq is in the tangent space of :func:`integrate`.
'''
*/
