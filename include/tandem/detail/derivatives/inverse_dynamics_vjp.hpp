// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/derivatives/derived_arguments.hpp"
#include "tandem/detail/passes/increments.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/inverse_dynamics_regressor.hpp"

namespace tandem::inline TANDEM_ISA {

/// Where the products go. Pointers may be null.
template <class Tau, class Q, class V, class A, class Fx, class Pi>
struct InverseDynamicsProducts {
  Tau tau;
  Q q_bar;
  V v_bar;
  A a_bar;
  Fx f_ext_bar;
  Pi pi_bar;
};

/// Derivatives of a weighted sum of joint forces by all that inverse dynamics depends on, without forming a matrix.
///
///     q_bar = dtau_dq^T tau_bar   v_bar = dtau_dv^T tau_bar
///     a_bar = M tau_bar   f_ext_bar = -J tau_bar   pi_bar = Y^T tau_bar
///
/// Method    tau_bar . tau is the power of the links' forces on the motion that tau_bar gives them as rates: outward
///           how links move and would move, inward three sums over what hangs from each joint (increments.hpp), see
///           docs/algorithms/products.md; and tau at once
/// In, Out   vjp_arguments: those of inverse_dynamics and their cotangents, not computed if omitted
/// Frames    q_bar is in the cotangent space of `integrate`: of spherical, planar and free joints along the child's
///           axes. f_ext keeps its numbers as the links move
/// Joints    armature counts; damping, friction and springs do not. Joints that follow another move with it
/// Work      45 rows per link     Cost O(n_links)
/// Errors    none; a NaN stays in its own instance
struct InverseDynamicsVjp {
  static constexpr const char* name = "inverse_dynamics_vjp";
  static constexpr const char* summary = "VJP of inverse dynamics";
  static constexpr auto& arguments = vjp_arguments<InverseDynamics, true>;
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too

  static constexpr Method methods[] = {Method::automatic, Method::recursive_newton_euler};

