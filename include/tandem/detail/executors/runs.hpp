// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "tandem/detail/executors/join_tree.hpp"

namespace tandem::inline TANDEM_ISA {

/// A row whose elements are joined to runs and part again: the scan of recursions that need to look both ways. What is
/// known at the ends of the whole row, its port, comes down the tree of joins to the ends of every element. Nothing but
/// ports comes down, and joins keep what they found: for large elements that is half the work of two scans.
///
/// Operator   Element   a run as seen from its ends, numbers only: it may travel to another process
///            Kept      what a join keeps for the way back; an empty struct, if nothing
///            Port      what is known at the ends of a run
///            join(P, Q, ends, kept, whole)                   with `ends` nothing lies beyond Q
///            part(port, kept, P, Q, ends, port_P, port_Q)
template <class Op>
struct Runs {
  using Element = typename Op::Element;
  using Kept = typename Op::Kept;
  using Port = typename Op::Port;

  Op op;
  JoinTree tree;            ///< of tree.end - tree.begin elements here; joins are numbered from 0
  Element* elements;        ///< [elements here]
  Element* joined;          ///< [joins here] what they made
  Kept* kept;               ///< [joins here] or null for an empty struct
  Port* ports_of_elements;  ///< [elements here]
  Port* ports_of_joined;    ///< [joins here]

  TANDEM_HD Element& element(Index first, Index end) const {
    return end - first == 1 ? elements[first - tree.begin] : joined[number(first, end)];
  }
  TANDEM_HD Port& port(Index first, Index end) const {
    return end - first == 1 ? ports_of_elements[first - tree.begin] : ports_of_joined[number(first, end)];
  }
  /// All of them, on an executor that has all.
  TANDEM_HD Element& whole() const { return element(0, tree.n); }

  TANDEM_HD void join(const Join& j) const {
    with_kept(j, [&](Kept& keeps) TANDEM_INLINE {
      op.join(element(j.first, j.middle), element(j.middle, j.end), j.end == tree.n, keeps, element(j.first, j.end));
    });
  }
  TANDEM_HD void part(const Join& j) const {
    with_kept(j, [&](Kept& keeps) TANDEM_INLINE {
      op.part(port(j.first, j.end), keeps, element(j.first, j.middle), element(j.middle, j.end), j.end == tree.n,
              port(j.first, j.middle), port(j.middle, j.end));
    });
  }

 private:
  TANDEM_HD Index number(Index first, Index end) const { return tree.middle(first, end) - 1 - tree.begin; }
  template <class F>
  TANDEM_HD void with_kept(const Join& j, F&& f) const {
    if constexpr (std::is_empty_v<Kept>) {
      Kept none;
      f(none);
    } else {
      f(kept[j.middle - 1 - tree.begin]);
    }
  }
};

/// The tree over n elements; on an executor that holds a part of a longer row, that part of its tree. Up to `few`
/// elements, where whoever has them all is as fast without a tree, are joined in a row.
template <class Executor>
TANDEM_HD JoinTree tree_over(const Executor& executor, Index n, Index few) {
  if constexpr (requires { executor.tree_over(n); })
    return executor.tree_over(n);
  else
    return {n, n <= few};
}

/// Joins the elements to one run.
template <class Executor, class Op>
TANDEM_HD void gather_runs(const Executor& executor, const Runs<Op>& runs) {
  if constexpr (requires { executor.gather_runs(runs); })
    executor.gather_runs(runs);
  else
    runs.tree.upward(executor, [&](const Join& j) TANDEM_INLINE { runs.join(j); });
}
/// From what is known at the ends of the whole row to what is known at the ends of each element.
template <class Executor, class Op>
TANDEM_HD void spread_ports(const Executor& executor, const Runs<Op>& runs, const typename Op::Port& port) {
  if constexpr (requires { executor.spread_ports(runs, port); }) {
    executor.spread_ports(runs, port);
  } else {
    runs.port(0, runs.tree.n) = port;
    runs.tree.downward(executor, [&](const Join& j) TANDEM_INLINE { runs.part(j); });
  }
}

}  // namespace tandem::inline TANDEM_ISA
