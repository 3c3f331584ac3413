// SPDX-License-Identifier: Apache-2.0
/// What make_schedule chooses among.
#pragma once
#include <chrono>
#include <functional>
#include <optional>

#include "papers/schedules/placement.hpp"

namespace tandem {

/// The modified ETF: of all ready tasks and processors the pair that can begin first, again and again. Equal ones: the
/// longest way ahead, or the task that is listed first.
Placement earliest_first(const Workload& work, const PlacementRules& rules, bool list_order);
/// The same where task k is done on processor `where[k]`.
Placement earliest_first_on(const Workload& work, const PlacementRules& rules, const std::vector<Index>& where);

/// A processor that is free takes the ready task of the highest rank, `rank(a, b)`: a before b.
using Rank = std::function<bool(Index, Index)>;
Placement by_rank(const Workload& work, const Rank& rank);

/// The ready task with the longest way ahead, then most readers, goes to a processor that is free.
Placement longest_way_first(const Workload& work);
/// The ready task that takes longest goes to a processor that is free.
Placement largest_first(const Workload& work);
/// The ready task with the longest way ahead, messages included, goes where it ends first.
Placement level_and_messages(const Workload& work);
/// Levels that count the messages of the longest way, too, us.
std::vector<double> levels_with_messages(const Workload& work);

/// How long a search may go on.
class Patience {
 public:
  Patience(double seconds, std::int64_t steps)
      : steps_(steps),
        until_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}
  /// One step more; false when it is time to stop.
  bool step() {
    ++taken_;
    return steps_ > 0 ? taken_ <= steps_ : Clock::now() < until_;
  }
  std::int64_t taken() const { return taken_; }

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t steps_, taken_ = 0;
  Clock::time_point until_;
};

Schedule annealed(const Workload& work, Patience patience, std::uint64_t seed);
Schedule on_fixed_links(const Workload& work, Patience patience);
Schedule backtracked(const Workload& work, Patience patience);

}  // namespace tandem