  /// What a link keeps from the outward pass to the inward one: how the link before its joint moves, along its own
  /// axes, and would move with tau_bar.
  template <class S>
  struct Link {
    Transform<S> X;  ///< X_ip as keep_transform leaves it
    CarriedRates<S> before;
    Motion<S> y;
    Vec3<S> u;  ///< twice the velocity between the origins, along the parent's axes
  };
  /// Links that branch, in memory that others do not touch: how they move,
  template <class S>
  struct Moving {
    CarriedRates<S> rates;
    Motion<S> y;
  };
  /// then what hangs from them, about their origins: the force that it takes, and that by increments.
  template <class S>
  struct Carries {
    Force<S> f;
    ByIncrement<S> by;
    TANDEM_HD friend Carries operator+(const Carries& a, const Carries& b) { return {a.f + b.f, a.by + b.by}; }
  };
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    static_assert(rows_of<Moving<double>> == rows_of<Carries<double>>);
    return (rows_of<Link<double>> + rows_of<Moving<double>>)*m.n_links;
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Weight, class Fx, class Tau, class Qb, class Vb,
            class Ab, class Fb, class Pb, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Weight tau_bar, Fx f_ext, Tau tau, Qb q_bar,
                             Vb v_bar, Ab a_bar, Fb f_ext_bar, Pb pi_bar, Work w) {
    multiply<S>(m, q, v, a, tau_bar, f_ext,
                InverseDynamicsProducts<Tau, Qb, Vb, Ab, Fb, Pb>{tau, q_bar, v_bar, a_bar, f_ext_bar, pi_bar}, w);
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Weight, class Fx, class Out, class Work>
  TANDEM_PASS static void multiply(const ModelView<M>& m, Q q, Qd v, Qdd a, Weight tau_bar, Fx f_ext, Out out, Work w) {
    const auto base = base_rates<S>(m);
    auto rates = base;
    auto y = Motion<S>::zero();
    const auto links = records<Link<S>>(w);
    const auto moving = records<Moving<S>>(w + rows_of<Link<S>> * m.n_links);

    // outward: how each link moves, and would move with tau_bar as rates
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      if (p == 0) {
        rates = base;
        y = Motion<S>::zero();
      } else if (p != i - 1) {
        const auto kept = moving.load(p);
        rates = rates_of(kept.rates);
        y = kept.y;
      }
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto X_ip = link_transform<S>(joint, m, i, q);
        const Vec3<S> u = cross(rates.angular.w, X_ip.r);
        const auto before = X_ip * rates;
        y = X_ip * y;
        keep_transform(joint, X_ip, w, links.row(i, &Link<S>::X));
        links.store(i, &Link<S>::before, before);
        links.store(i, &Link<S>::y, y);
        links.store(i, &Link<S>::u, u + u);
        rates = moved(before, joint_motion<S>(joint, m, i, v), joint_motion<S>(joint, m, i, a));
        y = y + joint_motion<S>(joint, m, i, tau_bar);
      });
      if (branches(m, i)) moving.store(i, {carried(rates), y});
    }

    // inward: what hangs from each joint, and what its increments do to that
    if (out.f_ext_bar) store_linear_first(out.f_ext_bar, 0, Motion<S>::zero());
    for (int k = 0; k < m.nv; ++k) {
      if (out.tau) out.tau[k] = S(m.armature[k]) * S(a[k]);
      if (out.a_bar) out.a_bar[k] = S(m.armature[k]) * S(tau_bar[k]);
      out.q_bar[k] = out.v_bar[k] = S(0);
    }
    const auto carries = records<Carries<S>>(w + rows_of<Link<S>> * m.n_links);
    auto from_next = Carries<S>{Force<S>::zero(), ByIncrement<S>::zero()};
    for (int i = m.n_links - 1; i >= 1; --i) {
      const int p = m.parent[i];
      on_kept_joint_kind<S>(m, i, w, links.row(i, &Link<S>::X), [&](auto joint) TANDEM_INLINE {
        auto before = links.load(i, &Link<S>::before);
        auto y_before = links.load(i, &Link<S>::y);
        const auto v_J = joint_motion<S>(joint, m, i, v);
        const auto link = moved(before, v_J, joint_motion<S>(joint, m, i, a));
        auto all = alone<S>(m, i, link, y_before + joint_motion<S>(joint, m, i, tau_bar), f_ext, out);
        if (m.last_child[i] != 0) all = all + from_next;
        if (branches(m, i)) all = all + carries.load(i);
        const auto slide = slide_of<S>(v_J);
        if (slides(v_J)) all.by = before_slide(slide, all.by);
        for (int s = 0; s < stages(joint); ++s) {
          const auto axes = stage(joint, s);
          const bool last = s + 1 == stages(joint);
          const auto v_s = stages(joint) == 1 ? v_J : joint_motion<S>(axes, m, i, v);
          const auto behind = last ? link : moved(before, v_s, joint_motion<S>(axes, m, i, a));
          const JointState<S> j = {rates_of(before), before.w + behind.angular.w,
                                   stages(joint) == 1 ? slide : slide_of<S>(v_s)};
          add(axes, m, i, j, y_before, all, out);
          if (last) break;
          before = carried(behind);
          y_before = y_before + joint_motion<S>(axes, m, i, tau_bar);
        }
        if (p == 0) return;
        const auto X_ip = recall_transform<S>(joint, m, i, w, links.row(i, &Link<S>::X));
        from_next = {transpose_mul(X_ip, all.f), back_to_origin(X_ip, links.load(i, &Link<S>::u), all.by)};
      });
      if (p != 0 && p != i - 1) carries.store(p, m.last_child[p] == i ? from_next : carries.load(p) + from_next);
    }
  }

 private:
  /// Of link i, which moves and would move with y; and what is its alone.
  template <class S, class M, class Fx, class Out>
  TANDEM_HD static Carries<S> alone(const ModelView<M>& m, int i, const Rates<S>& rates, const Motion<S>& y, Fx f_ext,
                                    const Out& out) {
    const auto body = link_inertia<S>(m, i);
    auto f = body * rates;
    if (f_ext) f = f - external_force<S>(m, i, f_ext);
    if (out.f_ext_bar) store_linear_first(out.f_ext_bar, Index{6} * i, S(-1) * (frame_transform<S>(m, i) * y));
    if (out.pi_bar) {
      const auto X_fi = frame_transform<S>(m, i);
      store(out.pi_bar, Index{10} * (i - 1), power_of_inertia(rates_of(X_fi * rates), X_fi * y));
    }
    return {f, by_increment(body, rates.angular.w, y)};
  }

  template <class S, class Joint, class M, class Out>
  TANDEM_HD static void add(Joint joint, const ModelView<M>& m, int i, const JointState<S>& j, const Motion<S>& y,
                            const Carries<S>& all, const Out& out) {
    const auto by = by_joint(j, all.by, y, all.f);
    if (out.tau) add_joint_force(joint, m, i, all.f, out.tau);
    add_joint_force(joint, m, i, by.q, out.q_bar);
    add_joint_force(joint, m, i, by.v, out.v_bar);
    if (out.a_bar) add_joint_force(joint, m, i, all.by.momentum, out.a_bar);
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[InverseDynamicsVjp]
after = "InverseDynamicsJvp"
compiled_with = "InverseDynamicsJvp"
ignores_loops = true

[InverseDynamicsVjp.cpp]
options = false

[InverseDynamicsVjp.python]
summary = "VJP of :func:`inverse_dynamics` without matrices."
text = '''
    q_bar = dtau_dq^T tau_bar, v_bar = dtau_dv^T tau_bar, a_bar = M tau_bar
    f_ext_bar = -J tau_bar, pi_bar = Y^T tau_bar

are the gradient of tau_bar . tau, in time and memory O(n). ``q_bar`` is in the cotangent space of
:func:`integrate`.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> tau, q_bar, v_bar, a_bar = tandem.inverse_dynamics_vjp(arm, q, v, a, np.arange(7.0))
>>> dtau_dq, dtau_dv = tandem.inverse_dynamics_derivatives(arm, q, v, a)
>>> np.allclose(q_bar, dtau_dq.T @ np.arange(7.0))
True
'''

[InverseDynamicsVjp.python.notes]
pi_bar = ", of :attr:`Model.inertial_parameters`"

[InverseDynamicsVjp.python.flags]
f_ext_bar = ["by_forces", "whether to return f_ext_bar as well"]
pi_bar = ["by_parameters", "whether to return pi_bar as well"]
*/
