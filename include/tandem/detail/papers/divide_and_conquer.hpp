// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/executors/join_tree.hpp"
#include "tandem/detail/papers/divided_tree.hpp"
#include "tandem/detail/scan/scan_plan.hpp"

namespace tandem::inline TANDEM_ISA {

/// A run of links seen through two handles: its first link, and its last one as the next joint sees it. Forces on the
/// handles accelerate both:
///
///     a_1 = P11 f_1 + P12 f_2 + b_1,   a_2 = P12^T f_1 + P22 f_2 + b_2                       [Critchley] (15), (16)
template <class S>
struct HandleMobility {
  static constexpr Index rows = 2 * symmetric_rows<6> + 36 + 12;
  Matrix6<S> P11, P12, P22;
  Vector6<S> b1, b2;

  template <class Work>
  TANDEM_HD static HandleMobility load_from(const Work& w) {
    return {load_packed<S, 6>(w, 0), load<Matrix6<S>>(w, 21), load_packed<S, 6>(w, 57), load<Vector6<S>>(w, 78),
            load<Vector6<S>>(w, 84)};
  }
  template <class Work>
  TANDEM_HD void store_at(Work w) const {
    store_packed(w, 0, P11);
    store(w, 21, P12);
    store_packed(w, 57, P22);
    store(w, 78, b1);
    store(w, 84, b2);
  }
};

/// Forward dynamics by divide and conquer (DCA): runs of links, seen through two handles each, are joined two by
/// two along a binary tree; then the forces across the joints are found from the root of the tree to its leaves.
///
/// Method    [Critchley] (12) - (42), after Featherstone 1999. Up, at joint i between a run P and the run Q behind it,
///           with Wm, K and s of JointMobility:
///               V = P22_P + P11_Q,  f = Wm (b1_Q - b2_P - c_i) + K s            (26) without external wrenches
///               P11 = P11_P + P12_P Wm P12_P^T   P12 = -P12_P Wm P12_Q   P22 = P22_Q + P12_Q^T Wm P12_Q   (31) - (36)
///               b_1 = b1_P - P12_P f             b_2 = b2_Q + P12_Q^T f
///           down: f_i = Wm r + K s with r = P12_Q f_2 + b1_Q - P12_P^T f_1 - b2_P - c_i,  qdd_i            (23), (26)
///           Velocities come down the same tree, as (6) - (11) place the links.
///           Changed from the paper: signs and subsystems of (32), (34) - (36) as derived; joint forces and rotors;
///           whole accelerations in place of their parts that depend on qdd, which saves a pass; Wm as a negative
///           square.
/// In, Out   those of ForwardDynamics; the wrenches across all joints, by the way, are in the workspace: wrench()
/// Options   load_ratio: links of a subsystem that nothing hangs from, a branch or the end of a chain, which is worked
///           through by the serial recursion (50) - (52); if not given 1. chunks: a chain is cut into so many runs,
///           each worked through by the serial recursion in two sweeps (53) - (71), the last one by load_ratio longer
///           (divided_subsystem.hpp); a tree into branches and runs between branching links that are no longer, all at
///           the same time
/// Frames    a run's first handle is its first link's frame, the second one that of the next link behind the run
/// Trees     subsystems of up to four handles, links with more joints split (divided_tree.hpp); all branches at the
///           same time
/// Joints    of every type with armature; no mimic joints. Every link needs mass and a regular inertia
/// Work      57 rows per link and 90 for each of at most 2 n places in the tree; where links branch up to 324
/// Cost      O(n), several times the articulated-body algorithm's operations (docs/operation_counts.md); 4 ceil(log2 n)
///           steps that wait for each other
/// Errors    none; a singular robot gives infinities or NaN. Accuracy suffers from links of very unequal mass
struct DivideAndConquer {
  using Problem = ForwardDynamics;
  static constexpr Method method = Method::divide_and_conquer;
  int chunks = 0;
  double load_ratio = 0;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options& o) {
    if (o.chunks < 0) return "chunks is negative, expected 0 or more";
    if (!(o.load_ratio >= 0)) return "load_ratio is negative, expected 0 or more";
    if (m.n_mimic != 0)
      return "it has mimic joints, which couple subsystems; use articulated_body or composite_rigid_body";
    for (int i = 1; i < m.n_links; ++i)
      if (!has_inverse(link_inertia<M>(m, i)))
        return "a link has no mass or a singular inertia; use articulated_body, "
               "divide_and_conquer_efficient or scan";
    return nullptr;
  }

  /// What is kept of a joint and its link; of chains also of one link beyond the tip.
  template <class S>
  using Link = DividedLink<S>;
  /// How a run of joints moves, in the tree before its mobilities: its last link from the link before the run, and as
  /// seen from there; and how fast that one is.
  template <class S>
  struct MovingRun {
    AffineRun<S> run;
    Motion<S> v_base;
  };

