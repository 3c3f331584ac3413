// SPDX-License-Identifier: Apache-2.0
/// Divide and conquer on trees, and with subsystems of many links: subsystems of several handles.
#pragma once
#include "tandem/detail/executors/executor.hpp"
#include "tandem/detail/papers/divided_subsystem.hpp"
#include "tandem/detail/passes/loop_mobility.hpp"
#include "tandem/detail/passes/loop_motion.hpp"
#include "tandem/detail/passes/rigid_mobility.hpp"
#include "tandem/detail/scan/handle_plan.hpp"

namespace tandem::inline TANDEM_ISA {

/// Links taken apart by a HandlePlan. The subsystem of handles 0, 1, ... yields by
///
///     a_k = sum_l P_kl f_l + b_k,   P_lk = P_kl^T                     [Critchley] (15), (16), of more handles than two
///
/// and two of them, X and Y behind it, are joined at the handles x and 0 by the V = P_xx + P_00 and the Wm = -F F^T of
/// the joint between them, each handle k with its T_k = F^T P_xk or -F^T P_0k:
///
///     P_kl <- P_kl - T_k^T T_l  (P_kl = 0 between X and Y)     b_k <- b_k - P_kx f, b_k <- b_k + P_k0 f
///
/// A loop joint joins two handles x, y of one subsystem, that of link 1 and that of link 2, with V = P_xx + P_yy - P_xy
/// - P_yx and T_k = F^T (P_yk - P_xk); with the base, or of two subsystems that hang from it, with what there is of
/// that.
///
/// Frames    handle 0: that of the subsystem's first link; others: that of the child link; rigid edges: that of the
///           split link; loop joints, at both ends: the origin of frame 2, the turned axes of frame 1
template <class S, class M, class Position, class Qd, class Tau, class Fx, class D, class A>
struct DividedTree : DividedSubsystems<S, M, Position, Qd, Tau, Fx, D, A> {
  using Subsystems = DividedSubsystems<S, M, Position, Qd, Tau, Fx, D, A>;
  using Subsystems::f_ext, Subsystems::free_link, Subsystems::links, Subsystems::m, Subsystems::solve_at_base,
      Subsystems::step;
  using Link = DividedLink<S>;
  using Loop = DividedLoop<S>;
  static constexpr int most = HandlePlan::most_handles;

  HandlePlan plan;
  S* tree_rows;
  S* loop_rows = nullptr;  ///< a record for every loop joint
  S stabilisation = S(0);

  TANDEM_HD DividedTree(const Subsystems& subsystems, const HandlePlan& how, S* of_nodes)
      : Subsystems(subsystems), plan(how), tree_rows(of_nodes) {}

  template <class Executor>
  TANDEM_HD void run(const Executor& executor) const {
    move(executor);
    executor.for_each(plan.n_leaves, [&](Index leaf) TANDEM_INLINE { put_leaf(leaf); });
    upward(executor, [&](Index s) TANDEM_INLINE { assemble(s); });
    executor.for_each(plan.n_roots, [&](Index k) TANDEM_INLINE {
      const Index s = plan.root[k];
      if (!plan.grounded[s]) solve_at_base(plan.edge_of(s, 0), P(s, 0, 0), b(s, 0));
    });
    downward(executor, [&](Index s) TANDEM_INLINE { open(s); });
    executor.for_each(plan.n_leaves, [&](Index leaf) TANDEM_INLINE { accelerate_leaf(leaf); });
  }

 private:
  TANDEM_HD S* rows(Index s) const { return tree_rows + plan.row[s]; }
  TANDEM_HD bool is_rigid(Index edge) const { return plan.is_rigid(edge); }
  TANDEM_HD bool is_loop(Index edge) const { return edge >= m.n_links && !plan.is_rigid(edge); }
  TANDEM_HD int loop_of(Index edge) const { return static_cast<int>(edge - m.n_links) / 2; }
  TANDEM_HD Records<Loop, S*> loops() const { return {loop_rows}; }

  template <class Executor, class F>
  TANDEM_HD void upward(const Executor& executor, F&& f) const {
    for (Index level = 0; level < plan.n_levels; ++level) on_level(executor, level, f);
  }
  template <class Executor, class F>
  TANDEM_HD void downward(const Executor& executor, F&& f) const {
    for (Index level = plan.n_levels; level-- > 0;) on_level(executor, level, f);
  }
  template <class Executor, class F>
  TANDEM_HD void on_level(const Executor& executor, Index level, F& f) const {
    const Index first = plan.level_node[level];
    executor.for_each(plan.level_node[level + 1] - first, [&](Index k) TANDEM_INLINE { f(first + k); });
  }

  // How subsystems move, in the rows that are then those of how they yield: how fast what a subsystem hangs from is,
  // and the run from there to the link before each of the other handles; a leaf has the one of its link.

