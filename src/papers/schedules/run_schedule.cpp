// SPDX-License-Identifier: Apache-2.0
/// Schedules carried out with real tasks.
#include <algorithm>

#include "core/at.hpp"
#include "core/text.hpp"
#include "papers/schedules/formulation_tasks.hpp"
#include "papers/schedules/measured_machine.hpp"
#include "papers/schedules/thread_run.hpp"
#include "tandem/api/schedule.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

constexpr std::string_view torque = "tau";

}  // namespace

ScheduleRun run_schedule(const Schedule& schedule, Method formulation, const Model& model, std::span<const double> q,
                         std::span<const double> v, std::span<const double> a, int rounds) {
  if (rounds < 1) throw Error(sentence("rounds: expected 1 or more, not ", rounds));
  std::vector<std::unique_ptr<TaskList>> lists;  // one more, to collect results
  for (std::size_t k = 0; k <= schedule.processors.size(); ++k) {
    lists.push_back(std::make_unique<TaskList>(model, formulation));
    lists.back()->set_state(q, v, a);
  }
  const TaskGraph graph = graph_of(*lists.back(), formulation, Count::done);
  for (const auto& slots : schedule.processors)
    for (const Slot& slot : slots)
      if (slot.task < 0 || slot.task >= static_cast<Index>(graph.tasks.size()))
        throw Error(sentence("the schedule has task number ", slot.task, ", but ", graph.name, " of ", model.name(),
                             " has ", graph.tasks.size(), " tasks"));
  std::vector<Processor> processors;
  for (std::size_t k = 0; k < schedule.processors.size(); ++k) {
    TaskList& list = *lists[k];
    processors.push_back({[&list](Index task) { list.run(static_cast<int>(task)); },
                          [&list](Index task) { return list.result(static_cast<int>(task)); }});
  }
  const FinishTimes times = run_on_threads(schedule, processors, rounds);
  ScheduleRun run;
  run.finished = times.middle();
  run.length = *std::max_element(run.finished.begin(), run.finished.end());
  TaskList& whole = *lists.back();
  run.serial = middle_time(
      [&] {
        for (int k = 0; k < whole.size(); ++k) whole.run(k);
      },
      5);
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Slot& slot : schedule.processors[p]) {
      const int k = static_cast<int>(slot.task);
      if (slot.kind != SlotKind::task || whole.task(k).quantity != torque) continue;
      std::ranges::copy(lists[p]->result(k), whole.result(k).begin());
    }
  run.tau.assign(whole.tau().begin(), whole.tau().end());
  return run;
}

}  // namespace tandem
