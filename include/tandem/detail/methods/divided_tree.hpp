// SPDX-License-Identifier: Apache-2.0
/// Divide and conquer on trees, and with subsystems of many links: subsystems of several handles.
#pragma once
#include "tandem/detail/chunks/handle_plan.hpp"
#include "tandem/detail/engines/engine.hpp"
#include "tandem/detail/methods/divided_subsystem.hpp"

namespace tandem::inline TANDEM_ISA {

/// The rigid edge between two parts of a link: a joint that holds every axis. f = Wm r with Wm = -V^-1.
template <class S>
struct RigidMobility {
  static constexpr int d = 1, rows = 6;  // d: an array of no use
  Cholesky<S, 6> L;                      ///< V = L L^T

  TANDEM_HD explicit RigidMobility(const Matrix6<S>& V) : L(cholesky(V)) {}
  /// F^T B, Wm = -F F^T
  template <int n>
  TANDEM_HD Matrix<S, 6, n> lower(const Matrix<S, 6, n>& B) const {
    return L.solve_lower(B);
  }
  TANDEM_HD Vector6<S> force(const S (&)[1], const Vector6<S>& r, S (&)[1]) const { return L.solve(-r); }
};

/// A tree of links taken apart by a HandlePlan. The subsystem of handles 0, 1, ... yields by
///
///     a_k = sum_l P_kl f_l + b_k,   P_lk = P_kl^T                        [Critchley] (15), (16), of more handles than two
///
/// and two of them, X and Y behind it, are joined at the handles x and 0 by the V = P_xx + P_00 and the Wm = -F F^T of the joint
/// between them, each handle k with its T_k = F^T P_xk or -F^T P_0k:
///
///     P_kl <- P_kl - T_k^T T_l  (P_kl = 0 between X and Y)     b_k <- b_k - P_kx f, b_k <- b_k + P_k0 f
///
/// Frames    of handle 0 that of the subsystem's first link, of the others that of the link that hangs there; of rigid
///           edges that of the link that was split
template <class S, class M, class Position, class Qd, class Tau, class Fx, class D, class A>
struct DividedTree : DividedSubsystems<S, M, Position, Qd, Tau, Fx, D, A> {
  using Subsystems = DividedSubsystems<S, M, Position, Qd, Tau, Fx, D, A>;
  using Subsystems::f_ext, Subsystems::free_link, Subsystems::links, Subsystems::m, Subsystems::solve_at_base,
      Subsystems::step;
  using Link = DividedLink<S>;
  static constexpr int most = HandlePlan::most_handles;

  HandlePlan plan;
  S* tree_rows;

  TANDEM_HD DividedTree(const Subsystems& subsystems, const HandlePlan& how, S* of_nodes)
      : Subsystems(subsystems), plan(how), tree_rows(of_nodes) {}

  template <class Engine>
  TANDEM_HD void run(const Engine& engine) const {
    move(engine);
    engine.for_each(plan.n_leaves, [&](Index leaf) TANDEM_INLINE { put_leaf(leaf); });
    upward(engine, [&](Index s) TANDEM_INLINE { assemble(s); });
    engine.for_each(plan.n_roots, [&](Index k) TANDEM_INLINE {
      const Index s = plan.root[k];
      solve_at_base(plan.edge_of(s, 0), P(s, 0, 0), b(s, 0));
    });
    downward(engine, [&](Index s) TANDEM_INLINE { open(s); });
    engine.for_each(plan.n_leaves, [&](Index leaf) TANDEM_INLINE { accelerate_leaf(leaf); });
  }

 private:
  TANDEM_HD S* rows(Index s) const { return tree_rows + plan.row[s]; }
  TANDEM_HD bool is_rigid(Index edge) const { return edge >= m.n_links; }

