// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/forward_dynamics_hvp.hpp"

namespace tandem::inline TANDEM_ISA {

/// Second derivatives of a weighted sum of accelerations as matrices.
///
///     d2a_dqdq[j, k]   = d/ds q_bar_j(q (+) s e_k)          q_bar = da_dq^T a_bar
///     d2a_dvdq[j, k]   = d/ds v_bar_j(q (+) s e_k)          v_bar = da_dv^T a_bar
///     d2a_dtaudq[j, k] = d/ds tau_bar_j(q (+) s e_k)        tau_bar = M^-1 a_bar
///     d2a_dvdv[j, k]   = dv_bar_j / dv_k
///
/// of which the others are transposes, or zero: accelerations are linear in joint forces.
///
/// Method    forward_dynamics_hvp along every coordinate and every rate, see docs/algorithms/second_derivatives.md
/// In        q [nq] rad|m   v [nv] rad/s|m/s   tau [nv] N m|N   a_bar [nv] cotangent of a
///           f_ext [n_links, 6] N, N m on the links, or none; diagonal [nv] kg m^2|kg added to the diagonal of M, or
///           none
/// Out       d2a_dqdq, d2a_dvdq, d2a_dtaudq, d2a_dvdv [nv, nv]
/// Frames    as inverse_dynamics_hvp: d2a_dqdq is symmetric for coordinates that add up
/// Joints    armature counts; damping, friction and springs do not. Joints that follow another move with it
/// Work      as forward_dynamics_hvp     Cost O(nv n_links)
/// Errors    none; a singular robot gives infinities or NaN in its own instance
struct ForwardDynamicsSecondDerivatives {
  static constexpr const char* name = "forward_dynamics_second_derivatives";
  static constexpr const char* summary = "second derivatives of a_bar . forward_dynamics";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::tau,
      {"a_bar", Rows::v, Role::input, "s^2/rad|s^2/m", "cotangent of a"},
      argument::f_ext,
      argument::diagonal,
      {"d2a_dqdq", Rows::square, Role::output, "", "second derivative by configuration"},
      {"d2a_dvdq", Rows::square, Role::output, "", "second derivative by velocity and configuration"},
      {"d2a_dtaudq", Rows::square, Role::output, "", "second derivative by joint torques and configuration"},
      {"d2a_dvdv", Rows::square, Role::output, "", "second derivative by velocity"},
  };
  static constexpr bool inverts_mass_matrix = true, is_too_long_to_print = true;

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return ForwardDynamicsHvp::work_rows(m);
  }

  template <class S, class M, class Q, class Qd, class Tau, class Weight, class Fx, class D, class Dqdq, class Dvdq,
            class Dtaudq, class Dvdv, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Tau tau, Weight a_bar, Fx f_ext, D diagonal,
                             Dqdq d2a_dqdq, Dvdq d2a_dvdq, Dtaudq d2a_dtaudq, Dvdv d2a_dvdv, Work w) {
    const Index n = m.nv;
    auto c = dual_products<S>(m, w, false, false);
    c.take_diagonal(n, diagonal);
    for (Index k = 0; k < 2 * n; ++k) {  // along every coordinate, then along every rate
      c.take_in(m, q, UnitColumn{k}, v, UnitColumn{k - n}, tau, Q{}, a_bar, Q{}, f_ext, Q{});
      ForwardDynamicsVjp::body<Dual<S>>(m, c.q, c.v, c.x, c.weights, c.f_ext, c.diagonal, c.y, c.q_bar, c.v_bar,
                                        c.x_bar, c.f_ext_bar, c.pi_bar, c.work);
      c.give_columns(n, k, d2a_dqdq, d2a_dvdq, d2a_dtaudq, d2a_dvdv);
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[ForwardDynamicsSecondDerivatives]
after = "ForwardDynamicsHvp"
compiled_with = "ForwardDynamicsHvp"
cuda_apart = true
cuda_passes_apart = true

[ForwardDynamicsSecondDerivatives.python]
summary = "Second derivatives of a_bar . forward_dynamics as matrices."
text = '''
    d2a_dqdq[j, k] = d/ds q_bar[j](q (+) s e_k), d2a_dvdq[j, k] = d/ds v_bar[j](q (+) s e_k)
    d2a_dtaudq[j, k] = d/ds tau_bar[j](q (+) s e_k), d2a_dvdv[j, k] = d v_bar[j] / d v[k]

with ``q_bar``, ``v_bar``, ``tau_bar`` of :func:`forward_dynamics_vjp`. The other blocks are transposes, or zero:
accelerations are linear in joint torques. A unit cotangent a_bar = e_i gives the second derivatives of a_i, a batch
of them the whole tensor of second derivatives. ``d2a_dqdq`` is symmetric for joints with one degree of freedom.
Closed loops are not supported.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> by_qq, by_vq, by_tauq, by_vv = tandem.forward_dynamics_second_derivatives(arm, q, v, tau, np.eye(7))
>>> by_qq.shape  # of a[i] by q[j] and q[k]
(7, 7, 7)
>>> np.allclose(by_qq, by_qq.swapaxes(1, 2))
True
'''
*/
