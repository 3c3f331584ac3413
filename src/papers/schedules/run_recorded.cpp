// SPDX-License-Identifier: Apache-2.0
/// Schedules of recorded functions carried out.
#include <algorithm>

#include "core/at.hpp"
#include "core/text.hpp"
#include "papers/schedules/measured_machine.hpp"
#include "papers/schedules/recorded_tasks.hpp"
#include "papers/schedules/thread_run.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// Rows of the inputs, those that are given or some state's.
std::vector<double> inputs_of(const RecordedFunction& function, const Model& model,
                              const std::vector<std::vector<double>>& given) {
  std::vector<double> all;
  std::size_t next = 0;
  for (const RecordedColumn& column : function.columns) {
    if (!is_input(*column.argument) || column.rows.empty()) continue;
    const std::size_t size = column.rows.size();
    if (given.empty()) {
      std::vector<double> some(size);
      for (std::size_t k = 0; k < size; ++k) some[k] = 0.1 * static_cast<double>(k % 7) + 0.05;
      if (column.argument->rows == Rows::q) some = random_configuration(model, 1);
      all.insert(all.end(), some.begin(), some.end());
      continue;
    }
    if (next == given.size() || given[next].size() != size)
      throw Error(sentence(function.name, " expects ", size, " numbers for its input ", column.argument->name, ", got ",
                           next == given.size() ? 0 : given[next].size()));
    all.insert(all.end(), given[next].begin(), given[next].end());
    ++next;
  }
  if (next < given.size()) throw Error(sentence(function.name, " expects ", next, " inputs, got ", given.size()));
  return all;
}

}  // namespace

ScheduleRun run_schedule(const Schedule& schedule, const Algorithm& algorithm, const Model& model,
                         const std::vector<std::vector<double>>& inputs, Grain grain, const Options& options,
                         int rounds) {
  if (rounds < 1) throw Error(sentence("rounds: expected 1 or more, not ", rounds));
  const RecordedTasks tasks(algorithm, model, grain, options);
  const auto count = static_cast<Index>(tasks.graph().tasks.size());
  for (const auto& slots : schedule.processors)
    for (const Slot& slot : slots)
      if (slot.task < 0 || slot.task >= count)
        throw Error(sentence("the schedule has task number ", slot.task, ", but ", tasks.graph().name, " has ", count,
                             " tasks"));
  const std::vector<double> begin = tasks.memory(inputs_of(tasks.function(), model, inputs));
  std::vector<std::vector<double>> memories(schedule.processors.size(), begin);
  std::vector<Processor> processors;
  for (std::vector<double>& memory : memories)
    processors.push_back({[&tasks, &memory](Index task) { tasks.run(task, memory.data()); },
                          [&tasks, &memory](Index task) { return tasks.outputs(task, memory.data()); }});
  const FinishTimes times = run_on_threads(schedule, processors, rounds);
  ScheduleRun run;
  run.finished = times.middle();
  run.length = *std::max_element(run.finished.begin(), run.finished.end());
  std::vector<double> whole = begin;
  const std::vector<Index> order = in_order(tasks.graph());
  run.serial = middle_time(
      [&] {
        for (const Index task : order) tasks.run(task, whole.data());
      },
      5);
  whole = begin;
  for (std::size_t p = 0; p < memories.size(); ++p)
    for (const Slot& slot : schedule.processors[p])
      if (slot.kind == SlotKind::task)
        std::ranges::copy(tasks.outputs(slot.task, memories[p].data()), tasks.outputs(slot.task, whole.data()).begin());
  run.outputs = tasks.results(whole.data());
  return run;
}

MachineModel machine_for(const MachineModel& machine, const Algorithm& algorithm, const Model& model, Grain grain,
                         const Options& options, double milliseconds) {
  const RecordedTasks tasks(algorithm, model, grain, options);
  std::vector<double> memory = tasks.memory(inputs_of(tasks.function(), model, {}));
  const std::vector<Index> order = in_order(tasks.graph());
  for (const Index task : order) tasks.run(task, memory.data());
  std::vector<TimedTask> timed;
  const auto time = [&](std::size_t first, std::size_t end) {
    TaskCost cost;
    for (std::size_t k = first; k < end; ++k) cost += tasks.graph().tasks[at(order[k])].cost;
    const double n = static_cast<double>(end - first);
    const double us = middle_time(
        [&] {
          for (std::size_t k = first; k < end; ++k) tasks.run(order[k], memory.data());
        },
        milliseconds);
    timed.push_back({(1 / n) * cost, us / n});
  };
  constexpr std::size_t parts = 12;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t first = order.size() * part / parts, end = order.size() * (part + 1) / parts;
    if (first < end) time(first, end);
  }
  time(0, order.size());
  MachineModel fitted = machine;
  fitted.origin += ", operations of " + tasks.graph().name;
  fit_operations(timed, fitted);
  return fitted;
}

}  // namespace tandem