  template <class M>
  TANDEM_HD static JoinTree tree(const ModelView<M>& m) {
    return {Index{m.n_links} - 1};
  }
  template <class M>
  TANDEM_HD static Index link_rows(const ModelView<M>& m) {
    return rows_of_link * (m.n_links + 1);
  }
  /// Of a link and its joint, or of a rigid edge.
  static constexpr Index rows_of_link = rows_of<Link<double>> + kept_rows_of_joint;
  TANDEM_HD HandleCut cut() const { return {chunks, load_ratio}; }
  /// A chain, link by link: runs of two handles, whose places in the tree need no plan.
  template <class M>
  TANDEM_HD bool is_plain(const ModelView<M>& m) const {
    return is_chain(m) && cut().leaves_are_links();
  }
  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    if (is_plain(m)) return link_rows(m) + HandleMobility<double>::rows * tree(m).places();
    Arena arena;
    HandlePlanner<M> planner(m, cut());
    planner.lay_out(arena);
    arena.take<M>(planner.most_rows());
    arena.take<M>(rows_within(m));
    return rows_of_link * planner.most_edges() + arena.rows<M>();
  }

  template <class S, class Executor, class M, class Q, class Qd, class Tau, class Fx, class D, class A, class Work>
  TANDEM_HD void body(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, A a,
                      Work w) const {
    if (m.n_links < 2) return;
    using Robot = DividedRobot<S, M, Q, Qd, Tau, D, A, Work>;
    if (!is_plain(m)) {
      if constexpr (!is_of_threads<Executor>) {  // which would all make plans
        HandlePlanner<M> planner(m, cut());
        const Robot robot = {
            m, q, v, tau, diagonal, a, records<Link<S>>(w), w + rows_of<Link<S>> * planner.most_edges()};
        Arena arena(w + rows_of_link * planner.most_edges());
        planner.lay_out(arena);
        S* const rows = arena.take<S>(planner.most_rows());
        S* const links = arena.take<S>(rows_within(m));
        const DividedSubsystems<S, M, Q, Qd, Tau, Fx, D, A> subsystems(robot, f_ext, links);
        DividedTree<S, M, Q, Qd, Tau, Fx, D, A>(subsystems, planner.plan(), rows).run(executor);
      }
      return;
    }
    const Robot robot = {m, q, v, tau, diagonal, a, records<Link<S>>(w), w + rows_of<Link<S>> * (m.n_links + 1)};
    const Call<S, M, Q, Qd, Tau, D, A, Work> call(robot, w + link_rows(m));
    call.move(executor);
    executor.for_each(m.n_links - 1, [&](Index k) TANDEM_INLINE { call.single_link(static_cast<int>(k) + 1, f_ext); });
    tree(m).upward(executor, [&](const Join& j) TANDEM_INLINE { call.assemble(j); });
    on_one(executor, [&]() TANDEM_INLINE { call.hang_on_base(); });
    tree(m).downward(executor, [&](const Join& j) TANDEM_INLINE { call.open(j); });
  }

  /// The wrench on link i across joint i, in the frame of link i, after a call with workspace w. Joints within
  /// subsystems of several links leave none.
  template <class S, class Work>
  TANDEM_HD static Force<S> wrench(int i, const Work& w) {
    return records<Link<S>>(w).load(i, &Link<S>::f);
  }

 private:
  /// Scratch memory of the links of leaves of several.
  template <class M>
  TANDEM_HD Index rows_within(const ModelView<M>& m) const {
    return cut().leaves_are_links() ? 0 : rows_of_subsystems(m);
  }

  /// A chain.
  template <class S, class M, class Position, class Qd, class Tau, class D, class A, class Work>
  struct Call : DividedRobot<S, M, Position, Qd, Tau, D, A, Work> {
    using Run = MovingRun<S>;
    using Robot = DividedRobot<S, M, Position, Qd, Tau, D, A, Work>;
    using Robot::free_link, Robot::links, Robot::m, Robot::solve_at_base, Robot::step;
    Work tree_rows;

    TANDEM_HD Call(const Robot& robot, Work rows) : Robot(robot), tree_rows(rows) {}

    /// The run of joints first .. end - 1, from 0: how it moves, later how it yields.
    TANDEM_HD Work at(Index first, Index end) const {
      return tree_rows + HandleMobility<S>::rows * tree(m).place(first, end);
    }
    TANDEM_HD Records<Run, Work> moving(Index first, Index end) const { return {at(first, end)}; }
    TANDEM_HD HandleMobility<S> mobility(Index first, Index end) const {
      return HandleMobility<S>::load_from(at(first, end));
    }

    /// Where each link is and how it moves.
    template <class Executor>
    TANDEM_HD void move(const Executor& executor) const {
      executor.for_each(m.n_links - 1, [&](Index k) TANDEM_INLINE {
        const int i = static_cast<int>(k) + 1;
        const auto joint = step(i);
        links.store(i, &Link<S>::X, joint.X);
        moving(k, k + 1).store(0, &Run::run, joint);
      });
      tree(m).upward(executor, [&](const Join& j) TANDEM_INLINE {
        const auto P = moving(j.first, j.middle).load(0, &Run::run), Q_ = moving(j.middle, j.end).load(0, &Run::run);
        moving(j.first, j.end).store(0, &Run::run, Affine<S>()(P, Q_));
      });
      moving(0, m.n_links - 1).store(0, &Run::v_base, Motion<S>::zero());
      tree(m).downward(executor, [&](const Join& j) TANDEM_INLINE {
        const auto P = moving(j.first, j.middle).load(0, &Run::run);
        const auto v_base = moving(j.first, j.end).load(0, &Run::v_base);
        moving(j.first, j.middle).store(0, &Run::v_base, v_base);
        moving(j.middle, j.end).store(0, &Run::v_base, P.X * v_base + P.b);
      });
      executor.for_each(m.n_links - 1, [&](Index k) TANDEM_INLINE {
        const auto [run, v_base] = moving(k, k + 1).load(0);
        links.store(k + 1, &Link<S>::v, run.X * v_base + run.b);
      });
    }

    /// A leaf of the tree: P11 = I^-1, P12 = I^-1 X^T, P22 = X I^-1 X^T, b_1 = -I^-1 p, b_2 = X b_1.          (12) -
    /// (16)
    template <class Fx>
    TANDEM_HD void single_link(int i, Fx f_ext) const {
      HandleMobility<S> e;
      free_link(i, f_ext, e.P11, e.b1);
      if (i + 1 < m.n_links) {
        const auto X = links.load(i + 1, &Link<S>::X);
        const auto XP = X * e.P11;
        e.P12 = transpose(XP);
        e.P22 = symmetrised(X * e.P12);
        e.b2 = vector6(X * as_motion(e.b1));
      } else {
        e.P12 = e.P22 = e.P11;
        e.b2 = e.b1;
      }
      e.store_at(at(i - 1, i));
    }

    /// Two runs become one at the joint between them.                                                        (31) -
    /// (36)
    TANDEM_PASS void assemble(const Join& j) const {
      const auto P = mobility(j.first, j.middle), Q = mobility(j.middle, j.end);
      HandleMobility<S> e = {P.P11, Matrix6<S>::zero(), Q.P22, P.b1, Q.b2};
      this->template at_joint<false>(
          static_cast<int>(j.middle) + 1, [&]() TANDEM_INLINE { return symmetric_sum(P.P22, Q.P11); },
          [&]<class Joint>(const Joint& joint, const auto& tau_i, const auto& c) TANDEM_INLINE {
            if constexpr (Joint::rows > 0) {
              const auto T_P = joint.lower(transpose(P.P12)), T_Q = joint.lower(Q.P12);  // F^T P12^T, F^T P12
              e.P11 = symmetric_transpose_mul_add(-T_P, T_P, P.P11);
              e.P12 = transpose_mul(T_P, T_Q);
              e.P22 = symmetric_transpose_mul_add(-T_Q, T_Q, Q.P22);
            }
            S qdd[Joint::d];  // of these two runs alone
            const auto f = joint.force(tau_i, Q.b1 - P.b2 - c, qdd);
            e.b1 = mul_add(-P.P12, f, P.b1);
            e.b2 = transpose_mul_add(Q.P12, f, Q.b2);
          });
      e.store_at(at(j.first, j.end));
    }

    /// The whole chain hangs by its first handle from the base, and nothing pulls at the second.
    TANDEM_HD void hang_on_base() const {
      const auto chain = mobility(0, m.n_links - 1);
      links.store(m.n_links, &Link<S>::f, Force<S>::zero());
      solve_at_base(1, chain.P11, chain.b1);
    }

    /// A run parts again at the joint between two.
    TANDEM_PASS void open(const Join& j) const {
      const auto P = mobility(j.first, j.middle), Q = mobility(j.middle, j.end);
      const auto f_1 = vector6(links.load(j.first + 1, &Link<S>::f)),
                 f_2 = -vector6(links.load(j.end + 1, &Link<S>::f));
      const auto a_Q = mul_add(Q.P12, f_2, Q.b1), a_P = transpose_mul_add(P.P12, f_1, P.b2);
      this->template solve<true>(
          static_cast<int>(j.middle) + 1, [&]() TANDEM_INLINE { return symmetric_sum(P.P22, Q.P11); }, a_Q - a_P);
    }
  };
};

}  // namespace tandem::inline TANDEM_ISA
