// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "papers/schedules/machine_json.hpp"
#include "tandem/api/schedule.hpp"

namespace tandem {

using Json = nlohmann::ordered_json;

std::string schedule_json(const Schedule& schedule, const TaskGraph& graph, const MachineModel& machine,
                          const ScheduleOptions& options) {
  Json tasks = Json::array(), processors = Json::array();
  for (const Task& task : graph.tasks)
    tasks.push_back({{"name", task.name},
                     {"link", task.link},
                     {"multiplications", task.cost.multiplications},
                     {"additions", task.cost.additions},
                     {"trigonometric", task.cost.trigonometric},
                     {"assignments", task.cost.assignments},
                     {"outputs", task.outputs},
                     {"needs", task.needs},
                     {"us", machine.time(task.cost)},
                     {"message_us", machine.message(static_cast<double>(task.outputs))}});
  for (const auto& slots : schedule.processors) {
    Json list = Json::array();
    for (const Slot& slot : slots)
      list.push_back({{"kind", to_string(slot.kind)},
                      {"task", slot.task},
                      {"other", slot.other},
                      {"begin", slot.begin},
                      {"end", slot.end}});
    processors.push_back(std::move(list));
  }
  const ScheduleBounds bounds = schedule_bounds(graph, machine, static_cast<Index>(schedule.processors.size()));
  const CriticalPath path = critical_path(graph, machine);
  const Json json = {{"formulation", graph.name},
                     {"machine", json_of(machine)},
                     {"scheduler", to_string(options.scheduler)},
                     {"topology", to_string(options.topology)},
                     {"processors", schedule.processors.size()},
                     {"length_us", schedule.length},
                     {"optimal", schedule.optimal},
                     {"messages", schedule.messages()},
                     {"serial_us", bounds.serial},
                     {"critical_path_us", path.time},
                     {"critical_path", path.tasks},
                     {"least_us", bounds.least},
                     {"most_us", bounds.most},
                     {"tasks", tasks},
                     {"schedule", processors}};
  return json.dump();
}

}  // namespace tandem
