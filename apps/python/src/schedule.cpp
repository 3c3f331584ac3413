// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/schedule.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "bindings.hpp"
#include "tandem/api/critical_path.hpp"

namespace tandem::python {
namespace {

TaskGraph graph_of(nb::handle robot, const std::string& formulation, const std::string& tasks) {
  const auto name = formulation_from_name(formulation);
  const bool of_thesis = from_name<TasksOf>(tasks) == TasksOf::thesis;
  if (nb::isinstance<Model>(robot)) {
    const auto& model = nb::cast<const Model&>(robot);
    return of_thesis ? printed_graph(name, model) : formulation_graph(name, model);
  }
  const auto links = nb::cast<Index>(robot);
  return of_thesis ? printed_graph(name, links) : formulation_graph(name, links);
}

Index links_of(const TaskGraph& graph) {
  Index links = 1;
  for (const Task& task : graph.tasks) links = std::max(links, task.link);
  return links;
}

/// JSON of the schedule, its Gantt chart and its graph for Graphviz. No processors: as many as serve best, four a link
/// at most.
std::tuple<std::string, std::string, std::string> schedule(nb::handle robot, const std::string& formulation,
                                                           Index processors, const std::string& machine_name,
                                                           const std::string& scheduler, const std::string& topology,
                                                           double seconds, std::uint64_t seed, const std::string& tasks,
                                                           bool list_order, bool bisect) {
  const TaskGraph graph = graph_of(robot, formulation, tasks);
  const MachineModel machine = machine_model(machine_name);
  ScheduleOptions options;
  options.processors = processors;
  options.scheduler = from_name<Scheduler>(scheduler);
  options.topology = from_name<Topology>(topology);
  options.list_order = list_order;
  options.seconds = seconds;
  options.seed = seed;
  const ScheduleProgress look_for_signals = [](Index, double, Index, Index) {
    const nb::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  const nb::gil_scoped_release others_may_run;
  const Schedule made = processors > 0 ? make_schedule(graph, machine, options)
                        : bisect
                            ? bisected_schedule(graph, machine, options, look_for_signals).schedule
                            : best_schedule(graph, machine, options, 4 * links_of(graph), look_for_signals).schedule;
  const std::string title = graph.name + " on " + machine.name;
  return {schedule_json(made, graph, machine, options), gantt_svg(made, graph, title),
          dot_text(graph, critical_path(graph, machine).tasks)};
}

/// How a cost grows: text, and (growth, M, A, T) of every term.
nb::tuple rows_of(const CostFormula& formula) {
  nb::list terms;
  for (const CostFormula::Term& term : formula.terms)
    terms.append(nb::make_tuple(to_string(term.growth), term.each.multiplications, term.each.additions,
                                term.each.trigonometric));
  return nb::make_tuple(to_string(formula), terms);
}

nb::list critical_paths(const std::string& formulation, const std::string& tasks, Index most) {
  nb::list pieces;
  for (const PathFormula& piece :
       critical_path_formulas(formulation_from_name(formulation), from_name<TasksOf>(tasks), most))
    pieces.append(nb::make_tuple(rows_of(piece.cost), piece.links));
  return pieces;
}

nb::list phases() {
  nb::list all;
  for (const Phase& phase : recneb_phases()) all.append(nb::make_tuple(phase.what, rows_of(phase.cost)));
  return all;
}

nb::tuple fitted(const std::vector<std::tuple<Index, Index, double>>& times) {
  std::vector<LowerBoundTimes> all;
  for (const auto& [links, processors, time] : times) all.push_back({links, processors, time});
  const LowerBoundConstants k = fit_lower_bound(all);
  return nb::make_tuple(k.k1, k.k2, k.misfit);
}

}  // namespace

void bind_schedule(nb::module_& m) {
  m.def("schedule", &schedule, nb::arg("robot"), nb::arg("formulation"), nb::arg("processors"), nb::arg("machine"),
        nb::arg("scheduler"), nb::arg("topology"), nb::arg("seconds"), nb::arg("seed"), nb::arg("tasks"),
        nb::arg("list_order"), nb::arg("bisect"));
  m.def("critical_path_formulas", &critical_paths, nb::arg("formulation"), nb::arg("tasks"), nb::arg("most"));
  m.def(
      "printed_critical_path",
      [](const std::string& formulation, Index links) {
        return rows_of(printed_critical_path(formulation_from_name(formulation), links));
      },
      nb::arg("formulation"), nb::arg("links"));
  m.def("recneb_phases", &phases);
  m.def("hashimoto_critical_path", [] { return rows_of(hashimoto_critical_path()); });
  m.def("lower_bound", &lower_bound, nb::arg("k1"), nb::arg("k2"), nb::arg("links"), nb::arg("processors"));
  m.def("fit_lower_bound", &fitted, nb::arg("times"));
}

}  // namespace tandem::python
