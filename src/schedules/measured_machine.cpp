// SPDX-License-Identifier: Apache-2.0
#include "schedules/measured_machine.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

#include "core/at.hpp"
#include "schedules/formulation_tasks.hpp"
#include "tandem/api/automatic.hpp"

namespace tandem {
namespace {

/// A list in a state that is not singular.
void set_some_state(TaskList& list, Index links) {
  std::vector<double> q(at(links)), v = q, a = q;
  for (std::size_t k = 0; k < q.size(); ++k) {
    const double x = static_cast<double>(k);
    q[k] = 0.3 + 0.1 * x, v[k] = 0.5 - 0.05 * x, a[k] = 0.2 * x;
  }
  list.set_state(q, v, a);
}

}  // namespace

double middle_time(const std::function<void()>& f, double milliseconds) {
  using Clock = std::chrono::steady_clock;
  const auto us = [](Clock::duration t) { return std::chrono::duration<double, std::micro>(t).count(); };
  const auto start = Clock::now();
  f();
  const int calls = std::clamp(static_cast<int>(5 / std::max(us(Clock::now() - start), 0.01)), 1, 1000);  // of 5 us
  std::vector<double> times;
  do {
    const auto begin = Clock::now();
    for (int k = 0; k < calls; ++k) f();
    times.push_back(us(Clock::now() - begin) / calls);
  } while (us(Clock::now() - start) < 1000 * milliseconds);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

std::vector<TimedTask> timed_tasks(double milliseconds) {
  std::vector<TimedTask> timed;
  for (std::size_t f = 0; f < std::size(NamesOf<FormulationName>::table); ++f) {
    const auto formulation = static_cast<FormulationName>(f);
    if (!can_be_run(formulation)) continue;
    const Index links = 8;
    const Model model = revolute_chain(links);
    TaskList list(model, method_of(formulation));
    set_some_state(list, links);
    const TaskGraph graph = graph_of(list, formulation, Count::done);
    std::map<std::string, std::vector<int>> kinds;  // "" is all of them
    for (int k = 0; k < list.size(); ++k) {
      kinds[""].push_back(k);
      kinds[list.task(k).quantity].push_back(k);
    }
    for (int k = 0; k < list.size(); ++k) list.run(k);
    for (const auto& [quantity, tasks] : kinds) {
      TaskCost cost;
      for (const int k : tasks) cost += graph.tasks[static_cast<std::size_t>(k)].cost;
      const double n = static_cast<double>(tasks.size());
      const double us = middle_time(
          [&] {
            for (const int k : tasks) list.run(k);
          },
          milliseconds);
      timed.push_back({(1 / n) * cost, us / n});
    }
  }
  return timed;
}

MachineModel measured_machine(double milliseconds) {
  MachineModel machine;
  machine.name = "this";
  machine.origin = machine_name() + ", threads";
  fit_operations(timed_tasks(milliseconds), machine);
  const MessageTimes times = message_times_of_threads();
  machine.send = times.send;
  machine.travel = times.travel;
  machine.receive = times.receive;
  return machine;
}

}  // namespace tandem
