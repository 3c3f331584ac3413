// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/inverse_dynamics.hpp"

namespace tandem::inline TANDEM_ISA {

/// Bias forces c(q, v) + tau_g(q): Coriolis, centrifugal and gravity, the joint forces of an unaccelerated motion.
///
/// Method    inverse dynamics with a = 0
/// In        q [nq] rad|m   v [nv] rad/s|m/s   f_ext [n_links, 6] N, N m on the links, or none (subtracted, J^T f_ext)
/// Out       tau [nv] N m|N
/// Work      nv rows and those of inverse dynamics
struct BiasForces {
  static constexpr const char* name = "bias_forces";
  static constexpr const char* summary = "Coriolis, centrifugal and gravity forces";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::f_ext,
      argument::output(argument::tau),
  };
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return m.nv + InverseDynamics::work_rows(m);
  }

  template <class S, class M, class Q, class Qd, class Fx, class Tau, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Fx f_ext, Tau tau, Work w) {
    InverseDynamics::body<S>(m, q, v, zeros<Qd, S>(w, m.nv), f_ext, tau, w + m.nv);
  }
};

/// Gravity torques tau_g(q): the joint torques that compensate gravity.
///
/// Method    inverse dynamics with v = 0, a = 0
/// In        q [nq] rad|m     Out tau [nv] N m|N
/// Work      nv rows and those of inverse dynamics
struct GravityForces : WorkOf<BiasForces> {
  static constexpr const char* name = "gravity_forces";
  static constexpr const char* summary = "joint torques that compensate gravity";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::output(argument::tau),
  };
  template <class S, class M, class Q, class Tau, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Tau tau, Work w) {
    const auto none = zeros<Q, S>(w, m.nv);
    InverseDynamics::body<S>(m, q, none, none, Q{}, tau, w + m.nv);
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[BiasForces]
after = "InverseDynamics"
compiled_with = "InverseDynamics"
ignores_loops = true

[BiasForces.python]
summary = "Coriolis, centrifugal and gravity forces c(q, v) + tau_g(q): the joint torques for a = 0."
text = '''
Inverse dynamics without acceleration, [RBDA] table 5.1.
'''

[BiasForces.python.notes]
f_ext = "; J^T f_ext is subtracted"

[GravityForces]
after = "BiasForces"
compiled_with = "BiasForces"
cuda_with = "BiasForces"
ignores_loops = true

[GravityForces.python]
text = "[RBDA] table 5.1 with v = 0, a = 0."
*/
