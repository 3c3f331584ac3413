// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/inverse_dynamics_derivatives.hpp"

namespace tandem::inline TANDEM_ISA {

/// How the momentum of all moving links and its rate change with the joints, about their centre of mass.
struct MomentumDerivatives {
  template <class S>
  using Composite = InverseDynamicsDerivatives::Composite<S>;

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return InverseDynamicsDerivatives::work_rows(m);
  }

  /// Of all moving links together: mass, centre, its velocity, and the rate of the momentum about it.
  template <class S>
  struct Whole {
    S mass;
    Vec3<S> centre, velocity;
    Force<S> rate;
  };
  /// What a coordinate changes: the momentum and its rate by its increment, the latter by its rate, and by its
  /// acceleration, which is the momentum by its rate.
  template <class S>
  struct Change {
    Force<S> momentum_by_q, by_q, by_v, by_a;
  };

  /// Calls f(row in v, Change) for every degree of freedom. Each moves all that hangs from it, of which the forces are
  /// those of inverse dynamics without weight.
  template <class S, class M, class Q, class Qd, class Qdd, class Work, class F>
  TANDEM_HD static Whole<S> find(const ModelView<M>& m, Q q, Qd v, Qdd a, Work w, F&& f) {
    MovingAxes::place_and_move_in_world<S>(m, q, v, a, w);
    const auto links = MovingAxes::links<S>(m, w);
    const auto axes = MovingAxes::axes<S>(m, w);
    const auto composites = records<Composite<S>>(w + MovingAxes::work_rows(m));
    const auto whole = gather<S>(m, w, w + MovingAxes::work_rows(m));
    const S per_mass = per(whole.mass);
    for (int i = 1; i < m.n_links; ++i) {
      const auto link = links.load(i);
      const auto body = composites.load(i);
      const auto own = S(0.5) * body.twice.momentum();
      const Vec3<S> r = link.X_iw.r - whole.centre, u = link.u - whole.velocity;
      const auto shifted = [&](const Force<S>& g) TANDEM_INLINE { return tandem::shift_origin(g, r); };
      for (int k = first_dof(m, i); k < MovingAxes::end_of_dofs(m, i); ++k) {
        const auto s = axes.load(k);
        MovingAxes::on_kind(m, i, k, [&](auto kind) TANDEM_INLINE {
          const auto c = InverseDynamicsDerivatives::contribution<kind()>(body, s);
          auto momentum = InverseDynamicsDerivatives::times<kind()>(body.I, s.carried) + cross(s.axis, own);
          momentum.n = add_cross(momentum.n, c.by_a.f, u);
          auto by_q = shifted(c.by_q);
          by_q.n = add_cross(by_q.n, whole.rate.f, per_mass * c.by_a.f);  // about a centre that moves, too
          const S gear = S(m.multiplier[i]);
          f(m.v_index[i] + k - m.dof_index[i],
            Change<S>{gear * shifted(momentum), gear * by_q, gear * shifted(c.by_v), gear * shifted(c.by_a)});
        });
      }
    }
    return whole;
  }

  /// To column `row` of a matrix of 3 rows.
  template <class S, class Out>
  TANDEM_HD static void add_column(const Out& to, Index n, Index row, const Vec3<S>& c) {
    to[row] = S(to[row]) + c.x;
    to[n + row] = S(to[n + row]) + c.y;
    to[2 * n + row] = S(to[2 * n + row]) + c.z;
  }

 private:
  /// Inward: what hangs from every link.
  template <class S, class M, class Work>
  TANDEM_PASS static Whole<S> gather(const ModelView<M>& m, Work moving, Work w) {
    const auto links = MovingAxes::links<S>(m, moving);
    const auto composites = records<Composite<S>>(w);
    for (int i = m.n_links - 1; i >= 0; --i) {
      auto body = i == 0 ? Composite<S>{Inertia<S>::zero(), VelocityMoments<S>::zero(), Force<S>::zero()}
                         : InverseDynamicsDerivatives::alone(m, i, links.load(i), static_cast<const S*>(nullptr));
      if (m.last_child[i] != 0) body = body + composites.load(i);
      if (i == 0) return about_centre(body);
      composites.store(i, body);
      const int p = m.parent[i];
      const auto link = links.load(i);
      const auto from = p == 0 ? InverseDynamicsDerivatives::shift_origin(body, link.X_iw.r, link.u)
                               : shift_origin(body, link, links.load(p));
      composites.store(p, m.last_child[p] == i ? from : composites.load(p) + from);
    }
    return {};
  }
  template <class S>
  TANDEM_HD static Composite<S> shift_origin(const Composite<S>& c, const MovingAxes::Link<S>& link,
                                             const MovingAxes::Link<S>& parent) {
    return InverseDynamicsDerivatives::shift_origin(c, link.X_iw.r - parent.X_iw.r, link.u - parent.u);
  }
  /// What has no mass has no momentum, about whatever point.
  template <class S>
  TANDEM_HD static S per(const S& mass) {
    const auto some = S(0) < mass;
    return select(some, S(1) / select(some, mass, S(1)), S(0));
  }
  /// Of the composite body about the world's origin.
  template <class S>
  TANDEM_HD static Whole<S> about_centre(const Composite<S>& all) {
    const S per_mass = per(all.I.m);
    const Vec3<S> c = per_mass * all.I.h;
    return {all.I.m, c, (S(0.5) * per_mass) * all.twice.P, {add_cross(all.f.n, all.f.f, c), all.f.f}};
  }
};

