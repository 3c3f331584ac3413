// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/papers/divide_and_conquer.hpp"
#include "tandem/detail/problems/closed_loop_dynamics.hpp"

namespace tandem::inline TANDEM_ISA {

/// Divide and conquer for robots with closed loops: their forces come out of the tree of joins, as those across joints
/// do.
///                                                                              docs/algorithms/divide_and_conquer.md
///
/// Method    that of DivideAndConquer on trees; a loop joint is one more join, of two handles of one subsystem, at
///           which what is held already is left out (passes/loop_mobility.hpp). When a loop is closed the plan says.
///           Loops as joins: Featherstone 1999, part 2, and in words the paper
/// In, Out   those of ClosedLoopDynamics. Where several loops hold one direction, which of them carries its force may
///           differ
/// Options   stabilisation
/// Joints    as DivideAndConquer; loop joints of every type, on links and on the base
/// Work      as DivideAndConquer on trees, and with h handles of a subsystem 9 h (h + 2); 78 for each loop joint
/// Cost      a loop joint costs a join more, of h handles O(h^2), all joins O(h^3)
struct DivideAndConquerLoops {
  using Problem = ClosedLoopDynamics;
  static constexpr Method method = Method::divide_and_conquer;
  double stabilisation = 0;
  const HandlePlan* plan = nullptr;  ///< made beforehand for the model, of its loops

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options& o) {
    return DivideAndConquer::refuses(m, o);
  }

  template <class M>
  Index work_rows(const ModelView<M>& m) const {
    return rows_of_edges(*plan) + rows_of_nodes(*plan) + rows_of_loop * Index{m.n_loops};
  }

  template <class S, class Executor, class M, class Q, class Qd, class Tau, class Fx, class D, class A, class Loop,
            class Work>
  void body(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, A a, Loop f_loop,
            Work w) const {
    if (m.n_links < 2) return;
    const HandlePlan& how = *plan;
    using Robot = DividedRobot<S, M, Q, Qd, Tau, D, A, S*>;
    using Link = DividedLink<S>;
    S* const rows = w;
    const Robot robot = {m, q, v, tau, diagonal, a, {rows}, rows + rows_of<Link> * how.n_edges};
    const DividedSubsystems<S, M, Q, Qd, Tau, Fx, D, A> subsystems(robot, f_ext, nullptr);
    DividedTree<S, M, Q, Qd, Tau, Fx, D, A> tree(subsystems, how, rows + rows_of_edges(how));
    tree.loop_rows = rows + rows_of_edges(how) + rows_of_nodes(how);
    tree.stabilisation = S(static_cast<typename RealOf<S>::type>(stabilisation));
    tree.run(executor);
    if (!f_loop) return;
    for (int loop = 0; loop < m.n_loops; ++loop) {
      const auto turn = load<Mat3<S>>(m.loop_turn, Index{9} * loop);
      const auto f = robot.links.load(m.n_links + 2 * loop, &Link::f);
      store(f_loop, Index{6} * loop, transpose_mul(turn, f.f));
      store(f_loop, Index{6} * loop + 3, transpose_mul(turn, f.n));
    }
  }

 private:
  static constexpr Index rows_of_loop = rows_of<DividedLoop<double>>;
  static Index rows_of_edges(const HandlePlan& how) { return DivideAndConquer::rows_of_link * how.n_edges; }
  static Index rows_of_nodes(const HandlePlan& how) { return how.row[how.n_nodes]; }
};

}  // namespace tandem::inline TANDEM_ISA
