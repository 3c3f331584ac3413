// SPDX-License-Identifier: Apache-2.0
/// [Pond] figures 2.8 to 2.16: schedules of six formulations, on the machine of the thesis and on the one at hand.
#include <fmt/format.h>

#include "figures.hpp"
#include "tandem/api/critical_path.hpp"
#include "tandem/api/schedule.hpp"

namespace tandem::figures {
namespace {

constexpr Index lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64};

/// Its graphs grow with the third power of the links.
bool is_too_large(Method formulation, Index links) {
  return formulation == Method::classle ? links > 7 : formulation == Method::hybrid ? links > 16 : links > 64;
}

struct Point {
  const MachineModel& machine;
  Method formulation;
  Index links;

  void print(const char* what, Index processors, double us, const std::string& more = "") const {
    fmt::print(
        R"({{"figure":"schedules","machine":"{}","formulation":"{}","links":{},"case":"{}","processors":{},"us":{:.6g}{}}})"
        "\n",
        machine.name, to_string(formulation), links, what, processors, us, more);
  }
};

void schedules_on(const MachineModel& machine, Method formulation, Index links) {
  const TaskGraph graph = formulation_graph(formulation, links);
  const Point point = {machine, formulation, links};
  const CriticalPath path = critical_path(graph, machine);
  point.print("critical path", 0, path.time,
              fmt::format(R"(,"operations":"{}","tasks":{})", to_string(path.cost), graph.tasks.size()));
  if (machine.name == "transputer") {  // table 2.7 and figure 2.8 count no assignments
    MachineModel without = machine;
    without.assignment = 0;
    const CriticalPath other = critical_path(graph, without);
    point.print("path without assignments", 0, other.time, fmt::format(R"(,"operations":"{}")", to_string(other.cost)));
  }
  ScheduleOptions options;
  for (const Scheduler scheduler : {Scheduler::earliest_first, Scheduler::earliest_first_append}) {
    options.scheduler = scheduler;
    const std::string name = fmt::format(R"(,"scheduler":"{}")", to_string(scheduler));
    const BestSchedule best = best_schedule(graph, machine, options, 4 * links);
    point.print("best", best.processors, best.schedule.length, name);
    options.processors = links;
    point.print("macro", links, make_schedule(graph, machine, options).length, name);
  }
  options.scheduler = Scheduler::one_each;
  point.print("maxpar", static_cast<Index>(graph.tasks.size()), make_schedule(graph, machine, options).length);
}

/// The row of Hashimoto and Kimura, by multiplications and additions alone.
void hashimoto() {
  const MachineModel machine = transputer();
  for (const Index links : lengths)
    Point{machine, Method::resne, links}.print("Hashimoto", 0, machine.time(hashimoto_critical_path().of(links)));
}

/// The lower bound of p. 41 with the constants that come closest to schedules of recneb on 1 to n processors.
void bound_of_doubling() {
  const MachineModel machine = transputer();
  std::vector<LowerBoundTimes> times;
  for (Index links = 1; links <= 32; links += links < 10 ? 1 : 11) {
    const TaskGraph graph = formulation_graph(Method::recneb, links);
    for (Index processors = 1; processors <= links; processors *= 2)
      times.push_back({links, processors, make_schedule(graph, machine, {.processors = processors}).length});
  }
  const LowerBoundConstants k = fit_lower_bound(times);
  for (const LowerBoundTimes& t : times)
    Point{machine, Method::recneb, t.links}.print(
        "lower bound", t.processors, lower_bound(k.k1, k.k2, t.links, t.processors),
        fmt::format(R"(,"k1":{:.5g},"k2":{:.5g},"misfit":{:.3g},"scheduled":{:.5g})", k.k1, k.k2, k.misfit, t.time));
}

}  // namespace

void schedules(int) {
  hashimoto();
  bound_of_doubling();
  leave_core();
  const MachineModel here = measured_machine(20);
  fmt::print(stderr,
             "{}: {:.5f} us an operation, {:.4f} a sine or cosine, {:.5f} a number stored, {:.4f} a task; a message of "
             "3 numbers {:.3f}\n",
             here.origin, here.multiplication, here.trigonometric, here.assignment, here.task, here.message(3));
  for (const MachineModel& machine : {transputer(), here})
    for (const Named& name : formulations())
      for (const Index links : lengths)
        if (!is_too_large(formulation_from_name(name.name), links))
          schedules_on(machine, formulation_from_name(name.name), links);
}

void schedule_runs(int threads) {
  leave_core();
  const MachineModel here = measured_machine(20);
  for (const Named& name : formulations())
    for (const Index links : {2, 4, 6, 8, 12, 16, 24, 32}) {
      const auto formulation = formulation_from_name(name.name);
      if (is_too_large(formulation, links)) continue;
      ModelBuilder builder = describe("chain:" + std::to_string(links), 1);
      const Model model = builder.build();
      const TaskGraph graph = formulation_graph(formulation, model);
      std::vector<double> q = random_configuration(model, 1), v(q.size(), 0.1), a(q.size(), 1.0);
      for (Index processors = 1; processors <= threads; ++processors) {
        ScheduleOptions options;
        options.processors = processors;
        options.scheduler = Scheduler::annealing;
        options.steps = 20000 / links;
        const Schedule schedule = make_schedule(graph, here, options);
        const ScheduleRun run = run_schedule(schedule, formulation, model, q, v, a, 5000);
        fmt::print(
            R"({{"figure":"schedule_runs","formulation":"{}","links":{},"processors":{},"messages":{},"predicted":{:.5g},)"
            R"("us":{:.5g},"serial":{:.5g}}})"
            "\n",
            to_string(formulation), links, processors, schedule.messages(), schedule.length, run.length, run.serial);
      }
    }
}

}  // namespace tandem::figures
