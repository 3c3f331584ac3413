// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/passes/increments.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivative of inverse dynamics along increments of what it depends on, without forming a matrix.
///
///     dtau = dtau_dq dq + dtau_dv dv + M da - sum_i J_i^T df_ext,i + Y dpi
///
/// Method    one pass outward and one inward over the links, see docs/algorithms/products.md: increments.hpp beside
/// each step of
///           inverse dynamics, and tau at once
/// In        q [nq] rad|m   v [nv] rad/s|m/s   a [nv] rad/s^2|m/s^2   dq, dv, da [nv] increments of these
///           f_ext [n_links, 6] N, N m on the links, or none; df_ext [n_links, 6], dpi [10 n_joints] of the inertial
///           parameters, or none: zeros
/// Out       tau [nv] N m|N   dtau [nv] N m|N
/// Frames    increments of q are those of `integrate`: of spherical, planar and free joints along the child's axes.
/// f_ext keeps
///           its numbers as the links move
/// Joints    armature counts; damping, friction and springs do not. Joints that follow another move with it
/// Work      42 rows per link     Cost O(n_links)
/// Errors    none; a NaN stays in its own instance
struct InverseDynamicsJvp {
  static constexpr const char* name = "inverse_dynamics_jvp";
  static constexpr const char* summary = "JVP of inverse dynamics";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::a,
      {"dq", Rows::v, Role::input, "rad|m", "tangent of q"},
      {"dv", Rows::v, Role::input, "rad/s|m/s", "tangent of v"},
      {"da", Rows::v, Role::input, "rad/s^2|m/s^2", "tangent of a"},
      argument::f_ext,
      {"df_ext", Rows::link_force, Role::optional_input, "N, N m", "tangent of f_ext"},
      {"dpi", Rows::link_parameters, Role::optional_input, "kg, kg m, kg m^2", "tangent of the inertial parameters"},
      {"tau", Rows::v, Role::output, "N m|N", "joint torques"},
      {"dtau", Rows::v, Role::output, "N m|N", "tangent of tau"},
  };
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  static constexpr Method methods[] = {Method::automatic, Method::recursive_newton_euler};

  /// What a link keeps from the outward pass to the inward one: the force that it takes, and what increments add to
  /// that.
  template <class S>
  struct Link {
    Transform<S> X;  ///< X_ip as keep_transform leaves it
    Force<S> f, df;
  };
  /// Links that branch also keep how they move, in memory that others do not touch.
  template <class S>
  struct Branch {
    CarriedRates<S> rates;
    Increment<S> increment;
  };
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return (rows_of<Link<double>> + rows_of<Branch<double>>)*m.n_links;
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Dq, class Dv, class Da, class Fx, class Dfx,
            class Dpi, class Tau, class Dtau, class Work>
  TANDEM_PASS static void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Dq dq, Dv dv, Da da, Fx f_ext, Dfx df_ext,
                               Dpi dpi, Tau tau, Dtau dtau, Work w) {
    const auto a_0 = base_acceleration<S>(m);
    const auto base = rates_of<S>({Vec3<S>::zero(), a_0.w, a_0.v});
    auto rates = base;
    auto increment = Increment<S>::zero();
    const auto links = records<Link<S>>(w);
    const auto moving = records<Branch<S>>(w + rows_of<Link<S>> * m.n_links);

    // outward: how each link moves, what increments add, and the forces of both
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      if (p == 0) {
        rates = base;
        increment = Increment<S>::zero();
      } else if (p != i - 1) {
        const auto kept = moving.load(p);
        rates = rates_of(kept.rates);
        increment = kept.increment;
      }
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto X_ip = link_transform<S>(joint, m, i, q);
        const Vec3<S> u = cross(rates.angular.w, X_ip.r);
        auto before = X_ip * rates;
        increment = from_origin_to_origin(X_ip, u + u, increment);
        for (int s = 0; s < stages(joint); ++s) {
          const auto axes = stage(joint, s);
          const auto v_J = joint_motion<S>(axes, m, i, v);
          rates = moved(before, v_J, joint_motion<S>(axes, m, i, a));
          const JointPassage<S> j = {rates_of(before), before.w + rates.angular.w, slide_of<S>(v_J)};
          increment = passed(j, increment, joint_motion<S>(axes, m, i, dq), joint_motion<S>(axes, m, i, dv),
                             joint_motion<S>(axes, m, i, da));
          before = carried(rates);
        }
        const auto body = link_inertia<S>(m, i);
        auto f = body * rates, df = added_force(body, rates.angular.w, increment);
        if (f_ext) f = f - external_force<S>(m, i, f_ext);
        if (df_ext) df = df - external_force<S>(m, i, df_ext);
        if (dpi) {
          const auto X_fi = frame_transform<S>(m, i);
          const auto more = inertia_of_parameters<S>(dpi, Index{10} * (i - 1));
          df = df + transpose_mul(X_fi, more * rates_of(X_fi * rates));
        }
        keep_transform(joint, X_ip, w, links.row(i, &Link<S>::X));
        links.store(i, &Link<S>::f, f);
        links.store(i, &Link<S>::df, df);
      });
      if (branches(m, i)) moving.store(i, {carried(rates), increment});
    }

    // inward: the joint takes its share of both forces, and turns one into the other
    for (int k = 0; k < m.nv; ++k) {
      tau[k] = S(m.armature[k]) * S(a[k]);
      dtau[k] = S(m.armature[k]) * S(da[k]);
    }
    auto f_p = Force<S>::zero(), df_p = Force<S>::zero();
    for (int i = m.n_links - 1; i >= 1; --i) {
      const int p = m.parent[i];
      auto f = links.load(i, &Link<S>::f), df = links.load(i, &Link<S>::df);
      if (m.last_child[i] != 0) {
        f = f + f_p;
        df = df + df_p;
      }
      on_kept_joint_kind<S>(m, i, w, links.row(i, &Link<S>::X), [&](auto joint) TANDEM_INLINE {
        add_joint_force(joint, m, i, f, tau);
        for (int s = stages(joint) - 1; s >= 0; --s) {
          const auto axes = stage(joint, s);
          add_joint_force(axes, m, i, df, dtau);
          df = turned_along(joint_motion<S>(axes, m, i, dq), f, df);
        }
        if (p == 0) return;
        const auto X_ip = recall_transform<S>(joint, m, i, w, links.row(i, &Link<S>::X));
        f_p = transpose_mul(X_ip, f);
        df_p = transpose_mul(X_ip, df);
      });
      if (p != 0 && p != i - 1) {
        links.store(p, &Link<S>::f, links.load(p, &Link<S>::f) + f_p);
        links.store(p, &Link<S>::df, links.load(p, &Link<S>::df) + df_p);
      }
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[InverseDynamicsJvp]
after = "InverseDynamicsDerivatives"
ignores_loops = true

[InverseDynamicsJvp.cpp]
doc = '''
JVP of inverse dynamics in O(n), without matrices, and the joint torques.

    dtau = dtau_dq dq + dtau_dv dv + M da - sum_i J_i^T df_ext,i + Y dpi

In: q, v, a and f_ext as for inverse_dynamics; dq, dv, da [nv] tangents, dq of integrate; df_ext [n_links, 6] N, N m
and dpi [10 n_joints] kg, kg m, kg m^2, tangents of f_ext and inertial_parameters, or none: zeros. Out: tau and dtau
[nv] N m|N. Throws Error for wrong sizes.
'''
options = false

[InverseDynamicsJvp.python]
summary = "JVP of :func:`inverse_dynamics` without matrices."
text = '''
    dtau = dtau_dq dq + dtau_dv dv + M da - sum_i J_i^T df_ext,i + Y dpi

with the matrices of :func:`inverse_dynamics_derivatives`, :func:`jacobian` and :func:`inverse_dynamics_regressor`,
in time and memory O(n). ``dq`` is in the tangent space of :func:`integrate`.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> dq, dv, da = np.arange(7.0), np.ones(arm.nv), np.zeros(arm.nv)
>>> tau, dtau = tandem.inverse_dynamics_jvp(arm, q, v, a, dq, dv, da)
>>> dtau_dq, dtau_dv = tandem.inverse_dynamics_derivatives(arm, q, v, a)
>>> np.allclose(dtau, dtau_dq @ dq + dtau_dv @ dv)
True
'''

[InverseDynamicsJvp.python.notes]
dq = ", as for :func:`integrate`"
df_ext = ", or none: zeros"
dpi = ", or none: zeros"
*/
