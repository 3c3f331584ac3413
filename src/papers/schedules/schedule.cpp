// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "core/at.hpp"
#include "core/text.hpp"
#include "papers/schedules/schedulers.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

void check_options(const ScheduleOptions& options) {
  if (options.processors < 1) throw Error(sentence("processors: expected 1 or more, not ", options.processors));
  if (!(options.seconds >= 0)) throw Error(sentence("seconds: expected a time of 0 or more, not ", options.seconds));
  if (options.steps < 0) throw Error(sentence("steps: expected 0 or more, not ", options.steps));
  if (*to_string(options.scheduler) == 0 || *to_string(options.topology) == 0)
    throw Error("scheduler or topology has an invalid value");
  const bool has_ties = options.scheduler == Scheduler::earliest_first || options.scheduler == Scheduler::duplication ||
                        options.scheduler == Scheduler::earliest_first_append;
  if (options.list_order && !has_ties)
    throw Error(sentence("list_order: scheduler ", to_string(options.scheduler),
                         " defines its own order; expected earliest_first, earliest_first_append or duplication"));
}

std::vector<Index> each_its_own(std::size_t tasks) {
  std::vector<Index> where(tasks);
  for (std::size_t k = 0; k < tasks; ++k) where[k] = static_cast<Index>(k);
  return where;
}

Schedule made(const Workload& work, const ScheduleOptions& options) {
  const Patience patience(options.seconds, options.steps);
  switch (options.scheduler) {
    case Scheduler::earliest_first: return earliest_first(work, {}, options.list_order).finish();
    case Scheduler::earliest_first_append: return earliest_first(work, {false, false}, options.list_order).finish();
    case Scheduler::critical_path: return longest_way_first(work).finish();
    case Scheduler::largest_first: return largest_first(work).finish();
    case Scheduler::level_and_messages: return level_and_messages(work).finish();
    case Scheduler::annealing: return annealed(work, patience, options.seed);
    case Scheduler::fixed_links: return on_fixed_links(work, patience);
    case Scheduler::backtracking: return backtracked(work, patience);
    case Scheduler::duplication: return earliest_first(work, {true, true}, options.list_order).finish();
    case Scheduler::one_each: return earliest_first_on(work, {}, each_its_own(work.time.size())).finish();
  }
  return {};
}

}  // namespace

Index Schedule::used() const {
  return std::count_if(processors.begin(), processors.end(), [](const auto& slots) { return !slots.empty(); });
}

Index Schedule::messages() const {
  Index all = 0;
  for (const auto& slots : processors)
    all += std::count_if(slots.begin(), slots.end(), [](const Slot& slot) { return slot.kind == SlotKind::send; });
  return all;
}

double Schedule::computing() const {
  double sum = 0;
  for (const auto& slots : processors)
    for (const Slot& slot : slots)
      if (slot.kind == SlotKind::task) sum += slot.end - slot.begin;
  return sum;
}

Schedule make_schedule(const TaskGraph& graph, const MachineModel& machine, const ScheduleOptions& options) {
  check(graph);
  check(machine);
  check_options(options);
  const bool one_each = options.scheduler == Scheduler::one_each;
  const Network network(options.topology, one_each ? static_cast<Index>(graph.tasks.size()) : options.processors);
  const Workload work(graph, machine, network);
  return made(work, options);
}

CriticalPath critical_path(const TaskGraph& graph, const MachineModel& machine) {
  check(graph);
  const Workload work(graph, machine, Network(Topology::full, 1));
  CriticalPath path;
  std::vector<Index> next;
  for (std::size_t k = 0; k < graph.tasks.size(); ++k) next.push_back(static_cast<Index>(k));
  while (!next.empty()) {
    const Index task = *std::max_element(next.begin(), next.end(),
                                         [&](Index a, Index b) { return work.level[at(a)] < work.level[at(b)]; });
    path.tasks.push_back(task);
    path.cost += graph.tasks[at(task)].cost;
    path.time += work.time[at(task)];
    next = work.readers[at(task)];
  }
  return path;
}

