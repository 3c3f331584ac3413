// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/interbody_wrenches.hpp"

namespace tandem::inline TANDEM_ISA {

/// Constraint wrenches of every joint under joint torques tau in state (q, v).
///
///     f_c,i = f_i - T_i S_i^T f_i,   f = interbody_wrenches(q, v, a),   a = forward_dynamics(q, v, tau)
///
/// Method    those of forward_dynamics, then recursive Newton-Euler; method constraint_force has them for its unknowns
/// In        those of forward_dynamics
/// Out       f_c [n_links, 6] N, N m: row i the wrench from the parent of link i on link i without its part along the
///           axes of joint i, S_i^T f_c,i = 0; row 0 all that holds the base in its place, as in interbody_wrenches
/// Frames    f_c and f_ext at each link's origin along its own axes, linear part first
/// Work      nv rows, and those of forward_dynamics or interbody_wrenches, whichever needs more
/// Errors    none; a singular robot gives infinities or NaN in its own instance
struct ConstraintWrenches : ForwardDynamics {
  static constexpr const char* name = "constraint_wrenches";
  static constexpr const char* alias = nullptr;
  static constexpr const char* summary = "constraint wrenches of the joints under joint torques";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::tau,
      argument::f_ext,
      argument::diagonal,
      {"f_c", Rows::link_force, Role::output, "N, N m",
       "wrench on every link from its parent, without components along the joint"},
  };
  static constexpr bool has_lanes = false;

  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    const Index moving = ForwardDynamics::work_rows(m), holding = InterbodyWrenches::work_rows(m);
    return m.nv + (moving > holding ? moving : holding);
  }
  template <class S, class M, class Q, class Qd, class Tau, class Fx, class D, class F, class Work>
  TANDEM_HD void body(const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, F f_c, Work w) const {
    ForwardDynamics::body<S>(m, q, v, tau, f_ext, diagonal, as_column<F>(w), w + m.nv);
    InterbodyWrenches::wrenches<S, true>(m, q, v, as_column<F>(w), f_ext, f_c, w + m.nv);
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[ConstraintWrenches]
after = "ForwardDynamicsSecondDerivatives"
declared_after = "ForwardDynamics"
compiled_with = "ForwardDynamics"
cuda_apart = true
cuda_passes_apart = true

[ConstraintWrenches.python]
summary = "Constraint wrenches of the joints under the joint torques ``tau``."
text = '''
Row i is the wrench on link i from its parent without its components along the axes of joint i: the result of
:func:`interbody_wrenches` for the acceleration of :func:`forward_dynamics`, minus the joint torques. Row 0 is the
total wrench that holds the base. Method ``"constraint_force"`` solves for these wrenches.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, zero = tandem.neutral_configuration(arm), np.zeros(arm.nv)
>>> tandem.constraint_wrenches(arm, q, zero, zero).shape == (arm.n_links, 6)
True
'''
*/
