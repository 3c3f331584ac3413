// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/solve/tree_ltl.hpp"
#include "tandem/detail/joint/link_transform.hpp"
#include "tandem/detail/passes/joint_response.hpp"
#include "tandem/detail/spatial/rates.hpp"

namespace tandem::inline TANDEM_ISA {

/// Bodies welded to links: none. Other types have `onto(i, Ia)`, which adds what is welded to link i to its inertia Ia.
struct NothingWelded {};

/// The articulated-body algorithm (ABA): forward dynamics in link coordinates, O(n).      [RBDA] table 7.1
///
/// What hangs from joint i is felt through it as an articulated inertia IA_i and a bias force pA_i. The joint yields:
///
///     U = IA S,  D = S^T U + armature,  K = D^-1,  u = tau - S^T pA
///     to the parent:    Ia = IA - U K U^T,  pa = pA + U K u
///     from the parent:  a' = X a_p,  qdd = K (u - U^T a'),  a = a' + S qdd
///
/// Changed from the book: bias forces are those that links take which move with qdd = 0, weight included, by Newton and
/// Euler as in inverse dynamics; a is what comes on top. Speeds and c are then needed in the first pass alone, and the
/// base does not accelerate. Articulated inertias are kept as 21 numbers, so that they stay symmetric. Mimic joints are
/// first left free, then held to the joint they follow by the forces lambda with (C M^-1 C^T) lambda = -C a, where a
/// row of C reads "acceleration of the mimic joint minus multiplier times that of the one it follows".
struct ArticulatedBody {
  enum Field { X = 0, F = 12, rows_per_link = 18 };
  // of links that branch, in memory that others do not touch: how they move, then what their later children bring, then
  // their acceleration
  enum BranchField { RATES = 0, IA = 0, PA = 21, A = 0, rows_per_branch = 27 };

  TANDEM_HD static constexpr Index at(int link, Field f) { return Index{rows_per_link} * link + f; }
  template <class M>
  TANDEM_HD static Index at(const ModelView<M>& m, int link, BranchField f) {
    return Index{rows_per_link} * m.n_links + Index{rows_per_branch} * link + f;
  }
  /// Rows of a joint with d degrees of freedom, of which this is the first: U [d][6], K [d][d], u [d].
  template <class M>
  TANDEM_HD static Index at_dof(const ModelView<M>& m, int dof) {
    const Index rows_per_dof = joint_set<M> == JointSet::hinges || m.n_dof == m.n_links - 1
                                   ? 8
                                   : 13;  // d + 7; 13 serves all where joints differ
    return at(m, m.n_links, IA) + rows_per_dof * dof;
  }
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    const Index mimic = m.n_mimic;
    return at_dof(m, m.n_dof) + (mimic > 0 ? 3 * Index{m.n_dof} + mimic * mimic + mimic : 0);
  }
  /// f(k, U K) for the coordinates k of joint i, from what is left in `bodies`, along axes that E leads from to the
  /// link's.
  template <class S, class M, class Bodies, class F>
  TANDEM_HD static void for_each_UK(const ModelView<M>& m, int i, Bodies bodies, const Mat3<S>& E, F&& f) {
    on_joint_kind<S>(m, i, [&](auto joint) TANDEM_INLINE {
      const int first = first_dof(m, i);
      const auto response = kept_response<S>(joint, bodies, at_dof(m, first));
      for (int k = 0; k < joint.nv; ++k) {
        const auto in_link = column_of_UK<most_nv<decltype(joint)>, S>(response, k, joint.nv);
        f(first + k, Force<S>{transpose_mul(E, in_link.n), transpose_mul(E, in_link.f)});
      }
    });
  }

