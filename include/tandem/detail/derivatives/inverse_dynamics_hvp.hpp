// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/dual_products.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_vjp.hpp"

namespace tandem::inline TANDEM_ISA {

/// Second derivatives of a weighted sum of joint forces times a vector, without forming a matrix: how what
/// inverse_dynamics_vjp gives changes along increments of all that it depends on.
///
///     dq_bar = d/ds q_bar(q (+) s dq, v + s dv, a + s da, tau_bar + s dtau_bar, f_ext + s df_ext)
///     and similarly dv_bar, da_bar, ...
///
/// Method    inverse_dynamics_vjp on dual numbers, see docs/algorithms/second_derivatives.md; and dtau, which
///           inverse_dynamics_jvp gives, at once
/// In        q [nq] rad|m   v [nv] rad/s|m/s   a [nv] rad/s^2|m/s^2   tau_bar [nv] cotangent of tau
///           dq, dv, da [nv] increments; dtau_bar [nv] of the weights, or none
///           f_ext, df_ext [n_links, 6] N, N m on the links and their increments, or none: zeros
/// Out       dtau [nv] N m|N   dq_bar, dv_bar, da_bar [nv]   df_ext_bar [n_links, 6], dpi_bar [10 n_joints] or none
/// Frames    as inverse_dynamics_vjp; q_bar is along axes that move with the links, and dq_bar says how these numbers
///           change
/// Joints    armature counts; damping, friction and springs do not. Joints that follow another move with it
/// Work      134 rows per link, 14 per degree of freedom and 2 nq     Cost O(n_links)
/// Errors    none; a NaN stays in its own instance
struct InverseDynamicsHvp {
  static constexpr const char* name = "inverse_dynamics_hvp";
  static constexpr const char* summary = "JVP of the VJP of inverse dynamics: Hessian-vector products";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::a,
      {"tau_bar", Rows::v, Role::input, "1/(N m)|1/N", "cotangent of tau"},
      {"dq", Rows::v, Role::input, "rad|m", "tangent of q"},
      {"dv", Rows::v, Role::input, "rad/s|m/s", "tangent of v"},
      {"da", Rows::v, Role::input, "rad/s^2|m/s^2", "tangent of a"},
      {"dtau_bar", Rows::v, Role::optional_input, "1/(N m)|1/N", "tangent of tau_bar"},
      argument::f_ext,
      {"df_ext", Rows::link_force, Role::optional_input, "N, N m", "tangent of f_ext"},
      {"dtau", Rows::v, Role::output, "N m|N", "tangent of tau"},
      {"dq_bar", Rows::v, Role::output, "1/rad|1/m", "tangent of q_bar"},
      {"dv_bar", Rows::v, Role::output, "s/rad|s/m", "tangent of v_bar"},
      {"da_bar", Rows::v, Role::output, "s^2/rad|s^2/m", "tangent of a_bar"},
      {"df_ext_bar", Rows::link_force, Role::optional_output, "1/N, 1/(N m)", "tangent of f_ext_bar"},
      {"dpi_bar", Rows::link_parameters, Role::optional_output, "1/kg, 1/(kg m), 1/(kg m^2)", "tangent of pi_bar"},
  };
  static constexpr bool is_too_long_to_print = true;

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return dual_products_rows(m, InverseDynamicsVjp::work_rows(m));
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Weight, class Dq, class Dv, class Da, class Dw,
            class Fx, class Dfx, class Dtau, class Dqb, class Dvb, class Dab, class Dfb, class Dpb, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Weight tau_bar, Dq dq, Dv dv, Da da, Dw dtau_bar,
                             Fx f_ext, Dfx df_ext, Dtau dtau, Dqb dq_bar, Dvb dv_bar, Dab da_bar, Dfb df_ext_bar,
                             Dpb dpi_bar, Work w) {
    auto c = dual_products<S>(m, w, static_cast<bool>(df_ext_bar), static_cast<bool>(dpi_bar));
    c.take_in(m, q, dq, v, dv, a, da, tau_bar, dtau_bar, f_ext, df_ext);
    InverseDynamicsVjp::body<Dual<S>>(m, c.q, c.v, c.x, c.weights, c.f_ext, c.y, c.q_bar, c.v_bar, c.x_bar, c.f_ext_bar,
                                      c.pi_bar, c.work);
    c.give_rates(m, dtau, dq_bar, dv_bar, da_bar, df_ext_bar, dpi_bar);
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[InverseDynamicsHvp]
after = "InverseDynamicsVjp"
cuda_passes_apart = true
ignores_loops = true

[InverseDynamicsHvp.python]
summary = "JVP of :func:`inverse_dynamics_vjp`: Hessian-vector products without matrices."
text = '''
    dq_bar = d/ds q_bar(q (+) s dq, v + s dv, a + s da, tau_bar + s dtau_bar, f_ext + s df_ext)

and similarly ``dv_bar``, ``da_bar``, ...; ``dtau`` is that of :func:`inverse_dynamics_jvp`. Time and memory are
O(n), about three times those of the VJP. ``dq`` is in the tangent space of :func:`integrate`. Axes move with the
links, so that for spherical, planar and free joints ``dq_bar`` is not symmetric in ``dq``: see the page on second
derivatives.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> weights, dq, zero = np.arange(7.0), np.ones(7), np.zeros(7)
>>> dtau, dq_bar, dv_bar, da_bar = tandem.inverse_dynamics_hvp(arm, q, v, a, weights, dq, zero, zero)
>>> step = 1e-6
>>> after, before = (tandem.inverse_dynamics_vjp(arm, q + s * dq, v, a, weights)[1] for s in (step, -step))
>>> np.allclose(dq_bar, (after - before) / (2 * step), rtol=1e-5, atol=1e-6)
True
'''

[InverseDynamicsHvp.python.notes]
dq = ", as for :func:`integrate`"
dpi_bar = ", of :attr:`Model.inertial_parameters`"

[InverseDynamicsHvp.python.flags]
df_ext_bar = ["by_forces", "whether to return df_ext_bar as well"]
dpi_bar = ["by_parameters", "whether to return dpi_bar as well"]
*/
