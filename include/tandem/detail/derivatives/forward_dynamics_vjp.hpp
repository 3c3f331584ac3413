// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/derived_arguments.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_vjp.hpp"
#include "tandem/detail/passes/articulated_body.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"

namespace tandem::inline TANDEM_ISA {

/// VJP of forward dynamics by all its inputs, without matrices.
///
///     tau_bar = M^-1 a_bar   q_bar = -dtau_dq^T tau_bar   v_bar = -dtau_dv^T tau_bar
///     f_ext_bar = J tau_bar   pi_bar = -Y^T tau_bar
///
/// with the diagonal that is added in M, and the derivatives of inverse dynamics at the acceleration that tau causes.
///
/// Method    articulated_body for a; the same articulated bodies for tau_bar; inverse_dynamics_vjp with weights
///           -tau_bar. See docs/algorithms/products.md
/// In, Out   vjp_arguments: those of forward_dynamics and their cotangents, not computed if omitted
/// Frames    as inverse_dynamics_vjp
/// Joints    armature counts; damping, friction and springs do not. Joints that follow another move with it
/// Work      90 rows per link + at most 13 per degree of freedom, and nv     Cost O(n_links)
/// Errors    none; a singular robot gives infinities or NaN in its own instance
struct ForwardDynamicsVjp {
  static constexpr const char* name = "forward_dynamics_vjp";
  static constexpr const char* summary = "VJP of forward dynamics";
  static constexpr auto& arguments = vjp_arguments<ForwardDynamics, true>;
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  static constexpr bool inverts_mass_matrix = true;
  static constexpr Method methods[] = {Method::automatic, Method::articulated_body};

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return ArticulatedBody::work_rows(m) + m.nv + InverseDynamicsVjp::work_rows(m);
  }

  template <class S, class M, class Q, class Qd, class Tau, class Weight, class Fx, class D, class A, class Qb,
            class Vb, class Tb, class Fb, class Pb, class Work>
  TANDEM_PASS static void body(const ModelView<M>& m, Q q, Qd v, Tau tau, Weight a_bar, Fx f_ext, D diagonal, A a,
                               Qb q_bar, Vb v_bar, Tb tau_bar, Fb f_ext_bar, Pb pi_bar, Work w) {
    const auto minus = w + ArticulatedBody::work_rows(m);
    ArticulatedBody::body<S>(m, q, v, tau, f_ext, diagonal, a, w);
    ArticulatedBody::solve<S, false, false>(m, a_bar, diagonal, tau_bar, w);
    for (int k = 0; k < m.nv; ++k) minus[k] = -S(tau_bar[k]);
    InverseDynamicsVjp::multiply<S>(
        m, q, v, as_column<Tau>(a), as_column<Tau>(minus), f_ext,
        InverseDynamicsProducts<A, Qb, Vb, A, Fb, Pb>{A{}, q_bar, v_bar, A{}, f_ext_bar, pi_bar}, minus + m.nv);
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[ForwardDynamicsVjp]
after = "ForwardDynamicsJvp"
compiled_with = "ForwardDynamicsJvp"
cuda_apart = true
cuda_passes_apart = true

[ForwardDynamicsVjp.cpp]
options = false

[ForwardDynamicsVjp.python]
summary = "VJP of :func:`forward_dynamics` without matrices."
text = '''
    tau_bar = M^-1 a_bar, q_bar = -dtau_dq^T tau_bar, v_bar = -dtau_dv^T tau_bar
    f_ext_bar = J tau_bar, pi_bar = -Y^T tau_bar

are the gradient of a_bar . a, in time and memory O(n). ``q_bar`` is in the cotangent space of
:func:`integrate`. With closed loops they are those of the acceleration that keeps the loops closed.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> a, q_bar, v_bar, tau_bar = tandem.forward_dynamics_vjp(arm, q, v, tau, np.arange(7.0))
>>> da_dq, da_dv, Minv = tandem.forward_dynamics_derivatives(arm, q, v, tau, inverse_mass_matrix=True)
>>> np.allclose(q_bar, da_dq.T @ np.arange(7.0)), np.allclose(tau_bar, Minv @ np.arange(7.0))
(True, True)
'''

[ForwardDynamicsVjp.python.notes]
pi_bar = ", of :attr:`Model.inertial_parameters`"

[ForwardDynamicsVjp.python.flags]
f_ext_bar = ["by_forces", "whether to return f_ext_bar as well"]
pi_bar = ["by_parameters", "whether to return pi_bar as well"]
*/
