// SPDX-License-Identifier: Apache-2.0
/// Schedulers that place one task after the other and never look back.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/at.hpp"
#include "schedules/schedulers.hpp"

namespace tandem {
namespace {

/// What it takes to bring to each processor what each ready task needs, computed again only where something has arrived.
class Bringing {
 public:
  Bringing(const Workload& work, const Placement& placement, const std::vector<Index>* where)
      : work_(work), placement_(placement), where_(where) {}

  struct Entry {
    double needs_done;
    std::vector<double> bringing;  ///< to each processor, or to that which is given
  };
  void add(Index task) {
    Entry& entry = entries_[task];
    entry.needs_done = placement_.needs_done(task);
    entry.bringing.resize(where_ ? 1 : at(work_.network.size()));
    update_all(task, entry);
  }
  void remove(Index task) { entries_.erase(task); }
  const Entry& of(Index task) const { return entries_.at(task); }

  /// Outputs of `task` came to processor q.
  void update(Index task, Index q) {
    for (const Index reader : work_.readers[at(task)]) {
      const auto found = entries_.find(reader);
      if (found == entries_.end()) continue;
      if (where_ || !work_.network.is_full())
        update_all(reader, found->second);
      else
        found->second.bringing[at(q)] = placement_.bringing(reader, q);
    }
  }

 private:
  void update_all(Index task, Entry& entry) {
    for (std::size_t q = 0; q < entry.bringing.size(); ++q)
      entry.bringing[q] = placement_.bringing(task, where_ ? (*where_)[at(task)] : static_cast<Index>(q));
  }

  const Workload& work_;
  const Placement& placement_;
  const std::vector<Index>* where_;
  std::unordered_map<Index, Entry> entries_;
};

Schedule earliest_pair_first(const Workload& work, const PlacementRules& rules, bool list_order,
                             const std::vector<Index>* where) {
  Placement placement(work, rules);
  ReadyTasks ready(work);
  Bringing bringing(work, placement, where);
  for (const Index task : ready.list()) bringing.add(task);
  std::vector<std::pair<Index, Index>> arrived;
  while (!ready.list().empty()) {
    Index task = -1, best = 0;
    double begin = std::numeric_limits<double>::infinity();
    for (const Index k : ready.list()) {
      const auto& entry = bringing.of(k);
      const Index from = where ? (*where)[at(k)] : 0, to = where ? from + 1 : placement.worth_a_look();
      for (Index q = from; q < to; ++q) {
        const double earliest = std::max(entry.needs_done, placement.end(q)) + entry.bringing[at(q - (where ? q : 0))];
        if (earliest > begin) continue;
        const bool first = list_order ? k < task : work.level[at(k)] > work.level[at(std::max<Index>(task, 0))];
        if (earliest < begin || (k != task && first)) task = k, best = q, begin = earliest;
      }
    }
    arrived.clear();
    placement.place(task, best, &arrived);
    bringing.remove(task);
    const std::size_t more = ready.take(task);
    for (const auto& [k, q] : arrived) bringing.update(k, q);
    for (std::size_t k = ready.list().size() - more; k < ready.list().size(); ++k) bringing.add(ready.list()[k]);
  }
  return std::move(placement).finish();
}

}  // namespace

Schedule earliest_first(const Workload& work, const PlacementRules& rules, bool list_order) {
  return earliest_pair_first(work, rules, list_order, nullptr);
}

Schedule earliest_first_on(const Workload& work, const PlacementRules& rules, const std::vector<Index>& where) {
  return earliest_pair_first(work, rules, false, &where);
}

Schedule by_rank(const Workload& work, const Rank& rank) {
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
  return std::move(placement).finish();
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

Schedule level_and_messages(const Workload& work, std::vector<Index>* where) {
  const std::vector<double> level = levels_with_messages(work);
  Placement placement(work, {});
  ReadyTasks ready(work);
  if (where) where->assign(level.size(), 0);
  while (!ready.list().empty()) {
    const Index task = *std::max_element(ready.list().begin(), ready.list().end(),
                                         [&](Index a, Index b) { return level[at(a)] < level[at(b)]; });
    Index best = 0;
    for (Index q = 1; q < placement.worth_a_look(); ++q)
      if (placement.earliest(task, q) < placement.earliest(task, best)) best = q;
    placement.place(task, best);
    ready.take(task);
    if (where) (*where)[at(task)] = best;
  }
  return std::move(placement).finish();
}

}  // namespace tandem
