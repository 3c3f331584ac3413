// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/dual_products.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_vjp.hpp"

namespace tandem::inline TANDEM_ISA {

/// Second derivatives of a weighted sum of joint forces times a vector, without forming a matrix: how what inverse_dynamics_vjp
/// gives changes along increments of all that it depends on.
///
///     dq_bar = d/ds q_bar(q (+) s dq, v + s dv, a + s da, tau_bar + s dtau_bar, f_ext + s df_ext)   and dv_bar, da_bar, ... alike
///
/// Method    inverse_dynamics_vjp on dual numbers, see docs/algorithms/second_derivatives.md; and dtau, which inverse_dynamics_jvp
///           gives, at once
/// In        q [nq] rad|m   v [nv] rad/s|m/s   a [nv] rad/s^2|m/s^2   tau_bar [nv] weights of the joint forces
///           dq, dv, da [nv] increments; dtau_bar [nv] of the weights, or none
///           f_ext, df_ext [n_links, 6] N, N m on the links and their increments, or none: zeros
/// Out       dtau [nv] N m|N   dq_bar, dv_bar, da_bar [nv]   df_ext_bar [n_links, 6], dpi_bar [10 n_joints] or none
/// Frames    as inverse_dynamics_vjp; q_bar is along axes that are displaced with the links, and dq_bar says how these numbers change
/// Joints    armature counts; damping, friction and springs do not. Joints that follow another move with it
/// Work      134 rows per link, 14 per degree of freedom and 2 nq     Cost O(n_links)
/// Errors    none; a NaN stays in its own instance
struct InverseDynamicsHvp {
  static constexpr const char* name = "inverse_dynamics_hvp";
  static constexpr const char* summary = "derivatives of weighted joint forces along increments, without a matrix";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::a,
      {"tau_bar", Rows::v, Role::input, "1/(N m)|1/N", "weights of the joint forces"},
      {"dq", Rows::v, Role::input, "rad|m", "increment of the configuration"},
      {"dv", Rows::v, Role::input, "rad/s|m/s", "increment of the velocity"},
      {"da", Rows::v, Role::input, "rad/s^2|m/s^2", "increment of the acceleration"},
      {"dtau_bar", Rows::v, Role::optional_input, "1/(N m)|1/N", "increment of the weights"},
      argument::f_ext,
      {"df_ext", Rows::link_force, Role::optional_input, "N, N m", "increment of the forces on the links"},
      {"dtau", Rows::v, Role::output, "N m|N", "increment of the joint forces"},
      {"dq_bar", Rows::v, Role::output, "1/rad|1/m", "increment of the weighted sum's derivative by configuration"},
      {"dv_bar", Rows::v, Role::output, "s/rad|s/m", "of that by velocity"},
      {"da_bar", Rows::v, Role::output, "s^2/rad|s^2/m", "of that by acceleration"},
      {"df_ext_bar", Rows::link_force, Role::optional_output, "1/N, 1/(N m)", "of that by the forces on the links"},
      {"dpi_bar", Rows::link_parameters, Role::optional_output, "1/kg, 1/(kg m), 1/(kg m^2)",
       "of that by the inertial parameters"},
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

[InverseDynamicsHvp.cpp]
doc = '''
Second derivatives of a weighted sum of joint forces times a vector, in O(n) and without a matrix: how what inverse_dynamics_vjp
gives changes along increments; and dtau, as inverse_dynamics_jvp gives it.

    dq_bar = d/ds q_bar(q (+) s dq, v + s dv, a + s da, tau_bar + s dtau_bar, f_ext + s df_ext)   and dv_bar, da_bar, ... alike

In: q, v, a and f_ext as for inverse_dynamics; tau_bar [nv] weights of the joint forces; dq, dv, da [nv] increments, dq by
integrate; dtau_bar [nv] and df_ext [n_links, 6] N, N m of the weights and of f_ext, or none: zeros. Out: dtau [nv] N m|N; dq_bar,
dv_bar, da_bar [nv]; df_ext_bar [n_links, 6] and dpi_bar [10 n_joints], or none. q_bar is along axes that are displaced with the
links, so that dq_bar is not symmetric in dq for spherical, planar and free joints. Throws Error for sizes.
'''

[InverseDynamicsHvp.python]
summary = "How what :func:`inverse_dynamics_vjp` gives changes along increments: second derivatives without a matrix."
text = '''
    dq_bar = d/ds q_bar(q (+) s dq, v + s dv, a + s da, tau_bar + s dtau_bar, f_ext + s df_ext)

and ``dv_bar``, ``da_bar``, ... alike; ``dtau`` as :func:`inverse_dynamics_jvp` gives it. In time and memory O(n),
about three times that of the products themselves. ``dq`` is an increment of :func:`integrate`. Axes are displaced
with the links, so that for spherical, planar and free joints ``dq_bar`` is no symmetric function of ``dq``: the page
on second derivatives says by how much.
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
