// SPDX-License-Identifier: Apache-2.0
#include "papers/schedules/measured_machine.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

#include "core/at.hpp"
#include "core/text.hpp"
#include "papers/schedules/formulation_tasks.hpp"
#include "tandem/api/automatic.hpp"

namespace tandem {
namespace {

/// Formulations whose tasks stand for all.
constexpr Method measured[] = {Method::recne, Method::recneb, Method::resne};

/// A list in a state that is not singular.
void set_some_state(TaskList& list, Index links) {
  std::vector<double> q(at(links)), v = q, a = q;
  for (std::size_t k = 0; k < q.size(); ++k) {
    const double x = static_cast<double>(k);
    q[k] = 0.3 + 0.1 * x, v[k] = 0.5 - 0.05 * x, a[k] = 0.2 * x;
  }
  list.set_state(q, v, a);
}

void set_messages(const MessageTimes& times, MachineModel& machine) {
  machine.send = times.send;
  machine.travel = times.travel;
  machine.receive = times.receive;
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
  for (const Method formulation : measured) {
    const Index links = 8;
    const Model model = revolute_chain(links);
    TaskList list(model, formulation);
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

std::vector<TimedTask> timed_states(double milliseconds) {
  constexpr Index batch = 64;
  std::vector<TimedTask> timed;
  for (const Method formulation : measured)
    for (const Index links : {4, 8, 12}) {
      const Model model = revolute_chain(links);
      const Options options = {.method = formulation};
      std::vector<double> q(at(links * batch), 0.3), v(q.size(), 0.1), a(q.size(), 1.0), tau(q.size());
      const Array<double> arrays[] = {
          {q.data(), links, 1}, {v.data(), links, 1}, {a.data(), links, 1}, {}, {tau.data(), links, 1}};
      Workspace<double> work;
      const double us = middle_time(
          [&] {
            evaluate<double>(find_algorithm("inverse_dynamics"), model, arrays, Batch<double>(batch, 1), work, options);
          },
          milliseconds);
      const TaskList list(model, options.method);
      const TaskGraph graph = graph_of(list, formulation, Count::done);
      const double tasks = static_cast<double>(graph.tasks.size());
      timed.push_back({(1 / tasks) * total_cost(graph), us / static_cast<double>(batch) / tasks});
    }
  return timed;
}

MachineModel measured_machine(double milliseconds) {
  MachineModel machine;
  machine.name = "this";
  machine.origin = machine_name() + ", threads";
  fit_operations(timed_tasks(milliseconds), machine);
  set_messages(message_times_of_threads(), machine);
  return machine;
}

std::vector<MachineModel> measured_machines(double milliseconds) {
  std::vector<MachineModel> all = {measured_machine(milliseconds)};
  MachineModel lanes = all[0];
#ifndef _WIN32
  MachineModel processes = all[0];
  processes.name = "this-processes";
  processes.origin = machine_name() + ", processes";
  set_messages(message_times_of_processes(), processes);
  all.push_back(processes);
#endif
  const std::string set = instruction_set();
  const double states = set == "avx512" ? 8 : set == "avx2" ? 4 : 2;
  lanes.name = "this-lanes";
  lanes.origin = sentence(machine_name(), ", threads, one of ", states, " states in SIMD lanes");
  fit_operations(timed_states(milliseconds), lanes);
  for (LineTime* part : {&lanes.send, &lanes.travel, &lanes.receive}) part->fixed /= states;
  all.push_back(lanes);
  return all;
}

}  // namespace tandem
