// SPDX-License-Identifier: Apache-2.0
/// Executor of methods on a GPU: all threads of a group of blocks execute the code of the method.
#pragma once
#include "backends/cuda/links/team.hpp"
#include "tandem/detail/executors/runs.hpp"
#include "tandem/detail/executors/scan.hpp"

namespace tandem::cuda {

/// The blocks of a group have consecutive indices. ThreadBlock has one more member than in team.hpp:
///
///     sync_blocks(barrier, blocks)            barrier of `blocks` blocks; the counter is 0 at first
template <class ThreadBlock>
class GroupExecutor {
 public:
  TANDEM_BLOCK GroupExecutor(unsigned* barrier, int blocks, int block)
      : barrier_(barrier), blocks_(blocks), block_(block) {}

  TANDEM_BLOCK void wait() const {
    if (blocks_ > 1)
      ThreadBlock::sync_blocks(barrier_, blocks_);
    else
      ThreadBlock::sync();
  }
  template <class F>
  TANDEM_HD void for_each(Index n, F&& f) const {
    for (Index i = thread(); i < n; i += threads()) f(i);
    wait();
  }
  template <class F>
  TANDEM_HD void on_one(F&& f) const {
    if (thread() == 0) f();
    wait();
  }

  /// The levels of a tree over n elements: f(h, k) for h = 1, 2, 4, ... < n and all k with 2 h k + h <= n, of which
  /// every one touches the elements 2 h k - 1 to 2 h (k + 1) - 1 alone. A block goes up over a part of them by itself,
  /// the first one then over the parts.
  template <class F>
  TANDEM_HD void levels_up(Index n, F&& f) const {
    const Index part = part_of_block(n);
    for (Index h = 1; h < part && h < n; h *= 2) on_level(n, h, part, f);
    wait();
    if (part >= n) return;
    if (block_ == 0)
      for (Index h = part; h < n; h *= 2) on_level(n, h, n, f);
    wait();
  }
  /// Likewise down.
  template <class F>
  TANDEM_HD void levels_down(Index n, F&& f) const {
    const Index part = part_of_block(n);
    Index h = 1;
    while (2 * h < n) h *= 2;
    if (part < n) {
      if (block_ == 0)
        for (; h >= part; h /= 2) on_level(n, h, n, f);
      wait();
      h = part / 2;
    }
    for (; h > 0; h /= 2) on_level(n, h, part, f);
    wait();
  }

  // through in_small_parts
  template <Scan kind, class Op, class Slots>
  TANDEM_HD void scan(const Op& op, Index n, const Slots& slots) const {
    scan_tree<kind>(*this, op, n, slots);
  }
  template <class Runs>
  TANDEM_HD void gather_runs(const Runs& runs) const {
    runs.tree.upward(*this, [&](const Join& j) TANDEM_INLINE { runs.join(j); });
  }
  template <class Runs, class Port>
  TANDEM_HD void spread_ports(const Runs& runs, const Port& port) const {
    on_one([&]() TANDEM_INLINE { runs.port(0, runs.tree.n) = port; });
    runs.tree.downward(*this, [&](const Join& j) TANDEM_INLINE { runs.part(j); });
  }
  TANDEM_BLOCK JoinTree tree_over(Index n) const { return {n}; }

 private:
  TANDEM_BLOCK Index thread() const { return Index{block_} * ThreadBlock::threads() + ThreadBlock::thread(); }
  TANDEM_BLOCK Index threads() const { return Index{blocks_} * ThreadBlock::threads(); }
  /// Elements, a power of two: no fewer than its threads have joins for, and not so few that there are more parts than
  /// blocks.
  TANDEM_BLOCK Index part_of_block(Index n) const {
    Index part = 2;
    while (part < 2 * Index{ThreadBlock::threads()} || part * blocks_ < n) part *= 2;
    return part;
  }
  /// One level within the block's part of the elements.
  template <class F>
  TANDEM_HD void on_level(Index n, Index h, Index part, F& f) const {
    const Index begin = block_ * part, end = begin + part < n ? begin + part : n;
    for (Index k = begin / (2 * h) + ThreadBlock::thread(); 2 * h * k + h <= end; k += ThreadBlock::threads()) f(h, k);
    ThreadBlock::sync();
  }

  unsigned* barrier_;
  int blocks_, block_;
};

}  // namespace tandem::cuda
