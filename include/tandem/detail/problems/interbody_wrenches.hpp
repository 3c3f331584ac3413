// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/inverse_dynamics.hpp"

namespace tandem::inline TANDEM_ISA {

/// Interbody wrenches: the wrench that every joint transmits, including constraint and joint torque, if the robot in
/// state (q, v) accelerates by a.
///
///     f_i = I_i a_i + v_i x* I_i v_i - f_ext,i + sum over the children j of X_ji^T f_j
///
/// Method    recursive Newton-Euler, [RBDA] table 5.1: inverse dynamics leaves in its work what each link and its later
///           children take, from which the inward pass is gone through once more
/// In        q [nq] rad|m   v [nv] rad/s|m/s   a [nv] rad/s^2|m/s^2   f_ext [n_links, 6] N, N m on the links, or none
/// Out       f [n_links, 6] N, N m: row i the wrench from the parent of link i on link i; row 0 the wrench from the
///           world onto the base that holds it in its place against its children and f_ext. The base's own weight is no
///           part of it, as the base's mass is none of the robot's moving mass
/// Frames    f and f_ext at each link's origin along its own axes, linear part first
/// Joints    S_i^T f_i = tau_i - armature_i a_i; a mimic joint's wrench has in it what holds it to the one it follows
/// Work      30 rows per link + nv     Cost O(n_links)
/// Errors    none; a NaN stays in its own instance
struct InterbodyWrenches {
  static constexpr const char* name = "interbody_wrenches";
  static constexpr const char* summary = "wrenches that joints transmit between links";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::a,
      argument::f_ext,
      {"f", Rows::link_force, Role::output, "N, N m", "wrench on every link from its parent"},
  };

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return InverseDynamics::work_rows(m) + m.nv;
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Fx, class F, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Fx f_ext, F f, Work w) {
    wrenches<S, false>(m, q, v, a, f_ext, f, w);
  }
  /// With `held`, of every joint's wrench only what is not along its axes.
  template <class S, bool held, class M, class Q, class Qd, class Qdd, class Fx, class F, class Work>
  TANDEM_HD static void wrenches(const ModelView<M>& m, Q q, Qd v, Qdd a, Fx f_ext, F f, Work w) {
    using Id = InverseDynamics;
    using Link = Id::Link<S>;
    Id::body<S>(m, q, v, a, f_ext, as_column<F>(w + Id::work_rows(m)), w);
    const auto links = records<Link>(w);

    // inward: what a link takes with all that hangs from it. Later children are in f already, the first one comes next
    auto f_p = Force<S>::zero(), f_0 = Force<S>::zero();
    for (int i = m.n_links - 1; i >= 1; --i) {
      auto f_i = links.load(i, &Link::f);
      if (m.last_child[i] != 0) f_i = f_i + f_p;
      on_kept_joint_kind<S>(m, i, w, links.row(i, &Link::X), [&](auto joint) TANDEM_INLINE {
        report(m, i, held ? held_by(joint, f_i) : f_i, f);
        f_p = transpose_mul(recall_transform<S>(joint, m, i, w, links.row(i, &Link::X)), f_i);
      });
      if (m.parent[i] == 0) f_0 = f_0 + f_p;
    }
    if (f_ext) f_0 = f_0 - external_force<S>(m, 0, f_ext);
    report(m, 0, f_0, f);
  }

  /// A wrench in the model's link coordinates to the users' rows: the way back of external_force.
  template <class S, class M, class F>
  TANDEM_HD static void report(const ModelView<M>& m, int i, const Force<S>& f_i, F f) {
    store_linear_first(f, Index{6} * i, transpose_mul(inverse(frame_transform<S>(m, i)), f_i));
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[InterbodyWrenches]
after = "InverseDynamicsTerms"
compiled_with = "InverseDynamicsTerms"
ignores_loops = true

[InterbodyWrenches.python]
summary = "Wrenches that joints transmit between links at the acceleration ``a``."
text = '''
Row i is the wrench on link i from its parent, including constraint and joint torque. Row 0 is the wrench from the
world on the base, due to its children and ``f_ext``, without the weight of the base. After forward dynamics, pass
its acceleration. [RBDA] table 5.1.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, zero = tandem.neutral_configuration(arm), np.zeros(arm.nv)
>>> f = tandem.interbody_wrenches(arm, q, zero, zero)
>>> f.shape == (arm.n_links, 6), bool(f[0, 2] > 0)  # the base carries the arm
(True, True)
'''
*/
