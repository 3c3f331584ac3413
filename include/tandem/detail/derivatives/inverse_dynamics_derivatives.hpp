// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/passes/moving_axes.hpp"
#include "tandem/detail/spatial/velocity_moments.hpp"

namespace tandem::inline TANDEM_ISA {

/// Where derivatives by configuration, velocity and acceleration go.
template <class Q, class V, class A>
struct DerivativesBy {
  Q by_q;
  V by_v;
  A by_a;
};

/// Derivatives of inverse dynamics: how the joint forces change with configuration, velocity and acceleration.
///
///     tau(q (+) dq, v + dv, a + da) = tau + dtau_dq dq + dtau_dv dv + dtau_da da + ..., dtau_da = M(q)
///
/// Method    [Singh 2022], [Carpentier 2018], see docs/algorithms/derivatives.md: an increment along an axis moves all
///           that hangs from it as one body, of which the forces change by its composite inertia and what its points'
///           velocities make of a turn; joints nearer to the base feel that, and the joint itself feels what their
///           increments change. Changed: along world axes about own origins that move along with the links, where 12
///           moments of the velocities (velocity_moments.hpp) say what a 6x6 matrix says elsewhere, accelerations are
///           classical and no speed is common to all links; each coordinate meets those nearer to the base directly, in
///           no order
/// In        q [nq] rad|m   v [nv] rad/s|m/s, a [nv] rad/s^2|m/s^2, f_ext [n_links, 6] N, N m on the links, or none:
///           zeros. Without a these are derivatives of bias forces, without v and a of gravity forces
/// Out       dtau_dq, dtau_dv, dtau_da [nv, nv]: a row for each joint force, a column for each coordinate that changes;
///           the last one or none
/// Frames    increments of q are those of `integrate`: of spherical, planar and free joints along the child's axes.
///           f_ext keeps its numbers as the links move
/// Joints    armature counts in dtau_da; damping, friction and springs do not. Joints that follow another move with it
/// Work      52 rows per link + 24 per degree of freedom     Cost O(n_dof depth), and nv^2 zeros
/// Errors    none; a NaN stays in its own instance
struct InverseDynamicsDerivatives {
  static constexpr const char* name = "inverse_dynamics_derivatives";
  static constexpr const char* alias = "rnea_derivatives";
  static constexpr const char* summary = "derivatives of joint torques by configuration, velocity and acceleration";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::optional(argument::v),
      argument::optional(argument::a),
      argument::f_ext,
      {"dtau_dq", Rows::square, Role::output, "N m|N per rad|m", "derivative of the joint torques by configuration"},
      {"dtau_dv", Rows::square, Role::output, "N m|N per rad/s|m/s", "by velocity"},
      {"dtau_da", Rows::square, Role::optional_output, "kg m^2|kg", "by acceleration: the mass matrix"},
  };
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too