ScheduleBounds schedule_bounds(const TaskGraph& graph, const MachineModel& machine, Index processors) {
  if (processors < 1) throw Error(sentence("processors: expected 1 or more, not ", processors));
  ScheduleBounds bounds;
  bounds.critical_path = critical_path(graph, machine).time;
  const Workload work(graph, machine, Network(Topology::full, 1));
  std::vector<double> arrives(graph.tasks.size());  // along the way with most messages
  for (const Index k : in_order(graph)) {
    bounds.serial += work.time[at(k)];
    for (const Index needed : graph.tasks[at(k)].needs) {
      bounds.messages += work.message[at(needed)];
      arrives[at(k)] = std::max(arrives[at(k)], arrives[at(needed)] + work.message[at(needed)]);
    }
    bounds.longest_messages = std::max(bounds.longest_messages, arrives[at(k)]);
  }
  bounds.least = std::max(bounds.critical_path, bounds.serial / static_cast<double>(processors));
  bounds.most = bounds.serial + bounds.messages;
  return bounds;
}

BestSchedule best_schedule(const TaskGraph& graph, const MachineModel& machine, ScheduleOptions options, Index most,
                           const ScheduleProgress& progress) {
  const Index tasks = static_cast<Index>(graph.tasks.size());
  most = std::min(most == 0 ? tasks : most, tasks);
  const double serial = schedule_bounds(graph, machine, 1).serial;
  BestSchedule best;
  std::set<Index> dealt_with;
  Index all = most;  // numbers to deal with, at most
  const auto consider = [&](Index processors) {
    if (processors < 1 || processors > most || !dealt_with.insert(processors).second) return;
    const bool share_is_longer = best.processors > 0 && serial / static_cast<double>(processors) > best.schedule.length;
    if (share_is_longer) return;
    options.processors = processors;
    Schedule schedule = make_schedule(graph, machine, options);
    ++best.tried;
    const double length = schedule.length;
    const bool better = best.processors == 0 || length < best.schedule.length ||
                        (length == best.schedule.length && processors < best.processors);
    if (better) best = {processors, std::move(schedule), best.tried};
    if (progress) progress(processors, length, static_cast<Index>(dealt_with.size()), all);
  };
  consider(most);
  const bool searches = options.scheduler == Scheduler::annealing || options.scheduler == Scheduler::backtracking ||
                        options.scheduler == Scheduler::fixed_links;
  if (!searches && options.topology == Topology::full) {
    most = std::min(most, best.schedule.used());  // lists leave more of them idle, too
    if (best.processors > most) {
      best.processors = most;
      best.schedule.processors.resize(at(most));
      dealt_with = {most};
    }
  }
  constexpr double long_work = 5e7;
  constexpr Index few = 64;
  const bool thinned = !searches && static_cast<double>(tasks) * static_cast<double>(most * most) > long_work;
  std::vector<Index> numbers;
  for (Index n = most; n > 0; n -= thinned && n > few ? n / 16 : 1) numbers.push_back(n);
  all = static_cast<Index>(numbers.size()) + (thinned ? most / 8 : 0);
  for (const Index n : numbers) consider(n);
  const Index middle = best.processors, reach = middle / 16;
  for (Index n = middle - reach; n <= middle + reach; ++n) consider(n);
  return best;
}

BestSchedule bisected_schedule(const TaskGraph& graph, const MachineModel& machine, ScheduleOptions options,
                               const ScheduleProgress& progress) {
  const ScheduleBounds bounds = schedule_bounds(graph, machine, 1);
  ScheduleOptions one_each = options;
  one_each.scheduler = Scheduler::one_each;
  one_each.processors = 1;  // which one_each does not read
  one_each.list_order = false;
  const double aim = make_schedule(graph, machine, one_each).length;
  BestSchedule best;
  Index lower = 1, upper = static_cast<Index>(std::ceil(bounds.serial / bounds.critical_path)) * 2;
  const auto all = static_cast<Index>(std::ceil(std::log2(static_cast<double>(upper)))) + 1;
  while (lower < upper) {
    options.processors = (lower + upper) / 2;
    Schedule schedule = make_schedule(graph, machine, options);
    ++best.tried;
    if (progress) progress(options.processors, schedule.length, best.tried, all);
    if (schedule.length > aim)
      lower = options.processors + 1;
    else
      upper = options.processors;
    if (best.processors == 0 || schedule.length < best.schedule.length)
      best = {options.processors, std::move(schedule), best.tried};
  }
  return best;
}

}  // namespace tandem