  template <class Engine, class F>
  TANDEM_HD void upward(const Engine& engine, F&& f) const {
    for (Index level = 0; level < plan.n_levels; ++level) on_level(engine, level, f);
  }
  template <class Engine, class F>
  TANDEM_HD void downward(const Engine& engine, F&& f) const {
    for (Index level = plan.n_levels; level-- > 0;) on_level(engine, level, f);
  }
  template <class Engine, class F>
  TANDEM_HD void on_level(const Engine& engine, Index level, F& f) const {
    const Index first = plan.level_node[level];
    engine.for_each(plan.level_node[level + 1] - first, [&](Index k) TANDEM_INLINE { f(first + k); });
  }

  // How subsystems move, in the rows that are then those of how they yield: how fast what a subsystem hangs from is, and the run
  // from there to the link before each of the other handles; a leaf has the one of its link.

  TANDEM_HD Index run_row(Index s, int handle) const { return 6 + (plan.is_leaf(s) ? 0 : 18 * (handle - 1)); }
  TANDEM_HD AffineRun<S> run(Index s, int handle) const { return load<AffineRun<S>>(rows(s), run_row(s, handle)); }
  TANDEM_HD Motion<S> v_base(Index s) const { return load<Motion<S>>(rows(s), 0); }

  /// Where each link is and how it moves.
  template <class Engine>
  TANDEM_HD void move(const Engine& engine) const {
    engine.for_each(plan.n_leaves, [&](Index leaf) TANDEM_INLINE {
      const auto edge = plan.edge_of(leaf, 0);
      auto whole = Affine<S>::identity();
      if (is_rigid(edge)) {
        links.store(edge, &Link::X, whole.X);
      } else {
        whole = step(edge);
        links.store(edge, &Link::X, whole.X);
        links.store(edge, &Link::v, whole.b);
        for (int i = edge + 1; i < plan.leaf_end[leaf]; ++i) this->place(i, plan.handles[leaf] > 1 ? &whole : nullptr);
      }
      store(rows(leaf), 6, whole);
    });
    upward(engine, [&](Index s) TANDEM_INLINE {
      const Index X = plan.inner[s], Y = plan.outer[s];
      int handle = 1;
      for (int k = 1; k < plan.handles[X]; ++k)
        if (k != plan.at[s]) store(rows(s), run_row(s, handle++), run(X, k));
      const auto between = run(X, plan.at[s]);
      for (int k = 1; k < plan.handles[Y]; ++k) store(rows(s), run_row(s, handle++), Affine<S>()(between, run(Y, k)));
    });
    for (Index k = 0; k < plan.n_roots; ++k) store(rows(plan.root[k]), 0, Motion<S>::zero());
    downward(engine, [&](Index s) TANDEM_INLINE {
      const Index X = plan.inner[s], Y = plan.outer[s];
      const auto between = run(X, plan.at[s]);
      store(rows(X), 0, v_base(s));
      store(rows(Y), 0, between.X * v_base(s) + between.b);
    });
    engine.for_each(plan.n_leaves, [&](Index leaf) TANDEM_INLINE {
      const auto edge = plan.edge_of(leaf, 0);
      if (is_rigid(edge)) return;
      links.store(edge, &Link::v, links.load(edge, &Link::X) * v_base(leaf) + links.load(edge, &Link::v));
      for (int i = edge + 1; i < plan.leaf_end[leaf]; ++i) this->move_on(i);
    });
  }

  // How they yield: b of every handle, P of every handle with itself, P of every pair.

  TANDEM_HD Index b_row(int k) const { return 6 * k; }
  TANDEM_HD Index P_row(Index s, int k, int l) const {
    const Index h = plan.handles[s];
    return k == l ? 6 * h + 21 * k : 27 * h + 36 * (l * (l - 1) / 2 + k);
  }
  TANDEM_HD Vector6<S> b(Index s, int k) const { return load<Vector6<S>>(rows(s), b_row(k)); }
  TANDEM_HD Matrix6<S> P(Index s, int k, int l) const {
    if (k == l) return load_packed<S, 6>(rows(s), P_row(s, k, k));
    return k < l ? load<Matrix6<S>>(rows(s), P_row(s, k, l)) : transpose(load<Matrix6<S>>(rows(s), P_row(s, l, k)));
  }
  TANDEM_HD void put_P(Index s, int k, int l, const Matrix6<S>& P) const {
    if (k == l)
      store_packed(rows(s), P_row(s, k, k), P);
    else
      store(rows(s), P_row(s, k, l), P);
  }

