// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/inverse_dynamics_hvp.hpp"

namespace tandem::inline TANDEM_ISA {

/// Second derivatives of a weighted sum of joint forces as matrices.
///
///     d2tau_dqdq[j, k] = d/ds q_bar_j(q (+) s e_k)        q_bar = dtau_dq^T tau_bar
///     d2tau_dvdq[j, k] = d/ds v_bar_j(q (+) s e_k)        v_bar = dtau_dv^T tau_bar
///     d2tau_dadq[j, k] = d/ds a_bar_j(q (+) s e_k)        a_bar = M tau_bar
///     d2tau_dvdv[j, k] = dv_bar_j / dv_k
///
/// of which the others are transposes, or zero: joint forces are linear in accelerations.
///
/// Method    inverse_dynamics_hvp along every coordinate and every rate, see docs/algorithms/second_derivatives.md
/// In        q [nq] rad|m   v [nv] rad/s|m/s   a [nv] rad/s^2|m/s^2   tau_bar [nv] cotangent of tau
///           f_ext [n_links, 6] N, N m on the links, or none
/// Out       d2tau_dqdq, d2tau_dvdq, d2tau_dadq, d2tau_dvdv [nv, nv]
/// Frames    as inverse_dynamics_hvp: d2tau_dqdq is symmetric for coordinates that add up
/// Joints    armature, damping, friction and springs are not included. Joints that follow another move with it
/// Work      as inverse_dynamics_hvp     Cost O(nv n_links)
/// Errors    none; a NaN stays in its own instance
struct InverseDynamicsSecondDerivatives {
  static constexpr const char* name = "inverse_dynamics_second_derivatives";
  static constexpr const char* summary = "second derivatives of tau_bar . inverse_dynamics";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::a,
      {"tau_bar", Rows::v, Role::input, "1/(N m)|1/N", "cotangent of tau"},
      argument::f_ext,
      {"d2tau_dqdq", Rows::square, Role::output, "", "second derivative by configuration"},
      {"d2tau_dvdq", Rows::square, Role::output, "", "second derivative by velocity and configuration"},
      {"d2tau_dadq", Rows::square, Role::output, "", "second derivative by acceleration and configuration"},
      {"d2tau_dvdv", Rows::square, Role::output, "", "second derivative by velocity"},
  };
  static constexpr bool is_too_long_to_print = true;

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return InverseDynamicsHvp::work_rows(m);
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Weight, class Fx, class Dqdq, class Dvdq, class Dadq,
            class Dvdv, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Weight tau_bar, Fx f_ext, Dqdq d2tau_dqdq,
                             Dvdq d2tau_dvdq, Dadq d2tau_dadq, Dvdv d2tau_dvdv, Work w) {
    const Index n = m.nv;
    auto c = dual_products<S>(m, w, false, false);
    for (Index k = 0; k < 2 * n; ++k) {  // along every coordinate, then along every rate
      c.take_in(m, q, UnitColumn{k}, v, UnitColumn{k - n}, a, Q{}, tau_bar, Q{}, f_ext, Q{});
      InverseDynamicsVjp::body<Dual<S>>(m, c.q, c.v, c.x, c.weights, c.f_ext, c.y, c.q_bar, c.v_bar, c.x_bar,
                                        c.f_ext_bar, c.pi_bar, c.work);
      c.give_columns(n, k, d2tau_dqdq, d2tau_dvdq, d2tau_dadq, d2tau_dvdv);
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[InverseDynamicsSecondDerivatives]
after = "InverseDynamicsHvp"
compiled_with = "InverseDynamicsHvp"
cuda_passes_apart = true
ignores_loops = true

[InverseDynamicsSecondDerivatives.python]
summary = "Second derivatives of tau_bar . inverse_dynamics as matrices."
text = '''
    d2tau_dqdq[j, k] = d/ds q_bar[j](q (+) s e_k), d2tau_dvdq[j, k] = d/ds v_bar[j](q (+) s e_k)
    d2tau_dadq[j, k] = d/ds a_bar[j](q (+) s e_k), d2tau_dvdv[j, k] = d v_bar[j] / d v[k]

with ``q_bar``, ``v_bar``, ``a_bar`` of :func:`inverse_dynamics_vjp`. The other blocks are transposes, or zero:
joint torques are linear in accelerations. A unit cotangent tau_bar = e_i gives the second derivatives of tau_i, a
batch of them the whole tensor of second derivatives. ``d2tau_dqdq`` is symmetric for joints with one degree of
freedom.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> by_qq, by_vq, by_aq, by_vv = tandem.inverse_dynamics_second_derivatives(arm, q, v, a, np.eye(7))
>>> by_qq.shape  # of tau[i] by q[j] and q[k]
(7, 7, 7)
>>> np.allclose(by_qq, by_qq.swapaxes(1, 2))
True
'''
*/