/// Derivatives of the centroidal momentum h = A(q) v and of its rate: linear and angular, about the centre of mass,
/// world axes.
///
///     h(q (+) dq, v + dv) = h + dh_dq dq + A dv + ...
///     hdot(q (+) dq, v + dv, a + da) = hdot + dhdot_dq dq + dhdot_dv dv + A da + ...
///
/// Method    what a coordinate changes of the forces on all that hangs from it, as inverse_dynamics_derivatives has it,
///           seen from the centre of mass; the momentum by the same twelve moments of the velocities:
///           docs/algorithms/derivatives.md
/// In        q [nq] rad|m   v [nv] rad/s|m/s, a [nv] rad/s^2|m/s^2, or none: zeros
/// Out       dh_dq, dhdot_dq, dhdot_dv [6, nv], A [6, nv] or none; hdot [6] N, N m or none; linear first. Without mass
///           about the world's origin
/// Frames    increments of q are those of `integrate`; the base is at rest, and gravity is no part of it
/// Work      52 rows per link + 24 per degree of freedom     Cost O(n_links)
struct CentroidalMomentumDerivatives : WorkOf<MomentumDerivatives> {
  static constexpr const char* name = "centroidal_momentum_derivatives";
  static constexpr const char* summary = "derivatives of the centroidal momentum and its rate";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::optional(argument::v),
      argument::optional(argument::a),
      {"dh_dq", Rows::jacobian, Role::output, "kg m/s, kg m^2/s per rad|m",
       "derivative of the momentum by configuration"},
      {"dhdot_dq", Rows::jacobian, Role::output, "N, N m per rad|m", "its rate by configuration"},
      {"dhdot_dv", Rows::jacobian, Role::output, "N, N m per rad/s|m/s", "by velocity"},
      {"A", Rows::jacobian, Role::optional_output, "kg m|kg, kg m^2|kg m", "centroidal momentum matrix"},
      {"hdot", Rows::motion, Role::optional_output, "N, N m", "rate of the momentum"},
  };

  template <class S, class M, class Q, class Qd, class Qdd, class Out, class A_, class H, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Out dh_dq, Out dhdot_dq, Out dhdot_dv, A_ A,
                             H hdot, Work w) {
    const Index n = m.nv;
    fill(dh_dq, 6 * n, S(0));
    fill(dhdot_dq, 6 * n, S(0));
    fill(dhdot_dv, 6 * n, S(0));
    if (A) fill(A, 6 * n, S(0));
    const auto add = [&](auto to, int row, const Force<S>& c) TANDEM_INLINE {
      MomentumDerivatives::add_column(to, n, row, c.f);
      MomentumDerivatives::add_column(to + 3 * n, n, row, c.n);
    };
    const auto whole = MomentumDerivatives::find<S>(
        m, q, v, a, w, [&](int row, const MomentumDerivatives::Change<S>& change) TANDEM_INLINE {
          add(dh_dq, row, change.momentum_by_q);
          add(dhdot_dq, row, change.by_q);
          add(dhdot_dv, row, change.by_v);
          if (A) add(A, row, change.by_a);
        });
    if (hdot) store_linear_first(hdot, 0, whole.rate);
  }
};