  TANDEM_HD bool has_several_links(Index leaf) const { return plan.leaf_end[leaf] > plan.leaf_link[leaf] + 1; }
  TANDEM_HD void put_subsystem(Index leaf) const {
    const int first = plan.leaf_link[leaf], end = plan.leaf_end[leaf];
    Matrix6<S> P_00;
    Vector6<S> b_0;
    if (plan.handles[leaf] == 1) {
      this->gather(first, end, P_00, b_0);
    } else {
      Matrix6<S> P_01, P_11;
      Vector6<S> b_1;
      this->gather(first, end, P_00, P_01, P_11, b_0, b_1);
      put_P(leaf, 0, 1, P_01);
      put_P(leaf, 1, 1, P_11);
      store(rows(leaf), b_row(1), b_1);
    }
    put_P(leaf, 0, 0, P_00);
    store(rows(leaf), b_row(0), b_0);
  }
  /// What joins found at the ends of a subsystem goes on through its links.
  TANDEM_HD void accelerate_leaf(Index leaf) const {
    if (!has_several_links(leaf)) return;
    const int first = plan.leaf_link[leaf], end = plan.leaf_end[leaf];
    const auto a_first = mul_add(P(leaf, 0, 0), force_at(leaf, 0), pushed(leaf, 0));
    if (plan.handles[leaf] == 1)
      this->template accelerate<false>(first, end, a_first, Vector6<S>::zero());
    else
      this->template accelerate<true>(first, end, a_first, force_at(leaf, 1));
  }

  /// A link, or a part of one: P_00 = I^-1, P_0k = I^-1 X_k^T, P_kl = X_k I^-1 X_l^T, b_k = X_k b_0.         (12) - (16)
  TANDEM_HD void put_leaf(Index leaf) const {
    if (has_several_links(leaf)) return put_subsystem(leaf);
    Matrix6<S> P_00;
    Vector6<S> b_0;
    const int i = plan.leaf_link[leaf];
    free_link(i, f_ext, P_00, b_0);
    if (const int parts = plan.leaf_parts[leaf];
        parts > 1)  // of which each has its share of the inertia and of the forces
      P_00 = Matrix6<S>::of([&](int k, int l) TANDEM_INLINE { return S(parts) * P_00.e[k][l]; });
    put_P(leaf, 0, 0, P_00);
    store(rows(leaf), b_row(0), b_0);
    for (int k = 1; k < plan.handles[leaf]; ++k) {
      const auto X = seen_at(leaf, k);
      const auto P_0k = transpose(X * P_00);
      put_P(leaf, 0, k, P_0k);
      put_P(leaf, k, k, symmetrised(X * P_0k));
      for (int l = 1; l < k; ++l) put_P(leaf, l, k, seen_at(leaf, l) * P_0k);
      store(rows(leaf), b_row(k), vector6(X * as_motion(b_0)));
    }
  }
  TANDEM_HD Transform<S> seen_at(Index leaf, int handle) const {
    return links.load(plan.edge_of(leaf, handle), &Link::X);
  }

  /// Calls f(mobility, tau, c) of an edge between subsystems that together have the mobility V.
  template <class F, class Mobility>
  TANDEM_HD void at_edge(int edge, const Mobility& V, F&& f) const {
    if (is_rigid(edge)) {
      const S no_tau[1] = {S(0)};
      f(RigidMobility<S>(V()), no_tau, Vector6<S>::zero());
    } else {
      this->template at_joint<false>(edge, V, f);
    }
  }

