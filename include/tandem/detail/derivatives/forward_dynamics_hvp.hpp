// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/dual_products.hpp"
#include "tandem/detail/derivatives/forward_dynamics_vjp.hpp"

namespace tandem::inline TANDEM_ISA {

/// Second derivatives of a weighted sum of accelerations times a vector, without forming a matrix: how what
/// forward_dynamics_vjp gives changes along increments of all that it depends on.
///
///     dq_bar = d/ds q_bar(q (+) s dq, v + s dv, tau + s dtau, a_bar + s da_bar, f_ext + s df_ext)
///     and similarly dv_bar, dtau_bar, ...
///
/// Method    forward_dynamics_vjp on dual numbers, see docs/algorithms/second_derivatives.md; and da, which
///           forward_dynamics_jvp gives, at once
/// In        q [nq] rad|m   v [nv] rad/s|m/s   tau [nv] N m|N   a_bar [nv] cotangent of a
///           dq, dv, dtau [nv] increments; da_bar [nv] of the weights, or none
///           f_ext, df_ext [n_links, 6] N, N m on the links and their increments, or none: zeros
///           diagonal [nv] kg m^2|kg added to the diagonal of M, or none
/// Out       da [nv] rad/s^2|m/s^2   dq_bar, dv_bar, dtau_bar [nv]   df_ext_bar [n_links, 6], dpi_bar [10 n_joints] or
///           none
/// Frames    as inverse_dynamics_hvp
/// Joints    armature counts; damping, friction and springs do not. Joints that follow another move with it
/// Work      224 rows per link + at most 42 per degree of freedom, and 2 nq     Cost O(n_links)
/// Errors    none; a singular robot gives infinities or NaN in its own instance
struct ForwardDynamicsHvp {
  static constexpr const char* name = "forward_dynamics_hvp";
  static constexpr const char* summary = "JVP of the VJP of forward dynamics: Hessian-vector products";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::tau,
      {"a_bar", Rows::v, Role::input, "s^2/rad|s^2/m", "cotangent of a"},
      {"dq", Rows::v, Role::input, "rad|m", "tangent of q"},
      {"dv", Rows::v, Role::input, "rad/s|m/s", "tangent of v"},
      {"dtau", Rows::v, Role::input, "N m|N", "tangent of tau"},
      {"da_bar", Rows::v, Role::optional_input, "s^2/rad|s^2/m", "tangent of a_bar"},
      argument::f_ext,
      {"df_ext", Rows::link_force, Role::optional_input, "N, N m", "tangent of f_ext"},
      argument::diagonal,
      {"da", Rows::v, Role::output, "rad/s^2|m/s^2", "tangent of a"},
      {"dq_bar", Rows::v, Role::output, "1/rad|1/m", "tangent of q_bar"},
      {"dv_bar", Rows::v, Role::output, "s/rad|s/m", "tangent of v_bar"},
      {"dtau_bar", Rows::v, Role::output, "1/(N m)|1/N", "tangent of tau_bar"},
      {"df_ext_bar", Rows::link_force, Role::optional_output, "1/N, 1/(N m)", "tangent of f_ext_bar"},
      {"dpi_bar", Rows::link_parameters, Role::optional_output, "1/kg, 1/(kg m), 1/(kg m^2)", "tangent of pi_bar"},
  };
  static constexpr bool inverts_mass_matrix = true, is_too_long_to_print = true;

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return dual_products_rows(m, ForwardDynamicsVjp::work_rows(m));
  }

  template <class S, class M, class Q, class Qd, class Tau, class Weight, class Dq, class Dv, class Dtau, class Dw,
            class Fx, class Dfx, class D, class Da, class Dqb, class Dvb, class Dtb, class Dfb, class Dpb, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Tau tau, Weight a_bar, Dq dq, Dv dv, Dtau dtau,
                             Dw da_bar, Fx f_ext, Dfx df_ext, D diagonal, Da da, Dqb dq_bar, Dvb dv_bar, Dtb dtau_bar,
                             Dfb df_ext_bar, Dpb dpi_bar, Work w) {
    auto c = dual_products<S>(m, w, static_cast<bool>(df_ext_bar), static_cast<bool>(dpi_bar));
    c.take_in(m, q, dq, v, dv, tau, dtau, a_bar, da_bar, f_ext, df_ext);
    c.take_diagonal(m.nv, diagonal);
    ForwardDynamicsVjp::body<Dual<S>>(m, c.q, c.v, c.x, c.weights, c.f_ext, c.diagonal, c.y, c.q_bar, c.v_bar, c.x_bar,
                                      c.f_ext_bar, c.pi_bar, c.work);
    c.give_rates(m, da, dq_bar, dv_bar, dtau_bar, df_ext_bar, dpi_bar);
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[ForwardDynamicsHvp]
after = "ForwardDynamicsVjp"
compiled_with = "InverseDynamicsSecondDerivatives"
cuda_apart = true
cuda_passes_apart = true

[ForwardDynamicsHvp.cpp]
break_before = "In<T> dtau,"  # the line as it was, for the compiler cache

[ForwardDynamicsHvp.python]
summary = "JVP of :func:`forward_dynamics_vjp`: Hessian-vector products without matrices."
text = '''
    dq_bar = d/ds q_bar(q (+) s dq, v + s dv, tau + s dtau, a_bar + s da_bar, f_ext + s df_ext)

and similarly ``dv_bar``, ``dtau_bar``, ...; ``da`` is that of :func:`forward_dynamics_jvp`. Time and memory are
O(n), about three times those of the VJP. ``dq`` is in the tangent space of :func:`integrate`. Axes move with the
links, so that for spherical, planar and free joints ``dq_bar`` is not symmetric in ``dq``: see the page on second
derivatives. Closed loops are not supported.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, tau = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> weights, dq, zero = np.arange(7.0), np.ones(7), np.zeros(7)
>>> da, dq_bar, dv_bar, dtau_bar = tandem.forward_dynamics_hvp(arm, q, v, tau, weights, dq, zero, zero)
>>> step = 1e-6
>>> after, before = (tandem.forward_dynamics_vjp(arm, q + s * dq, v, tau, weights)[1] for s in (step, -step))
>>> np.allclose(dq_bar, (after - before) / (2 * step), rtol=1e-5, atol=1e-6)
True
'''

[ForwardDynamicsHvp.python.notes]
dq = ", as for :func:`integrate`"
dpi_bar = ", of :attr:`Model.inertial_parameters`"

[ForwardDynamicsHvp.python.flags]
df_ext_bar = ["by_forces", "whether to return df_ext_bar as well"]
dpi_bar = ["by_parameters", "whether to return dpi_bar as well"]
*/