  /// A link with all that hangs from it, along world axes about the link's origin: its moments are of twice the
  /// velocities, f is what it takes.
  template <class S>
  struct Composite {
    Inertia<S> I;
    VelocityMoments<S> twice;
    Force<S> f;
  };
  /// Contribution of a coordinate to the derivatives by coordinates nearer to the base: derivatives of the transmitted
  /// force by its increments, about the link's origin, and the moment by which their rotations change its own force.
  template <class S>
  struct Contribution {
    Force<S> by_a, by_v, by_q;
    Vec3<S> turn;
  };
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return MovingAxes::work_rows(m) + rows_of<Composite<double>> * m.n_links;
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Fx, class Out, class OutV, class OutA, class Work>
  TANDEM_PASS static void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Fx f_ext, Out dtau_dq, OutV dtau_dv,
                               OutA dtau_da, Work w) {
    MovingAxes::place_and_move<S>(m, q, v, a, w);
    inward<S>(m, f_ext, DerivativesBy<Out, OutV, OutA>{dtau_dq, dtau_dv, dtau_da}, w, w + MovingAxes::work_rows(m));
  }

  /// After place_and_move: inward, what each link carries, and what its joint and those nearer to the base feel of it.
  template <class S, class M, class Fx, class Out, class Moving, class Work>
  TANDEM_PASS static void inward(const ModelView<M>& m, Fx f_ext, Out out, Moving moving, Work w) {
    const auto links = MovingAxes::links<S>(m, moving);
    const auto axes = MovingAxes::axes<S>(m, moving);
    const auto composites = records<Composite<S>>(w);
    const Index n = m.nv;
    if (has_mimic_joints(m)) {
      if (out.by_q) fill(out.by_q, n * n, S(0));
      fill(out.by_v, n * n, S(0));
      if (out.by_a) fill(out.by_a, n * n, S(0));
    }
    auto from_next = Composite<S>{Inertia<S>::zero(), VelocityMoments<S>::zero(), Force<S>::zero()};
    for (int i = m.n_links - 1; i >= 1; --i) {
      const int p = m.parent[i], end = MovingAxes::end_of_dofs(m, i);
      const auto link = links.load(i);
      auto body = alone(m, i, link, f_ext);
      if (m.last_child[i] != 0) body = body + from_next;
      if (branches(m, i)) body = body + composites.load(i);
      for (int k = first_dof(m, i); k < end; ++k) {
        const auto s = axes.load(k);
        MovingAxes::on_kind(
            m, i, k, [&](auto kind) TANDEM_INLINE { meet(m, i, k, contribution<kind()>(body, s), moving, out); });
      }
      if (p == 0) continue;

      // the parent carries it; its last child, met first, brings the first share
      const auto parent = links.load(p);
      from_next = shift_origin(body, link.X_iw.r - parent.X_iw.r, link.u - parent.u);
      if (p != i - 1) composites.store(p, m.last_child[p] == i ? from_next : composites.load(p) + from_next);
    }
    if (out.by_a)
      for (Index k = 0; k < n; ++k) out.by_a[n * k + k] = S(out.by_a[n * k + k]) + S(m.armature[k]);
  }

  template <class S, class M, class Fx>
  TANDEM_HD static Composite<S> alone(const ModelView<M>& m, int i, const MovingAxes::Link<S>& link, const Fx& f_ext) {
    const auto& E = link.X_iw.E;
    const auto I = congruence(E, link_inertia<S>(m, i));
    auto f = I * rates_of(link.rates);
    if (f_ext) {
      const auto f_i = external_force<S>(m, i, f_ext);
      f = f - Force<S>{transpose_mul(E, f_i.n), transpose_mul(E, f_i.f)};
    }
    return {I, velocity_moments(I, link.rates.w + link.rates.w), f};
  }
  /// About the origin from the point at r, which moves faster by u.
  template <class S>
  TANDEM_HD static Composite<S> shift_origin(const Composite<S>& c, const Vec3<S>& r, const Vec3<S>& u) {
    const auto I = shift(c.I, r);
    return {I, shift(c.twice, I, r, u + u), tandem::shift_origin(c.f, r)};
  }
  template <class S>
  TANDEM_HD friend Composite<S> operator+(const Composite<S>& a, const Composite<S>& b) {
    return {a.I + b.I, a.twice + b.twice, a.f + b.f};
  }

  // Products with motions of which only some numbers differ from zero.
  template <AxisKind kind, class S>
  TANDEM_HD static Force<S> times(const Inertia<S>& I, const Motion<S>& s) {
    if constexpr (kind == AxisKind::turns) return {I.I * s.w, cross(s.w, I.h)};
    if constexpr (kind == AxisKind::slides) return {cross(I.h, s.v), I.m * s.v};
    if constexpr (kind == AxisKind::both) return I * s;
  }

  template <AxisKind kind, class S>
  TANDEM_HD static Contribution<S> contribution(const Composite<S>& c, const AxisMotion<S>& s) {
    if constexpr (kind == AxisKind::slides) {
      auto by_q = times<kind>(c.I, s.accelerated);
      by_q.n = add_cross(by_q.n, s.axis.v, c.f.f);
      return {times<kind>(c.I, s.axis), times<kind>(c.I, s.turned), by_q, cross(c.twice.P, s.axis.v)};
    } else {
      const auto moved =
          kind == AxisKind::both ? cross(s.axis, c.f) : Force<S>{cross(s.axis.w, c.f.n), cross(s.axis.w, c.f.f)};
      return {times<kind>(c.I, s.axis), times<kind>(c.I, s.turned) + c.twice.of_turn(s.axis.w),
              c.I * s.accelerated + c.twice.of_turn(s.carried.w) + moved,
              kind == AxisKind::both ? c.twice.along(s.axis) : c.twice.along(s.axis.w)};
    }
  }

 private:
  /// The rows and the columns of coordinate k of joint i and of those that it hangs from.
  template <class S, class M, class Moving, class Out>
  TANDEM_PASS static void meet(const ModelView<M>& m, int i, int k, const Contribution<S>& c, Moving moving,
                               const Out& out) {
    const auto links = MovingAxes::links<S>(m, moving);
    const auto axes = MovingAxes::axes<S>(m, moving);
    // its own joint, of which all coordinates move each other's axes
    const bool alone = MovingAxes::in_series(m, i);
    const int begin = alone ? k : first_dof(m, i), end = alone ? k + 1 : MovingAxes::end_of_dofs(m, i);
    for (int j = begin; j < end; ++j) {
      const auto s = axes.load(j);
      MovingAxes::on_kind(m, i, j, [&](auto kind) TANDEM_INLINE {
        put(m, i, k, i, j, row_of<kind()>(c, s), along<kind()>(s.axis, c.by_a), out);
      });
    }
    // those nearer to the base, which the link's axes do not move
    auto there = c;
    for (int j = begin, link = i;;) {
      const int next = m.dof_parent[j];
      if (!has_mimic_joints(m)) put_zeros<S>(m, k, next + 1, j, out);
      if (next < 0) break;
      j = next;
      if (link_of_dof(m, j) != link) {
        link = link_of_dof(m, j);
        const auto from = links.load(i), to = links.load(link);
        there = shift_origin(c, from.X_iw.r - to.X_iw.r, from.u - to.u);
      }
      const auto s = axes.load(j);
      MovingAxes::on_kind(m, link, j, [&](auto kind) TANDEM_INLINE {
        const S mass = along<kind()>(s.axis, there.by_a);
        put(m, i, k, link, j, row_of<kind()>(there, s), mass, out);
        put(m, link, j, i, k, {along<kind()>(s.axis, there.by_q), along<kind()>(s.axis, there.by_v)}, mass, out);
      });
    }
  }
  /// The same.
  template <class S>
  TANDEM_HD static Contribution<S> shift_origin(const Contribution<S>& c, const Vec3<S>& r, const Vec3<S>& u) {
    const auto shifted = [&](const Force<S>& f) TANDEM_INLINE { return tandem::shift_origin(f, r); };
    return {shifted(c.by_a), shifted(c.by_v), shifted(c.by_q), add_cross(c.turn, u + u, c.by_a.f)};
  }

  /// How a joint force changes with configuration and velocity.
  template <class S>
  struct Change {
    S by_q, by_v;
  };
  /// That of a coordinate with contribution c, as the axis s nearer to the base moves.
  template <AxisKind kind, class S>
  TANDEM_HD static Change<S> row_of(const Contribution<S>& c, const AxisMotion<S>& s) {
    if constexpr (kind == AxisKind::slides)
      return {dot(s.accelerated.v, c.by_a.f), dot(s.turned.v, c.by_a.f)};
    else
      return {dot_add(s.carried.w, c.turn, dot(s.accelerated, c.by_a)),
              dot_add(s.axis.w, c.turn, along<kind>(s.turned, c.by_a))};
  }

  /// The numbers of degrees of freedom k of joint i and j of joint l. Where joints share rows they are added up,
  /// geared.
  template <class S, class M, class Out>
  TANDEM_HD static void put(const ModelView<M>& m, int i, int k, int l, int j, const Change<S>& change, const S& mass,
                            const Out& out) {
    if (has_mimic_joints(m)) {
      const Index place = Index{m.nv} * (m.v_index[i] + k - m.dof_index[i]) + m.v_index[l] + j - m.dof_index[l];
      const S geared = S(m.multiplier[i]) * S(m.multiplier[l]);
      if (out.by_q) out.by_q[place] = mul_add(geared, change.by_q, S(out.by_q[place]));
      out.by_v[place] = mul_add(geared, change.by_v, S(out.by_v[place]));
      if (out.by_a) out.by_a[place] = mul_add(geared, mass, S(out.by_a[place]));
    } else {
      const Index place = Index{m.nv} * k + j;
      if (out.by_q) out.by_q[place] = change.by_q;
      out.by_v[place] = change.by_v;
      if (out.by_a) out.by_a[place] = mass;
    }
  }
  /// Row and column k from `begin` to `end` - 1: degrees of freedom of other branches.
  template <class S, class M, class Out>
  TANDEM_HD static void put_zeros(const ModelView<M>& m, int k, int begin, int end, const Out& out) {
    for (int j = begin; j < end; ++j) {
      const Index row = Index{m.nv} * k + j, column = Index{m.nv} * j + k;
      if (out.by_q) out.by_q[row] = out.by_q[column] = S(0);
      out.by_v[row] = out.by_v[column] = S(0);
      if (out.by_a) out.by_a[row] = out.by_a[column] = S(0);
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[InverseDynamicsDerivatives]
after = "InverseDynamicsRegressor"
ignores_loops = true

[InverseDynamicsDerivatives.cpp]
order = "q v a dtau_dq dtau_dv work f_ext dtau_da"

[InverseDynamicsDerivatives.python]
summary = "Derivatives of :func:`inverse_dynamics` by configuration, velocity and acceleration."
text = '''
    tau(q (+) dq, v + dv, a + da) = tau + dtau_dq dq + dtau_dv dv + dtau_da da + ...

After [Singh 2022], [Carpentier 2018]. ``dq`` is in the tangent space of :func:`integrate`, as in Pinocchio: it has
``nv`` elements, for spherical, planar and free joints along the axes of the child. Without ``a`` these are the
derivatives of :func:`bias_forces`, without ``v`` and ``a`` those of :func:`gravity_forces`. Damping, friction and
springs are not included. Mimic joints follow their sources.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> dtau_dq, dtau_dv = tandem.inverse_dynamics_derivatives(arm, q, v, a)
>>> dtau_dq.shape
(7, 7)
>>> dq = 1e-6 * np.arange(arm.nv)
>>> ahead = tandem.inverse_dynamics(arm, tandem.integrate(arm, q, dq), v, a)
>>> back = tandem.inverse_dynamics(arm, tandem.integrate(arm, q, -dq), v, a)
>>> np.allclose((ahead - back) / 2, dtau_dq @ dq)
True
'''

[InverseDynamicsDerivatives.python.notes]
v = ", or none: zeros"
a = ", or none: zeros"
f_ext = ", constant in the frames of the links"
dtau_dv = ""
dtau_da = ", armature included"

[InverseDynamicsDerivatives.python.flags]
dtau_da = ["mass_matrix", "whether to return dtau_da, the mass matrix, as well"]
*/