  /// Handle k of s where it came from: of the inner or the outer one of two subsystems, and which there.
  struct Origin {
    Index node;
    int handle;
    bool outer;
  };
  TANDEM_HD Origin origin(Index s, int k) const {
    const Index X = plan.inner[s];
    const int of_X = plan.handles[X] - 1;
    return k < of_X ? Origin{X, k < plan.at[s] ? k : k + 1, false} : Origin{plan.outer[s], k - of_X + 1, true};
  }
  /// P between handle k of such a subsystem and the one at which it was joined.
  TANDEM_HD Matrix6<S> to_joint(Index s, const Origin& o) const { return P(o.node, joined_at(s, o), o.handle); }
  TANDEM_HD int joined_at(Index s, const Origin& o) const { return o.outer ? 0 : plan.at[s]; }

  TANDEM_HD int joint_of(Index s) const { return plan.edge_of(plan.outer[s], 0); }
  TANDEM_HD Matrix6<S> mobility_at_joint(Index s) const {
    return symmetric_sum(P(plan.inner[s], plan.at[s], plan.at[s]), P(plan.outer[s], 0, 0));
  }

  /// Two subsystems become one at the joint between them.                                                   (31) - (36)
  TANDEM_HD void assemble(Index s) const {
    at_edge(
        joint_of(s), [&]() TANDEM_INLINE { return mobility_at_joint(s); },
        [&]<class Joint>(const Joint& joint, const auto& tau_i, const auto& c) TANDEM_INLINE {
          S qdd[Joint::d];  // of these two alone
          const auto f = joint.force(tau_i, b(plan.outer[s], 0) - b(plan.inner[s], plan.at[s]) - c, qdd);
          [[maybe_unused]] Matrix<S, Joint::rows ? Joint::rows : 1, 6> T[most];
          for (int k = 0; k < plan.handles[s]; ++k) {
            const Origin of_k = origin(s, k);
            const auto R_k = to_joint(s, of_k);
            store(rows(s), b_row(k), transpose_mul_add(R_k, of_k.outer ? f : -f, b(of_k.node, of_k.handle)));
            if constexpr (Joint::rows > 0) T[k] = of_k.outer ? -joint.lower(R_k) : joint.lower(R_k);
            for (int l = 0; l <= k; ++l) {
              const Origin of_l = origin(s, l);
              auto P_lk = of_l.node == of_k.node ? P(of_k.node, of_l.handle, of_k.handle) : Matrix6<S>::zero();
              if constexpr (Joint::rows > 0)
                P_lk = l == k ? symmetric_transpose_mul_add(-T[k], T[k], P_lk) : minus_transpose_mul(P_lk, T[l], T[k]);
              put_P(s, l, k, P_lk);
            }
          }
        });
  }

  /// What is known at handle k: the force on the subsystem.
  TANDEM_HD Vector6<S> force_at(Index s, int k) const {
    const auto f = vector6(links.load(plan.edge_of(s, k), &Link::f));
    return k == 0 ? f : -f;
  }
  /// How handle k would move if nothing but the other handles were pushed.
  TANDEM_HD Vector6<S> pushed(Index s, int k) const {
    auto moves = b(s, k);
    for (int l = 0; l < plan.handles[s]; ++l)
      if (l != k) moves = mul_add(P(s, k, l), force_at(s, l), moves);
    return moves;
  }
  /// A subsystem parts again at the joint between two.                                                      (20), (26)
  TANDEM_HD void open(Index s) const {
    const int edge = joint_of(s);
    const auto V = [&]() TANDEM_INLINE { return mobility_at_joint(s); };
    const auto r = pushed(plan.outer[s], 0) - pushed(plan.inner[s], plan.at[s]);
    if (is_rigid(edge))
      links.store(edge, &Link::f, as_force(RigidMobility<S>(V()).L.solve(-r)));
    else
      this->template solve<true>(edge, V, r);
  }
};

}  // namespace tandem::inline TANDEM_ISA
