// SPDX-License-Identifier: Apache-2.0
/// Schedulers that try many schedules: annealing, and searches that go back to where they decided otherwise.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/at.hpp"
#include "core/random.hpp"
#include "papers/schedules/schedulers.hpp"

namespace tandem {
namespace {

/// Where tasks are done, and which of the ready ones comes first.
struct Arrangement {
  std::vector<Index> where;
  std::vector<double> urgency;
};

Placement carried_out(const Workload& work, const Arrangement& arrangement) {
  Placement placement(work, {});
  ReadyTasks ready(work);
  while (!ready.list().empty()) {
    const Index task = *std::max_element(ready.list().begin(), ready.list().end(), [&](Index a, Index b) {
      return arrangement.urgency[at(a)] < arrangement.urgency[at(b)];
    });
    placement.place(task, arrangement.where[at(task)]);
    ready.take(task);
  }
  return placement;
}

/// Decisions one after the other, taken back in the order in which they were made.
class Search {
 public:
  Search(const Workload& work, Patience patience, Schedule first)
      : work_(work), patience_(patience), best_(std::move(first)) {}

 protected:
  /// No schedule that goes on from here can be shorter than the best.
  bool is_hopeless(const Placement& placement, const ReadyTasks& ready) const {
    if (placement.length() >= best_.length) return true;
    for (const Index k : ready.list())
      if (placement.needs_done(k) + work_.level[at(k)] >= best_.length) return true;
    return false;
  }
  void keep(Placement placement) {
    if (placement.length() < best_.length) best_ = std::move(placement).finish();
  }

  const Workload& work_;
  Patience patience_;
  Schedule best_;
  bool stopped_ = false;
};

/// Every order of the tasks, each of which has its processor.
class FixedLinks : Search {
 public:
  FixedLinks(const Workload& work, Patience patience, std::vector<Index> where)
      : Search(work, patience, std::move(carried_out(work, {where, work.level})).finish()), where_(std::move(where)) {
    left_.resize(at(work.network.size()));
    for (std::size_t k = 0; k < where_.size(); ++k) left_[at(where_[k])] += work.time[k];
  }

  Schedule find() && {
    go(Placement(work_, {}), ReadyTasks(work_));
    best_.optimal = !stopped_;
    return std::move(best_);
  }

 private:
  void go(const Placement& placement, const ReadyTasks& ready) {
    if (ready.list().empty()) return keep(placement);
    if (is_hopeless(placement, ready)) return;
    for (Index q = 0; q < work_.network.size(); ++q)
      if (placement.end(q) + left_[at(q)] >= best_.length) return;
    std::vector<Index> candidates = ready.list();
    std::sort(candidates.begin(), candidates.end(), [&](Index x, Index y) {
      return work_.level[at(x)] > work_.level[at(y)] || (work_.level[at(x)] == work_.level[at(y)] && x < y);
    });
    for (const Index task : candidates) {
      if (stopped_ || !patience_.step()) {
        stopped_ = true;
        return;
      }
      const Index q = where_[at(task)];
      Placement next = placement;
      ReadyTasks rest = ready;
      next.place(task, q);
      rest.take(task);
      left_[at(q)] -= work_.time[at(task)];
      go(next, rest);
      left_[at(q)] += work_.time[at(task)];
    }
  }

  std::vector<Index> where_;
  std::vector<double> left_;  ///< us of tasks that each processor still has to do
};

/// Schedules that differ from the greedy one in few decisions, then in more: at each of them the pair that can begin
/// first, or one of the next.
class Backtracking : Search {
 public:
  Backtracking(const Workload& work, Patience patience)
      : Search(work, patience, earliest_first(work, {}, false).finish()) {}

  Schedule find() && {
    for (std::size_t differences = 1; differences <= work_.time.size() && !stopped_; ++differences)
      go(Placement(work_, {}), ReadyTasks(work_), work_.time.size(), differences);
    return std::move(best_);
  }

 private:
  static constexpr std::size_t choices = 4;
  struct Pair {
    double begin;
    Index task, q;
  };