  TANDEM_HD Index run_row(Index s, int handle) const {
    return 6 + (plan.is_leaf(s) ? 0 : 18 * (plan.grounded[s] ? handle : handle - 1));
  }
  TANDEM_HD AffineRun<S> run(Index s, int handle) const { return load<AffineRun<S>>(rows(s), run_row(s, handle)); }
  TANDEM_HD Motion<S> v_base(Index s) const { return load<Motion<S>>(rows(s), 0); }

  /// Where each link is and how it moves.
  template <class Executor>
  TANDEM_HD void move(const Executor& executor) const {
    executor.for_each(plan.n_leaves, [&](Index leaf) TANDEM_INLINE {
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
    upward(executor, [&](Index s) TANDEM_INLINE {
      const bool by_joint = plan.inner[s] != HandlePlan::base && !is_loop(plan.joint[s]);
      const auto between = by_joint ? run(plan.inner[s], plan.at[s]) : Affine<S>::identity();
      for (int k = plan.grounded[s] ? 0 : 1; k < plan.handles[s]; ++k) {
        const Origin o = origin(s, k);
        const auto own = run(o.node, o.handle);
        store(rows(s), run_row(s, k), by_joint && o.outer ? Affine<S>()(between, own) : own);
      }
      if (is_loop(plan.joint[s])) place_loop(s);
    });
    for (Index k = 0; k < plan.n_roots; ++k) store(rows(plan.root[k]), 0, Motion<S>::zero());
    downward(executor, [&](Index s) TANDEM_INLINE {
      const Index X = plan.inner[s], Y = plan.outer[s];
      const auto v_s = v_base(s);
      if (X != HandlePlan::base && !is_loop(plan.joint[s])) {
        const auto between = run(X, plan.at[s]);
        store(rows(Y), 0, between.X * v_s + between.b);
      } else if (Y != HandlePlan::base) {
        store(rows(Y), 0, v_s);
      }
      if (X != HandlePlan::base) store(rows(X), 0, v_s);
    });
    executor.for_each(plan.n_leaves, [&](Index leaf) TANDEM_INLINE {
      const auto edge = plan.edge_of(leaf, 0);
      if (is_rigid(edge)) return;
      links.store(edge, &Link::v, links.load(edge, &Link::X) * v_base(leaf) + links.load(edge, &Link::v));
      for (int i = edge + 1; i < plan.leaf_end[leaf]; ++i) this->move_on(i);
    });
    executor.for_each(is_with_loops() ? m.n_loops : 0,
                      [&](Index loop) TANDEM_INLINE { move_loop(static_cast<int>(loop)); });
  }
  TANDEM_HD bool is_with_loops() const { return loop_rows != nullptr; }

  /// From what a subsystem hangs from, or the base, to the link of a loop joint's end.
  TANDEM_HD Transform<S> to_link(Index s, int handle) const {
    return s == HandlePlan::base ? Transform<S>::identity() : run(s, handle).X;
  }
  /// How the frames of a loop joint stand, and what its handles see.
  TANDEM_PASS void place_loop(Index s) const {
    const Index edge = plan.joint[s];
    const int loop = loop_of(edge);
    const auto X_1 = loop_frame<S>(m, loop, 0), X_2 = loop_frame<S>(m, loop, 1);
    const auto X_21 =
        X_2 * to_link(plan.outer[s], plan.outer_at[s]) * inverse(X_1 * to_link(plan.inner[s], plan.at[s]));
    loops().store(loop, &Loop::X_21, X_21);
    links.store(edge, &Link::X, Transform<S>{Mat3<S>::identity(), X_21.r} * X_1);
    links.store(edge + 1, &Link::X, Transform<S>{transpose(X_21.E), Vec3<S>::zero()} * X_2);
  }
  /// How they move.
  TANDEM_PASS void move_loop(int loop) const {
    const auto X_21 = loops().load(loop, &Loop::X_21);
    Motion<S> V[2], free[2];
    for (int end = 0; end < 2; ++end) {
      const int i = m.loop_link[2 * loop + end];
      free[end] = Motion<S>::zero();
      V[end] = i == 0 ? Motion<S>::zero() : loop_frame<S>(m, loop, end) * links.load(i, &Link::v);
    }
    S e[6], rate[6], c[6];
    loop_error<S>(m, loop, X_21, e);
    relative_rates(X_21, V, free, rate, c);
    for (int r = 0; r < 6; ++r) c[r] = c[r] + stabilisation * mul_add(stabilisation, e[r], S(2) * rate[r]);
    loops().store(loop, &Loop::c, Motion<S>{{c[3], c[4], c[5]}, {c[0], c[1], c[2]}});
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
  TANDEM_PASS void accelerate_leaf(Index leaf) const {
    if (!has_several_links(leaf)) return;
    const int first = plan.leaf_link[leaf], end = plan.leaf_end[leaf];
    const auto a_first = mul_add(P(leaf, 0, 0), force_at(leaf, 0), pushed(leaf, 0, 0));
    if (plan.handles[leaf] == 1)
      this->template accelerate<false>(first, end, a_first, Vector6<S>::zero());
    else
      this->template accelerate<true>(first, end, a_first, force_at(leaf, 1));
  }

  /// A link, or a part of one: P_00 = I^-1, P_0k = I^-1 X_k^T, P_kl = X_k I^-1 X_l^T, b_k = X_k b_0.         (12) -
  /// (16)
  TANDEM_PASS void put_leaf(Index leaf) const {
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

  /// Calls f(mobility, tau, c) of the edge at which s was joined.
  template <class F>
  TANDEM_HD void at_edge(Index s, F&& f) const {
    const int edge = plan.joint[s];
    const S no_tau[1] = {S(0)};
    const auto V = [&]() TANDEM_INLINE { return mobility_at_joint(s); };
    if (is_rigid(edge))
      f(RigidMobility<S>(V()), no_tau, Vector6<S>::zero());
    else if (is_loop(edge))
      f(loop_mobility(s), no_tau, loop_drift(edge));
    else
      this->template at_joint<false>(edge, V, f);
  }
  TANDEM_HD LoopMobility<S> loop_mobility(Index s) const {
    const auto alone = alone_at(plan.inner[s], plan.at[s]) + alone_at(plan.outer[s], plan.outer_at[s]);
    return {mobility_at_joint(s), alone, m.loop_held[loop_of(plan.joint[s])]};
  }
  /// As c of a joint.
  TANDEM_HD Vector6<S> loop_drift(Index edge) const { return -vector6(loops().load(loop_of(edge), &Loop::c)); }

  /// Handle k of s where it came from: of the inner or the outer one of two subsystems, and which there. If a loop was
  /// closed both are one.
  struct Origin {
    Index node;
    int handle;
    bool outer;
  };
  TANDEM_HD Origin origin(Index s, int k) const {
    const Index X = plan.inner[s], Y = plan.outer[s];
    const int x = plan.at[s], y = plan.outer_at[s];
    if (X == Y) {
      const int first = x < y ? x : y, second = x < y ? y : x;
      k += k >= first;
      k += k >= second;
      return {X, k, false};
    }
    const int of_X = X == HandlePlan::base ? 0 : plan.handles[X] - 1;
    if (k < of_X) return {X, k < x ? k : k + 1, false};
    k -= of_X;
    return {Y, k < y ? k : k + 1, true};
  }
  /// How such a handle moves where a unit of force across the joint pushes the outer one, and the inner one back.
  TANDEM_PASS Matrix6<S> to_joint(Index s, const Origin& o) const {
    if (plan.inner[s] == plan.outer[s]) return P(o.node, plan.outer_at[s], o.handle) - P(o.node, plan.at[s], o.handle);
    return o.outer ? P(o.node, plan.outer_at[s], o.handle) : -P(o.node, plan.at[s], o.handle);
  }

  TANDEM_PASS Matrix6<S> mobility_at_joint(Index s) const {
    const Index X = plan.inner[s], Y = plan.outer[s];
    if (X == HandlePlan::base) return P(Y, plan.outer_at[s], plan.outer_at[s]);
    if (Y == HandlePlan::base) return P(X, plan.at[s], plan.at[s]);
    const auto V = symmetric_sum(P(X, plan.at[s], plan.at[s]), P(Y, plan.outer_at[s], plan.outer_at[s]));
    if (X != Y) return V;
    const auto C = P(X, plan.at[s], plan.outer_at[s]);
    return V - (C + transpose(C));
  }
  /// The diagonal of P_kk before the subsystem was joined with the base, as large as what was taken from it since.
  TANDEM_HD Vector6<S> alone_at(Index s, int k) const {
    if (s == HandlePlan::base) return Vector6<S>::zero();
    if (plan.grounded[s]) return load<Vector6<S>>(rows(s), alone_row(s, k));
    const auto P_kk = P(s, k, k);
    return Vector6<S>::of([&](int i, int) TANDEM_INLINE { return P_kk.e[i][i]; });
  }
  TANDEM_HD Index alone_row(Index s, int k) const { return HandlePlan::rows_of(plan.handles[s]) + 6 * k; }

  /// F^T B of a joint whose type is not told, so that what follows from it stands once for all of as many held axes.
  template <int n>
  struct Lower {
    const void* joint;
    void (*of)(const void*, const Matrix6<S>&, Matrix<S, n, 6>&);
    TANDEM_HD Matrix<S, n, 6> operator()(const Matrix6<S>& B) const {
      Matrix<S, n, 6> T;
      of(joint, B, T);
      return T;
    }
  };

  /// Two subsystems become one at the joint between them, or one a stiffer one.                             (31) - (36)
  TANDEM_PASS void assemble(Index s) const {
    const auto r = apart(s, [&](Index node, int k) TANDEM_INLINE { return b(node, k); });
    at_edge(s, [&]<class Joint>(const Joint& joint, const auto& tau_i, const auto& c) TANDEM_INLINE {
      S qdd[Joint::d];  // of these two alone
      const auto f = joint.force(tau_i, r - c, qdd);
      const auto lower = [](const void* of, const Matrix6<S>& B, [[maybe_unused]] auto& T) {
        if constexpr (Joint::rows > 0) T = static_cast<const Joint*>(of)->lower(B);
      };
      yield_at<Joint::rows>(s, f, {&joint, lower});
    });
  }
  /// How the handles yield, with f across the joint without forces on them, and n axes held.
  template <int n>
  TANDEM_PASS void yield_at(Index s, const Vector6<S>& f, const Lower<n ? n : 1>& lower) const {
    [[maybe_unused]] Matrix<S, n ? n : 1, 6> T[most];  // of the first handles; those of more are found again
    for (int k = 0; k < plan.handles[s]; ++k) {
      const Origin of_k = origin(s, k);
      const auto R_k = to_joint(s, of_k);
      store(rows(s), b_row(k), transpose_mul_add(R_k, f, b(of_k.node, of_k.handle)));
      if (plan.grounded[s]) store(rows(s), alone_row(s, k), alone_at(of_k.node, of_k.handle));
      [[maybe_unused]] Matrix<S, n ? n : 1, 6> T_k;
      if constexpr (n > 0) {
        T_k = lower(R_k);
        if (k < most) T[k] = T_k;
      }
      for (int l = 0; l <= k; ++l) {
        const Origin of_l = origin(s, l);
        auto P_lk = of_l.node == of_k.node ? P(of_k.node, of_l.handle, of_k.handle) : Matrix6<S>::zero();
        if constexpr (n > 0)
          P_lk = l == k ? symmetric_transpose_mul_add(-T_k, T_k, P_lk)
                        : minus_transpose_mul(P_lk, l < most ? T[l] : lower(to_joint(s, of_l)), T_k);
        put_P(s, l, k, P_lk);
      }
    }
  }
  /// How the outer handle at which s was joined moves, less how the inner one does; the base has its acceleration.
  template <class F>
  TANDEM_HD Vector6<S> apart(Index s, F&& moves) const {
    const auto of = [&](Index node, int k, int edge) TANDEM_INLINE {
      if (node != HandlePlan::base) return moves(node, k);
      return vector6(links.load(edge, &Link::X) * base_acceleration<S>(m));
    };
    const int edge = plan.joint[s];
    const auto outer = of(plan.outer[s], plan.outer_at[s], is_loop(edge) ? edge + 1 : edge);
    return outer - of(plan.inner[s], plan.at[s], edge);
  }

  /// What is known at handle k: the force on the subsystem.
  TANDEM_HD Vector6<S> force_at(Index s, int k) const {
    const auto f = vector6(links.load(plan.edge_of(s, k), &Link::f));
    return k == 0 && !plan.grounded[s] ? f : -f;
  }
  /// How handle k would move if nothing but the handles besides it and `other` were pushed.
  TANDEM_HD Vector6<S> pushed(Index s, int k, int other) const {
    auto moves = b(s, k);
    for (int l = 0; l < plan.handles[s]; ++l)
      if (l != k && l != other) moves = mul_add(P(s, k, l), force_at(s, l), moves);
    return moves;
  }
  /// A subsystem parts again at the joint between two.                                                      (20), (26)
  TANDEM_PASS void open(Index s) const {
    const int edge = plan.joint[s];
    const bool one = plan.inner[s] == plan.outer[s];
    const auto r = apart(s, [&](Index node, int k) TANDEM_INLINE {
      return pushed(node, k, !one ? k : k == plan.at[s] ? plan.outer_at[s] : plan.at[s]);
    });
    const S no_tau[1] = {S(0)};
    S none[1];
    if (is_rigid(edge)) {
      links.store(edge, &Link::f, as_force(RigidMobility<S>(mobility_at_joint(s)).force(no_tau, r, none)));
    } else if (is_loop(edge)) {
      const auto f = loop_mobility(s).force(no_tau, r - loop_drift(edge), none);
      links.store(edge, &Link::f, as_force(f));
      links.store(edge + 1, &Link::f, as_force(-f));
    } else {
      this->template solve<true>(edge, [&]() TANDEM_INLINE { return mobility_at_joint(s); }, r);
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
