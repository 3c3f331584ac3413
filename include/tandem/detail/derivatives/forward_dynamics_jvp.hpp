// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/derived_arguments.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_jvp.hpp"
#include "tandem/detail/passes/articulated_body.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivative of forward dynamics along increments of what it depends on, without forming a matrix.
///
///     da = M^-1 (dtau - dtau_dq dq - dtau_dv dv + sum_i J_i^T df_ext,i - Y dpi)         (M includes `diagonal`)
///
/// Method    articulated_body for a; inverse_dynamics_jvp at that acceleration; the articulated bodies again for what
///           is left of dtau. See docs/algorithms/products.md
/// In, Out   jvp_arguments: those of forward_dynamics and their tangents, zeros if omitted
/// Frames    as inverse_dynamics_jvp
/// Joints    armature counts; damping, friction and springs do not. Joints that follow another move with it
/// Work      87 rows per link + at most 13 per degree of freedom, and 2 nv     Cost O(n_links)
/// Errors    none; a singular robot gives infinities or NaN in its own instance
struct ForwardDynamicsJvp {
  static constexpr const char* name = "forward_dynamics_jvp";
  static constexpr const char* summary = "JVP of forward dynamics";
  static constexpr auto& arguments = jvp_arguments<ForwardDynamics, true>;
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  static constexpr Method methods[] = {Method::automatic, Method::articulated_body};
  static constexpr bool inverts_mass_matrix = true;

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return ArticulatedBody::work_rows(m) + 2 * Index{m.nv} + InverseDynamicsJvp::work_rows(m);
  }

  template <class S, class M, class Q, class Qd, class Tau, class Dq, class Dv, class Dtau, class Fx, class D,
            class Dfx, class Dpi, class A, class Da, class Work>
  TANDEM_PASS static void body(const ModelView<M>& m, Q q, Qd v, Tau tau, Dq dq, Dv dv, Dtau dtau, Fx f_ext, D diagonal,
                               Dfx df_ext, Dpi dpi, A a, Da da, Work w) {
    const auto same = w + ArticulatedBody::work_rows(m), left = same + m.nv;
    ArticulatedBody::body<S>(m, q, v, tau, f_ext, diagonal, a, w);
    fill(left, m.nv, S(0));
    InverseDynamicsJvp::body<S>(m, q, v, as_column<Tau>(a), dq, dv, as_column<Tau>(left), f_ext, df_ext, dpi,
                                as_column<A>(same), da, left + m.nv);
    for (int k = 0; k < m.nv; ++k) left[k] = S(dtau[k]) - S(da[k]);
    ArticulatedBody::solve<S, false, false>(m, as_column<Tau>(left), diagonal, da, w);
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[ForwardDynamicsJvp]
after = "ForwardDynamicsDerivatives"
compiled_with = "InverseDynamicsVjp"
cuda_apart = true
cuda_passes_apart = true

[ForwardDynamicsJvp.cpp]
options = false

[ForwardDynamicsJvp.python]
summary = "JVP of :func:`forward_dynamics` without matrices."
text = '''
    da = M^-1 (dtau - dtau_dq dq - dtau_dv dv + sum_i J_i^T df_ext,i - Y dpi)

with the matrices of :func:`inverse_dynamics_derivatives` at the acceleration due to ``tau``, in time and memory
O(n). With closed loops it is that of the acceleration that keeps the loops closed.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> dq, dv, dtau = np.arange(7.0), np.ones(arm.nv), np.ones(arm.nv)
>>> a, da = tandem.forward_dynamics_jvp(arm, q, v, tau, dq, dv, dtau)
>>> da_dq, da_dv, Minv = tandem.forward_dynamics_derivatives(arm, q, v, tau, inverse_mass_matrix=True)
>>> np.allclose(da, da_dq @ dq + da_dv @ dv + Minv @ dtau)
True
'''

[ForwardDynamicsJvp.python.notes]
dq = ", as for :func:`integrate`"
df_ext = ", or none: zeros"
dpi = ", or none: zeros"
*/