  template <class S, class M, class Q, class Qd, class Tau, class Fx, class D, class Qdd, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, Qdd a, Work w) {
    place_and_move<S, true>(m, q, v, f_ext, w);
    solve<S, true, true>(m, tau, diagonal, a, w);
  }

  /// a = M^-1 tau: no velocity, no gravity, no force but tau.
  template <class S, class M, class Q, class Tau, class Qdd, class Work>
  TANDEM_HD static void respond(const ModelView<M>& m, Q q, Tau tau, Qdd a, Work w) {
    place_and_move<S, false>(m, q, Q{}, Q{}, w);
    solve<S, true, false>(m, tau, Tau{}, a, w);
  }
  /// The first half of `respond`, of which what depends on q alone stays in the workspace, and the second.
  template <class S, class M, class Q, class Tau, class Work>
  TANDEM_HD static void factorise(const ModelView<M>& m, Q q, Tau tau, Work w) {
    place_and_move<S, false>(m, q, Q{}, Q{}, w);
    inward<S, true, false>(m, tau, Tau{}, w);
  }
  template <class S, class M, class Tau, class Qdd, class Work>
  TANDEM_HD static void respond_factored(const ModelView<M>& m, Tau tau, Qdd a, Work w) {
    solve<S, false, false>(m, tau, Tau{}, a, w);
  }

  /// Outward: where each link is and, with `moving`, the force it takes while no joint accelerates, less the outer one.
  template <class S, bool moving, class M, class Q, class Qd, class Fx, class Work>
  TANDEM_PASS static void place_and_move(const ModelView<M>& m, Q q, Qd v, Fx f_ext, Work w) {
    const auto base = base_rates<S>(m);
    [[maybe_unused]] auto rates = base;
    [[maybe_unused]] const S still(0);
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      if constexpr (moving) {
        if (p == 0)
          rates = base;
        else if (p != i - 1)
          rates = rates_of(load<CarriedRates<S>>(w, at(m, p, RATES)));
      }
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto X_ip = link_transform<S>(joint, m, i, q);
        keep_transform(joint, X_ip, w, at(i, X));
        if constexpr (moving) {
          rates =
              moved(X_ip * rates, joint_motion<S>(joint, m, i, v), joint_motion<S>(joint, m, i, in_every_row(still)));
          const auto f_i = link_inertia<S>(m, i) * rates;
          store(w, at(i, F), f_ext ? f_i - external_force<S>(m, i, f_ext) : f_i);
        }
      });
      if constexpr (moving) {
        if (branches(m, i)) store(w, at(m, i, RATES), carried(rates));
      }
    }
  }

  /// Inward: each joint yields to what hangs from it. With `factor` the articulated inertias are found, without they
  /// are taken from an earlier call; with `moving` there are forces of place_and_move. Efforts have a row for every
  /// degree of freedom, mimic joints included. Calls `welded` for links from the last one to the first.
  template <class S, bool factor, bool moving, class M, class Effort, class D, class Work>
  TANDEM_PASS static void inward(const ModelView<M>& m, Effort effort, D diagonal, Work w) {
    inward_welded<S, factor, moving>(m, effort, diagonal, w, NothingWelded{});
  }
  template <class S, bool factor, bool moving, class M, class Effort, class D, class Work, class Welded>
  TANDEM_HD static void inward_welded(const ModelView<M>& m, Effort effort, D diagonal, Work w, Welded welded) {
    static_assert(factor || !moving, "bias forces need the articulated inertias");
    // what link i brings to its parent, which on a chain is the next in turn
    [[maybe_unused]] ArticulatedInertia<S> Ia_p;
    auto pa_p = Force<S>::zero();
    for (int i = m.n_links - 1; i >= 1; --i) {
      const int p = m.parent[i];
      const bool carries = m.last_child[i] != 0, last = m.last_child[p] == i;
      on_kept_joint_kind<S>(m, i, w, at(i, X), [&](auto joint) TANDEM_INLINE {
        constexpr int d = most_nv<decltype(joint)>;
        const Index row = at_dof(m, first_dof(m, i));
        S rotor[d], tau[d];
        rotor_inertia(m, i, diagonal, rotor, joint.nv);
        for (int k = 0; k < joint.nv; ++k) tau[k] = S(effort[first_dof(m, i) + k]);

        // what the link itself and its children resist with
        auto pa = Force<S>::zero();
        if constexpr (moving) pa = load<Force<S>>(w, at(i, F));
        if (carries) pa = pa + pa_p;
        if (branches(m, i)) pa = pa + load<Force<S>>(w, at(m, i, PA));
        [[maybe_unused]] ArticulatedInertia<S> Ia;
        auto r = factor ? new_response<S>(joint, w, row) : loaded_response<S>(joint, w, row);
        if constexpr (factor) {
          Ia = carries ? Ia_p + link_inertia<S>(m, i) : articulated(link_inertia<S>(m, i));
          if (branches(m, i)) Ia = Ia + load<ArticulatedInertia<S>>(w, at(m, i, IA));
          if constexpr (!std::is_same_v<Welded, NothingWelded>) Ia = welded.onto(i, Ia);
          yield_to(joint, Ia, rotor, r);
          if (joint.nv == 1 && has_mimic_joints(m) && m.mimics[i] != 0)  // see is_heavy
            r.set_K(0, 0, select(joint.along(0, r.U(0)) == S(0), S(0), r.K(0, 0)));
        }
        push(joint, tau, pa, r);
        if constexpr (factor)
          keep(r, w, row);
        else
          keep_force_part(r, w, row);
        if (p == 0) return;

        // what is left of it beyond the joint
        if constexpr (factor) Ia = beyond(joint, r, rotor, Ia);
        pa = beyond(joint, r, rotor, tau, pa);
        const auto X_ip = recall_transform<S>(joint, m, i, w, at(i, X));
        if constexpr (factor) Ia_p = transpose_mul(X_ip, Ia);
        pa_p = transpose_mul(X_ip, pa);
      });
      if (p == 0 || p == i - 1) continue;
      if constexpr (factor) {
        const Index row = at(m, p, IA);
        store(w, row, last ? Ia_p : load<ArticulatedInertia<S>>(w, row) + Ia_p);
      }
      store(w, at(m, p, PA), last ? pa_p : load<Force<S>>(w, at(m, p, PA)) + pa_p);
    }
  }

  /// Outward: each joint accelerates by what its parent's acceleration leaves over. Rates have a row for every degree
  /// of freedom.
  template <class S, class M, class Rate, class Work>
  TANDEM_PASS static void outward(const ModelView<M>& m, Rate rate, Work w) {
    auto a_i = Motion<S>::zero();
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      if (p != 0 && p != i - 1) a_i = load<Motion<S>>(w, at(m, p, A));
      on_kept_joint_kind<S>(m, i, w, at(i, X), [&](auto joint) TANDEM_INLINE {
        constexpr int d = most_nv<decltype(joint)>;
        const auto r = kept_response<S>(joint, w, at_dof(m, first_dof(m, i)));
        a_i = p == 0 ? Motion<S>::zero() : recall_transform<S>(joint, m, i, w, at(i, X)) * a_i;
        S u[d], qdd[d];
        for (int k = 0; k < joint.nv; ++k) u[k] = r.u(k);
        accelerate(r, u, a_i, qdd);
        for (int k = 0; k < joint.nv; ++k) rate[first_dof(m, i) + k] = qdd[k];
        a_i = a_i + joint.template motion<S>(&qdd[0]);
      });
      if (branches(m, i)) store(w, at(m, i, A), a_i);
    }
  }

  /// Joint forces to joint accelerations, after place_and_move.
  template <class S, bool factor, bool moving, class M, class Tau, class D, class Qdd, class Work>
  TANDEM_HD static void solve(const ModelView<M>& m, Tau tau, D diagonal, Qdd a, Work w) {
    if (!has_mimic_joints(m)) {
      inward<S, factor, moving>(m, tau, diagonal, w);
      outward<S>(m, a, w);
    } else if constexpr (joint_set<M> == JointSet::any) {
      solve_with_mimic<S, factor, moving>(m, tau, diagonal, a, w);
    }
  }

  template <class S, bool factor, bool moving, class M, class Tau, class D, class Qdd, class Work>
  TANDEM_PASS static void solve_with_mimic(const ModelView<M>& m, Tau tau, D diagonal, Qdd a, Work w) {
    const Index n = m.n_mimic;
    const auto effort = w + at_dof(m, m.n_dof);
    const auto free_rate = effort + m.n_dof;
    const auto rate = free_rate + m.n_dof;
    const auto G = rate + m.n_dof;  // C M^-1 C^T
    const auto lambda = G + n * n;
    const auto efforts = as_column<Tau>(effort);
    const auto rates = as_column<Qdd>(rate);

    // the mimic joints swing freely
    fill(effort, m.n_dof, S(0));
    for_each_own_dof(m, [&](int dof, int row) TANDEM_INLINE { effort[dof] = S(tau[row]); });
    inward<S, factor, moving>(m, efforts, diagonal, w);
    outward<S>(m, as_column<Qdd>(free_rate), w);

    Index j = 0;
    for_each_mimic(m, [&](int i, int s) TANDEM_INLINE {
      const S heavy = is_heavy<S>(m, i, w), push = w[at_dof(m, m.dof_index[i]) + 7];
      lambda[j++] = -sum_of_products(heavy, slip<S>(m, i, s, free_rate), S(1) - heavy, push);
    });

    // how far a unit of each holding force moves every mimic joint away from the joint it follows
    fill(effort, m.n_dof, S(0));
    j = 0;
    for_each_mimic(m, [&](int i, int s) TANDEM_INLINE {
      hold(m, i, s, S(1), effort);
      inward<S, false, false>(m, efforts, diagonal, w);
      outward<S>(m, rates, w);
      hold(m, i, s, S(-1), effort);
      const S heavy = is_heavy<S>(m, i, w);
      Index l = 0;
      for_each_mimic(m, [&](int i2, int s2) TANDEM_INLINE {
        const S slipped = is_heavy<S>(m, i2, w) * slip<S>(m, i2, s2, rate);
        G[n * l + j] = mul_add(heavy, slipped, l == j ? S(1) - heavy : S(0));
        lambda[l] = mul_add((heavy - S(1)) * slipped, S(lambda[j]), S(lambda[l]));  // a force that is known already
        ++l;
      });
      ++j;
    });
    solve_spd<S>(G, static_cast<int>(n), lambda);

    // together the holding forces leave no slip
    fill(effort, m.n_dof, S(0));
    j = 0;
    for_each_mimic(m, [&](int i, int s) TANDEM_INLINE { hold(m, i, s, S(lambda[j++]), effort); });
    inward<S, false, false>(m, efforts, diagonal, w);
    outward<S>(m, rates, w);
    for_each_own_dof(m, [&](int dof, int row) TANDEM_INLINE { a[row] = S(free_rate[dof]) + S(rate[dof]); });
  }

  template <class M, class F>
  TANDEM_HD static void for_each_mimic(const ModelView<M>& m, F&& f) {
    for (int i = 1; i < m.n_links; ++i)
      if (m.mimics[i] != 0) f(i, m.mimics[i]);
  }
  /// Calls f(degree of freedom, row in v) for those of joints that follow no other.
  template <class M, class F>
  TANDEM_HD static void for_each_own_dof(const ModelView<M>& m, F&& f) {
    for (int k = 0; k < m.n_dof; ++k) {
      const int i = m.dof_link[k];
      if (m.mimics[i] == 0) f(k, m.v_index[i] + k - m.dof_index[i]);
    }
  }
  /// 0 for a mimic joint that moves nothing with inertia: it does not swing, and its holding force only hands on the
  /// force that pushes it. 1 for all others.
  template <class S, class M, class Work>
  TANDEM_HD static S is_heavy(const ModelView<M>& m, int i, Work w) {
    return select(S(w[at_dof(m, m.dof_index[i]) + 6]) == S(0), S(0), S(1));
  }
  /// effort += lambda times the row of C for mimic joint i, which follows joint s.
  template <class S, class M, class Column>
  TANDEM_HD static void hold(const ModelView<M>& m, int i, int s, S lambda, Column effort) {
    effort[m.dof_index[i]] = S(effort[m.dof_index[i]]) + lambda;
    effort[m.dof_index[s]] = mul_add(-S(m.multiplier[i]), lambda, S(effort[m.dof_index[s]]));
  }
  /// The row of C for mimic joint i, which follows joint s, times the rates.
  template <class S, class M, class Column>
  TANDEM_HD static S slip(const ModelView<M>& m, int i, int s, Column rate) {
    return mul_add(-S(m.multiplier[i]), S(rate[m.dof_index[s]]), S(rate[m.dof_index[i]]));
  }
};

}  // namespace tandem::inline TANDEM_ISA
