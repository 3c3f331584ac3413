// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/passive_forces.hpp"

namespace tandem::inline TANDEM_ISA {

/// What turning at several rates, each by itself, makes of a frame: sums over the rates.
template <class S>
struct SquaredRates {
  Sym3<S> W;  ///< w w^T, along the frame's axes, rad^2/s^2
  Vec3<S> c;  ///< how the origin accelerates, w x p_dot, m/s^2
  TANDEM_HD static SquaredRates zero() { return {Sym3<S>::zero(), Vec3<S>::zero()}; }
  /// (w x)^2 of a vector, summed
  TANDEM_HD Vec3<S> centripetal(const Vec3<S>& r) const { return W * r - (W.xx + W.yy + W.zz) * r; }
};

/// Inverse dynamics, by what the joint forces are for: their sum is what the motors have to supply.
///
///     inertial + coriolis + centrifugal + gravity + external + friction + springs
///         = inverse_dynamics(q, v, a, f_ext) - passive_forces(q, v)
///
///     inertial     M(q) a                            coriolis     products v_j v_k of different rows
///     centrifugal  squares v_k^2                     gravity      gravity compensation and base acceleration
///     external     - sum_i J_i^T f_ext,i             friction, springs   - passive_forces, damping with the friction
///
/// Method    [Pond] (2.35) - (2.39), (2.69): recursive Newton-Euler for each term. Changed: centrifugal forces in one
///           pass over the tree in place of n^2 coefficients. Rows that move one at a time accelerate the link i by
///           what is quadratic in their rates, and of these the sums W = sum w w^T and c are carried outward:
///               W_i = E W E^T + sum w_k w_k^T          c_i = E (c + (W - tr W) r)
///               f_i = m c + (W - tr W) h               n_i = sum w x I w + h x c
///           Rows that several joints follow move all of them, one inverse dynamics each
/// In        q [nq] rad|m   v [nv] rad/s|m/s   a [nv] rad/s^2|m/s^2   f_ext [n_links, 6] N, N m on the links, or none
/// Out       [nv] N m|N each
/// Frames    f_ext at each link's origin along its own axes, linear part first
/// Joints    every type; armature counts in inertial
/// Work      27 rows per link and three per degree of freedom   Cost O(n_links), with joints that are followed
///           O(n_links) each
/// Errors    none; a NaN stays in its own instance
struct InverseDynamicsTerms {
  static constexpr const char* name = "inverse_dynamics_terms";
  static constexpr const char* summary = "terms of inverse dynamics";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::a,
      argument::f_ext,
      {"inertial", Rows::v, Role::output, "N m|N", "M a"},
      {"coriolis", Rows::v, Role::output, "N m|N", "Coriolis torques: products of different velocities"},
      {"centrifugal", Rows::v, Role::output, "N m|N", "centrifugal torques: squares of velocities"},
      {"gravity", Rows::v, Role::output, "N m|N", "gravity torques"},
      {"external", Rows::v, Role::output, "N m|N", "torques that balance f_ext"},
      {"friction", Rows::v, Role::output, "N m|N", "torques that balance friction and damping"},
      {"springs", Rows::v, Role::output, "N m|N", "torques that balance springs"},
  };

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return InverseDynamics::work_rows(m) + 3 * Index{m.nv};
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Fx, class Out, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Fx f_ext, Out inertial, Out coriolis,
                             Out centrifugal, Out gravity, Out external, Out friction, Out springs, Work w) {
    const auto weightless = m.without_gravity();
    const auto none = zeros<Q, S>(w, m.nv);
    const auto work = w + m.nv;
    const Fx no_f_ext{};
    InverseDynamics::body<S>(weightless, q, none, a, no_f_ext, inertial, work);
    InverseDynamics::body<S>(weightless, q, v, none, no_f_ext, coriolis, work);
    InverseDynamics::body<S>(m, q, none, none, no_f_ext, gravity, work);
    if (f_ext)
      InverseDynamics::body<S>(weightless, q, none, none, f_ext, external, work);
    else
      fill(external, m.nv, S(0));
    find_centrifugal<S>(weightless, q, v, centrifugal, w);
    for (int k = 0; k < m.nv; ++k) coriolis[k] = S(coriolis[k]) - S(centrifugal[k]);
    for_each_stretch<S>(m, q, [&](int row, const S& stretched) TANDEM_INLINE {
      const S speed = v[row];
      friction[row] = PassiveForces::loss_coefficient(m, row, speed) * speed;
      springs[row] = any(m.stiffness[row] != M(0)) ? S(m.stiffness[row]) * stretched : S(0);
    });
  }

 private:
  template <class S>
  using Link = InverseDynamics::Link<S>;

  template <class M>
  TANDEM_HD static bool is_followed(const ModelView<M>& m, int i) {
    for (int j = 1; has_mimic_joints(m) && j < m.n_links; ++j)
      if (m.mimics[j] == i) return true;
    return false;
  }

  template <class S, class M, class Q, class Qd, class Out, class Work>
  TANDEM_HD static void find_centrifugal(const ModelView<M>& m, Q q, Qd v, Out tau, Work w) {
    const auto links = records<Link<S>>(w);
    const auto moving = records<SquaredRates<S>>(w + rows_of<Link<S>> * m.n_links);
    auto s = SquaredRates<S>::zero();
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      if (p == 0)
        s = SquaredRates<S>::zero();
      else if (p != i - 1)
        s = moving.load(p);
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto X_ip = joint_transform<S>(joint, m, i, q);
        s = {congruence(transpose(X_ip.E), s.W), X_ip.E * (s.c + s.centripetal(X_ip.r))};
        const bool alone = m.mimics[i] == 0 && !is_followed(m, i);
        for (int k = 0; alone && k < joint.nv; ++k) {
          S rate[most_nv<decltype(joint)>];
          for (int l = 0; l < joint.nv; ++l) rate[l] = l == k ? S(v[m.v_index[i] + k]) : S(0);
          const Motion<S> v_k = Motion<S>::zero() + joint.template motion<S>(&rate[0]);
          s = {s.W + squares(v_k.w), add_cross(s.c, v_k.w, v_k.v)};
        }
        const auto I_i = link_inertia<S>(m, i);
        store(w, links.row(i, &Link<S>::X), X_ip);
        links.store(i, &Link<S>::f,
                    Force<S>{add_cross(turning(s.W, I_i.I), I_i.h, s.c), I_i.m * s.c + s.centripetal(I_i.h)});
      });
      if (branches(m, i)) moving.store(i, s);
    }

    for (int k = 0; k < m.nv; ++k) tau[k] = S(0);
    for (int i = m.n_links - 1; i >= 1; --i) {
      const int p = m.parent[i];
      const auto f_i = links.load(i, &Link<S>::f);
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE { add_joint_force(joint, m, i, f_i, tau); });
      if (p != 0)
        links.store(p, &Link<S>::f,
                    links.load(p, &Link<S>::f) + transpose_mul(load<Transform<S>>(w, links.row(i, &Link<S>::X)), f_i));
    }

    const auto none = zeros<Q, S>(w, m.nv);
    const auto rate = w + m.nv, one = rate + m.nv, work = one + m.nv;
    for (int i = 1; has_mimic_joints(m) && i < m.n_links; ++i) {
      if (!is_followed(m, i)) continue;
      for (int k = 0; k < joint_kind(m.type[i]).nv; ++k) {
        fill(rate, m.nv, S(0));
        rate[m.v_index[i] + k] = S(v[m.v_index[i] + k]);
        InverseDynamics::body<S>(m, q, as_column<Q>(rate), none, Q{}, as_column<Q>(one), work);
        for (int row = 0; row < m.nv; ++row) tau[row] = S(tau[row]) + S(one[row]);
      }
    }
  }

  /// w w^T
  template <class S>
  TANDEM_HD static Sym3<S> squares(const Vec3<S>& w) {
    return {w.x * w.x, w.y * w.y, w.z * w.z, w.x * w.y, w.x * w.z, w.y * w.z};
  }
  /// w x I w, summed: what is antisymmetric of W I
  template <class S>
  TANDEM_HD static Vec3<S> turning(const Sym3<S>& W, const Sym3<S>& I) {
    const Mat3<S> P = full(W) * full(I);
    return {P.row1.z - P.row2.y, P.row2.x - P.row0.z, P.row0.y - P.row1.x};
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[InverseDynamicsTerms]
after = "GravityForces"
compiled_with = "GravityForces"
ignores_loops = true

[InverseDynamicsTerms.python]
summary = "Terms of inverse dynamics."
text = '''
    inertial + coriolis + centrifugal + gravity + external + friction + springs
        = inverse_dynamics(q, v, a, f_ext) - passive_forces(q, v)

Coriolis torques are due to products of different velocities, centrifugal torques due to squares. [Pond] (2.35) -
(2.39), (2.69).
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.zeros(arm.nv)
>>> terms = tandem.inverse_dynamics_terms(arm, q, v, a)
>>> np.allclose(sum(terms), tandem.inverse_dynamics(arm, q, v, a) - tandem.passive_forces(arm, q, v))
True
'''
*/
