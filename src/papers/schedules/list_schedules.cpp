// SPDX-License-Identifier: Apache-2.0
/// Schedulers that place one task after the other and never look back.
#include <algorithm>
#include <limits>

#include "core/at.hpp"
#include "papers/schedules/earliest_pairs.hpp"
#include "papers/schedules/schedulers.hpp"

namespace tandem {
namespace {

Placement earliest_pair_first(const Workload& work, const PlacementRules& rules, bool list_order,
                              const std::vector<Index>* where) {
  Placement placement(work, rules);
  ReadyTasks ready(work);
  EarliestPairs pairs(work, placement, list_order, where);
  for (const Index task : ready.list()) pairs.add(task);
  Placement::Changes changes;
  while (!ready.list().empty()) {
    const EarliestPairs::Pair pair = pairs.first();
    placement.place(pair.task, pair.processor, &changes);
    pairs.remove(pair.task);
    const std::size_t more = ready.take(pair.task);
    for (const Index q : changes.busy) pairs.busy(q);
    for (const auto& [k, q] : changes.arrived) pairs.arrived(k, q);
    for (std::size_t k = ready.list().size() - more; k < ready.list().size(); ++k) pairs.add(ready.list()[k]);
  }
  return placement;
}

}  // namespace

Placement earliest_first(const Workload& work, const PlacementRules& rules, bool list_order) {
  return earliest_pair_first(work, rules, list_order, nullptr);
}

Placement earliest_first_on(const Workload& work, const PlacementRules& rules, const std::vector<Index>& where) {
  return earliest_pair_first(work, rules, false, &where);
}

Placement by_rank(const Workload& work, const Rank& rank) {
  Placement placement(work, {});
  ReadyTasks ready(work);
  while (!ready.list().empty()) {
    // the first time at which there are both a free processor and a task that waits for nobody
    double now = std::numeric_limits<double>::infinity(), free = now;
    for (const Index k : ready.list()) now = std::min(now, placement.needs_done(k));
    const Index look = placement.worth_a_look();
    for (Index q = 0; q < look; ++q) free = std::min(free, placement.end(q));
    now = std::max(now, free);
    Index task = -1, best = -1;
    for (const Index k : ready.list())
      if (placement.needs_done(k) <= now && (task < 0 || rank(k, task))) task = k;
    for (Index q = 0; q < look; ++q)
      if (placement.end(q) <= now && (best < 0 || placement.earliest(task, q) < placement.earliest(task, best)))
        best = q;
    placement.place(task, best);
    ready.take(task);
  }
  return placement;
}

Placement longest_way_first(const Workload& work) {
  return by_rank(work, [&](Index a, Index b) {
    if (work.level[at(a)] != work.level[at(b)]) return work.level[at(a)] > work.level[at(b)];
    return work.readers[at(a)].size() > work.readers[at(b)].size();
  });
}

Placement largest_first(const Workload& work) {
  return by_rank(work, [&](Index a, Index b) { return work.time[at(a)] > work.time[at(b)]; });
}

std::vector<double> levels_with_messages(const Workload& work) {
  std::vector<double> level(work.time.size());
  const std::vector<Index> order = in_order(work.graph);
  for (auto k = order.rbegin(); k != order.rend(); ++k) {
    double behind = 0;
    for (const Index reader : work.readers[at(*k)]) behind = std::max(behind, work.message[at(*k)] + level[at(reader)]);
    level[at(*k)] = work.time[at(*k)] + behind;
  }
  return level;
}

Placement level_and_messages(const Workload& work) {
  const std::vector<double> level = levels_with_messages(work);
  Placement placement(work, {});
  ReadyTasks ready(work);
  while (!ready.list().empty()) {
    const Index task = *std::max_element(ready.list().begin(), ready.list().end(),
                                         [&](Index a, Index b) { return level[at(a)] < level[at(b)]; });
    Index best = 0;
    for (Index q = 1; q < placement.worth_a_look(); ++q)
      if (placement.earliest(task, q) < placement.earliest(task, best)) best = q;
    placement.place(task, best);
    ready.take(task);
  }
  return placement;
}

}  // namespace tandem