/// Derivatives of the velocity and the acceleration of the centre of mass, which themselves are J v and J a + dJ/dt v.
///
///     velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
///     acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...
///
/// Method    those of the linear momentum and of its rate, over the mass
/// In        q [nq] rad|m   v [nv] rad/s|m/s, a [nv] rad/s^2|m/s^2, or none: zeros
/// Out       dvelocity_dq, dacceleration_dq, dacceleration_dv [3, nv], J [3, nv] or none, acceleration [3] m/s^2 or
///           none; world axes. NaN without mass
/// Frames    increments of q are those of `integrate`; the base is at rest, and gravity is no part of it
/// Work      52 rows per link + 24 per degree of freedom     Cost O(n_links)
struct CentreOfMassDerivatives : WorkOf<MomentumDerivatives> {
  static constexpr const char* name = "centre_of_mass_derivatives";
  static constexpr const char* alias = "center_of_mass_derivatives";
  static constexpr const char* summary = "derivatives of the velocity and acceleration of the centre of mass";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::optional(argument::v),
      argument::optional(argument::a),
      {"dvelocity_dq", Rows::point_jacobian, Role::output, "m/s per rad|m",
       "derivative of its velocity by configuration"},
      {"dacceleration_dq", Rows::point_jacobian, Role::output, "m/s^2 per rad|m", "its acceleration by configuration"},
      {"dacceleration_dv", Rows::point_jacobian, Role::output, "m/s^2 per rad/s|m/s", "by velocity"},
      {"J", Rows::point_jacobian, Role::optional_output, "m/rad|1",
       "its Jacobian: velocity by velocity, acceleration by acceleration"},
      {"acceleration", Rows::point, Role::optional_output, "m/s^2", "acceleration of the centre of mass"},
  };

  template <class S, class M, class Q, class Qd, class Qdd, class Out, class J_, class A_, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Out dvelocity_dq, Out dacceleration_dq,
                             Out dacceleration_dv, J_ J, A_ acceleration, Work w) {
    const Index n = m.nv;
    fill(dvelocity_dq, 3 * n, S(0));
    fill(dacceleration_dq, 3 * n, S(0));
    fill(dacceleration_dv, 3 * n, S(0));
    if (J) fill(J, 3 * n, S(0));
    const auto whole = MomentumDerivatives::find<S>(
        m, q, v, a, w, [&](int row, const MomentumDerivatives::Change<S>& change) TANDEM_INLINE {
          MomentumDerivatives::add_column(dvelocity_dq, n, row, change.momentum_by_q.f);
          MomentumDerivatives::add_column(dacceleration_dq, n, row, change.by_q.f);
          MomentumDerivatives::add_column(dacceleration_dv, n, row, change.by_v.f);
          if (J) MomentumDerivatives::add_column(J, n, row, change.by_a.f);
        });
    const S per_mass = S(1) / whole.mass;
    for (Index k = 0; k < 3 * n; ++k) {
      dvelocity_dq[k] = per_mass * S(dvelocity_dq[k]);
      dacceleration_dq[k] = per_mass * S(dacceleration_dq[k]);
      dacceleration_dv[k] = per_mass * S(dacceleration_dv[k]);
      if (J) J[k] = per_mass * S(J[k]);
    }
    if (acceleration) store(acceleration, 0, per_mass * whole.rate.f);
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[CentroidalMomentumDerivatives]
after = "CentroidalMomentum"
compiled_with = "PassiveForcesDerivatives"
ignores_loops = true

[CentroidalMomentumDerivatives.cpp]
order = "q v a dh_dq dhdot_dq dhdot_dv work A hdot"

[CentroidalMomentumDerivatives.python]
summary = "Derivatives of the centroidal momentum and its rate by configuration, velocity and acceleration."
text = '''
    h(q (+) dq, v + dv) = h + dh_dq dq + A dv + ...
    hdot(q (+) dq, v + dv, a + da) = hdot + dhdot_dq dq + dhdot_dv dv + A da + ...

World axes, about the moving center of mass; without moving mass about the world's origin. The rate does not include
gravity. dq is in the tangent space of :func:`integrate`.
'''
example = '''
>>> dog = tandem.load("quadruped", floating=True)
>>> q, v, a = tandem.random_configuration(dog, seed=1), np.ones(dog.nv), np.ones(dog.nv)
>>> found = tandem.centroidal_momentum_derivatives(dog, q, v, a, matrix=True, rate=True)
>>> np.allclose(found.A @ v, tandem.centroidal_momentum(dog, q, v))
True
'''

[CentroidalMomentumDerivatives.python.flags]
A = ["matrix", "whether to return the centroidal momentum matrix A as well"]
hdot = ["rate", "whether to return the rate of the momentum as well"]

[CentreOfMassDerivatives]
after = "CentreOfMass"
compiled_with = "CentroidalMomentumDerivatives"
cuda_with = "CentroidalMomentumDerivatives"
ignores_loops = true

[CentreOfMassDerivatives.cpp]
order = "q v a dvelocity_dq dacceleration_dq dacceleration_dv work J acceleration"

[CentreOfMassDerivatives.python]
summary = "Derivatives of velocity and acceleration of the center of mass by configuration, velocity and acceleration."
text = '''
    velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
    acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...

NaN without moving mass. World axes; the acceleration does not include gravity. The center of mass moves by J dq,
with dq in the tangent space of :func:`integrate`.
'''

[CentreOfMassDerivatives.python.flags]
J = ["jacobian", "whether to return the Jacobian as well"]
acceleration = ["acceleration", "whether to return the acceleration as well"]
*/
