// SPDX-License-Identifier: Apache-2.0
/// Which of all ready tasks and processors can begin first, found without a look at every pair.
///
/// A processor q keeps two heaps of ready tasks. Those whose inputs are computed after q is free begin at needs_done +
/// bringing, which does not change while q takes other tasks; the others begin at end(q) + bringing and are ordered by
/// bringing alone. A task goes from the first heap to the second when it comes to the top and end(q) has passed its
/// inputs. What has become void (a task that was placed, a message that arrived) is dropped at the top.
#pragma once
#include <cstdint>
#include <vector>

#include "papers/schedules/placement.hpp"

namespace tandem {

class EarliestPairs {
 public:
  struct Pair {
    Index task = -1, processor = 0;
    double begin = 0;
  };

  /// `list_order`: of equal pairs that of the task listed first; else of the longest way ahead, then of the task that
  /// was ready first. `where`: the only processor of each task, if there.
  EarliestPairs(const Workload& work, const Placement& placement, bool list_order, const std::vector<Index>* where);

  /// A task all of whose needs have been placed.
  void add(Index task);
  /// `task` was placed: it is no longer ready.
  void remove(Index task);
  /// Outputs of `task` came to processor q.
  void arrived(Index task, Index q);
  /// More is to be done before processor q is free.
  void busy(Index q) { stale_.push_back(q); }
  /// The pair that can begin first; of equal pairs of one task that of the processor with the lower number.
  Pair first();

 private:
  struct Entry {
    double key, bringing;
    std::uint64_t rank;  ///< of two tasks that can begin at the same time, that of the lower rank is first
    Index task;
  };
  struct Heaps {
    std::vector<Entry> later, open;
  };
  struct Ready {
    double needs_done = 0;
    std::vector<double> bringing;  ///< to each processor that is looked at, or to that of `where`; empty: not ready
    std::uint64_t rank = 0;        ///< the list's, or the level's and, below it, the order in which tasks became ready
  };

  double& bringing(Index task, Index q) { return ready_[at(task)].bringing[where_ ? 0 : at(q)]; }
  bool is_void(const Entry& entry, Index q) {
    return ready_[at(entry.task)].bringing.empty() || bringing(entry.task, q) != entry.bringing;
  }
  static bool is_below(const Entry& a, const Entry& b) {
    return a.key > b.key || (a.key == b.key && a.rank > b.rank);
  }
  bool comes_before(const Pair& a, const Pair& b) const;
  void push(Index task, Index q);
  void look_at_new_processors();
  Pair best_of(Index q);
  void play(Index q);

  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  const Workload& work_;
  const Placement& placement_;
  bool list_order_;
  const std::vector<Index>* where_;
  std::vector<Ready> ready_;  ///< of every task
  std::vector<Heaps> heaps_;  ///< of every processor that is looked at
  std::vector<Index> stale_;  ///< processors whose best pair may be another
  std::vector<std::uint64_t> level_rank_;  ///< 0: the longest way ahead
  std::uint64_t turns_ = 0;
  std::size_t ready_now_ = 0;
  std::vector<Pair> best_;      ///< of every processor; its leaves, of a tournament:
  std::vector<Index> winners_;  ///< processors; the first is the winner of all, -1 is nobody
  std::size_t leaves_ = 1;
};

}  // namespace tandem