  std::vector<Pair> ranked(const Placement& placement, const ReadyTasks& ready, std::size_t most) const {
    std::vector<Pair> pairs;
    for (const Index k : ready.list())
      for (Index q = 0; q < placement.worth_a_look(); ++q) pairs.push_back({placement.earliest(k, q), k, q});
    most = std::min(most, pairs.size());
    std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(most), pairs.end(),
                      [&](const Pair& a, const Pair& b) {
                        if (a.begin != b.begin) return a.begin < b.begin;
                        if (work_.level[at(a.task)] != work_.level[at(b.task)])
                          return work_.level[at(a.task)] > work_.level[at(b.task)];
                        return a.q < b.q;
                      });
    pairs.resize(most);
    return pairs;
  }

  /// Goes on with exactly so many decisions, of those about `tasks` tasks that are left, that differ from the first
  /// choice.
  void go(const Placement& placement, const ReadyTasks& ready, std::size_t tasks, std::size_t differences) {
    if (differences > tasks) return;
    if (tasks == 0) return keep(placement);
    if (is_hopeless(placement, ready)) return;
    const std::vector<Pair> pairs = ranked(placement, ready, differences > 0 ? choices : 1);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (stopped_ || !patience_.step()) {
        stopped_ = true;
        return;
      }
      Placement next = placement;
      ReadyTasks rest = ready;
      next.place(pairs[k].task, pairs[k].q);
      rest.take(pairs[k].task);
      go(next, rest, tasks - 1, differences - (k > 0 ? 1 : 0));
    }
  }
};

/// The shortest schedule of those that lists give, as an arrangement that carried_out() makes into the same one.
Arrangement best_of_lists(const Workload& work) {
  std::optional<Placement> best;
  for (Placement& placement : std::array{earliest_first(work, {}, false), longest_way_first(work), largest_first(work),
                                         level_and_messages(work)})
    if (!best || placement.length() < best->length()) best = std::move(placement);
  const std::size_t tasks = work.time.size();
  Arrangement arrangement = {std::vector<Index>(tasks), std::vector<double>(tasks)};
  double urgency = static_cast<double>(tasks);
  for (const auto& [task, q] : best->decisions()) {
    arrangement.where[at(task)] = q;
    arrangement.urgency[at(task)] = urgency--;
  }
  return arrangement;
}

}  // namespace

Schedule annealed(const Workload& work, Patience patience, std::uint64_t seed) {
  Arrangement arrangement = best_of_lists(work);
  Placement first = carried_out(work, arrangement);
  double length = first.length();
  Schedule best = std::move(first).finish();
  const auto tasks = static_cast<Index>(arrangement.where.size());
  Random random(seed);
  const auto below = [&](Index n) { return static_cast<Index>(random.below(static_cast<std::uint64_t>(n))); };
  Arrangement best_arrangement = arrangement;
  constexpr double first_heat = 0.01, last_heat = 1e-4, cooling = 0.999;  // of the length; of every step
  double heat = first_heat * length;
  while (patience.step()) {
    heat *= cooling;
    if (heat < last_heat * length) {  // again from the best
      arrangement = best_arrangement;
      length = best.length;
      heat = first_heat * length;
    }
    Arrangement other = arrangement;
    const Index task = below(tasks);
    if (random.unit() < 0.5)
      other.where[at(task)] = below(work.network.size());
    else
      std::swap(other.urgency[at(task)], other.urgency[at(below(tasks))]);
    Placement placement = carried_out(work, other);
    const double longer = placement.length() - length;
    if (longer > 0 && random.unit() >= std::exp(-longer / heat)) continue;
    arrangement = std::move(other);
    length = placement.length();
    if (length >= best.length) continue;
    best = std::move(placement).finish();
    best_arrangement = arrangement;
  }
  return best;
}

Schedule on_fixed_links(const Workload& work, Patience patience) {
  Index links = 1;
  for (const Task& task : work.graph.tasks) links = std::max(links, task.link);
  const Index processors = work.network.size();
  std::vector<Index> where;
  for (const Task& task : work.graph.tasks) {
    const Index link = std::max<Index>(task.link, 1) - 1;
    where.push_back(links <= processors ? link : link * processors / links);
  }
  return FixedLinks(work, patience, std::move(where)).find();
}

Schedule backtracked(const Workload& work, Patience patience) { return Backtracking(work, patience).find(); }

}  // namespace tandem
