// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/schedule.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings.hpp"

namespace tandem::python {
namespace {

TaskGraph graph_of(nb::handle robot, const std::string& formulation) {
  const auto name = from_name<FormulationName>(formulation);
  if (nb::isinstance<Model>(robot)) return formulation_graph(name, nb::cast<const Model&>(robot));
  return formulation_graph(name, nb::cast<Index>(robot));
}

/// JSON of the schedule, its Gantt chart and its graph for Graphviz. No processors: as many as serve best.
std::tuple<std::string, std::string, std::string> schedule(nb::handle robot, const std::string& formulation,
                                                           Index processors, const std::string& machine_name,
                                                           const std::string& scheduler, const std::string& topology,
                                                           double seconds, std::uint64_t seed) {
  const TaskGraph graph = graph_of(robot, formulation);
  const MachineModel machine = machine_model(machine_name);
  ScheduleOptions options;
  options.processors = processors;
  options.scheduler = from_name<Scheduler>(scheduler);
  options.topology = from_name<Topology>(topology);
  options.seconds = seconds;
  options.seed = seed;
  const nb::gil_scoped_release others_may_run;
  const Schedule made = processors > 0 ? make_schedule(graph, machine, options)
                                       : best_schedule(graph, machine, options).schedule;
  const std::string title = graph.name + " on " + machine.name;
  return {schedule_json(made, graph, machine, options), gantt_svg(made, graph, title),
          dot_text(graph, critical_path(graph, machine).tasks)};
}

}  // namespace

void bind_schedule(nb::module_& m) {
  m.def("schedule", &schedule, nb::arg("robot"), nb::arg("formulation"), nb::arg("processors"), nb::arg("machine"),
        nb::arg("scheduler"), nb::arg("topology"), nb::arg("seconds"), nb::arg("seed"));
}

}  // namespace tandem::python
