// SPDX-License-Identifier: Apache-2.0
/// Code for one robot beside code for any: the whole call for a batch in either layout, one state at a time, and how
/// long it takes to make.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <thread>

#include "batch_row.hpp"

namespace tandem::bench {
namespace {

constexpr const char* algorithms_of_suite[] = {"inverse_dynamics", "mass_matrix", "forward_dynamics"};

/// Both layouts on every instruction set with fused multiply-add, and a state at a time; each by code for any robot and
/// by code for this one.
std::vector<BatchKind> kinds() {
  std::vector<BatchKind> result;
  for (const char* algorithm : algorithms_of_suite)
    for (const Specialise specialise : {Specialise::off, Specialise::wait}) {
      for (const std::string& set : instruction_sets_measured())
        if (set != "baseline")
          for (const bool row_batch : {false, true})
            result.push_back({algorithm, compared, 1, set, row_batch, specialise});
      result.push_back({algorithm, 1, 1, instruction_set(), false, specialise});
    }
  return result;
}

template <class T>
void add(Rows& rows, const RobotPointer& robot) {
  std::map<std::pair<Index, bool>, std::shared_ptr<BatchData<T>>> data;
  for (const BatchKind& kind : kinds()) {
    auto& d = data[{kind.batch, kind.row_batch}];
    if (!d) d = data_of<T>(*robot, kind.batch, kind.row_batch);
    rows.push_back(row_of<T>(robot, kind, d));
  }
}

/// Seconds from a robot to a plan with code for it, less those to a plan without, in order.
template <class T>
std::vector<double> seconds_to_make(const Algorithm& algorithm, const Model& model, int repetitions) {
  const auto seconds = [&](Specialise specialise) {
    const auto begin = std::chrono::steady_clock::now();
    const Plan<T> plan(model, algorithm, {}, {}, specialise);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::vector<double> result;
  for (int k = 0; k < repetitions; ++k) result.push_back(seconds(Specialise::wait) - seconds(Specialise::off));
  std::sort(result.begin(), result.end());
  return result;
}

/// Whether a plan with default options goes over to code for the robot, after as many states as it waits for.
template <class T>
bool is_taken_by_itself(const Algorithm& algorithm, const Robot& robot) {
  const Plan<T> plan(robot.model, algorithm);
  const auto data = data_of<T>(robot, compared, false);
  const std::vector<Array<T>> arrays = arguments_of(algorithm, robot.model, *data);
  for (int k = 0; k < 16; ++k) evaluate(plan, arrays, {compared, 1}, data->work);
  while (plan.served_by().find("while") != std::string::npos) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return plan.specialised();
}

template <class T>
Line making(const char* name, const Robot& robot, const std::string& set, int repetitions) {
  const Algorithm& algorithm = find_algorithm(name);
  const std::vector<double> seconds = seconds_to_make<T>(algorithm, robot.model, repetitions);
  // "instructions for this robot: 304 operations in 4 KiB, 8 states side by side"
  const std::string told = Plan<T>(robot.model, algorithm, {}, {}, Specialise::wait).served_by();
  int operations = 0, kibibytes = 0;
  if (std::sscanf(told.c_str(), "%*[^:]: %d operations in %d KiB", &operations, &kibibytes) != 2)
    throw Error(std::string(name) + " of " + robot.plain->name + " is served by " + told);
  return {{"kind", "assembly"},
          {"algorithm", name},
          {"robot", robot.plain->name},
          {"library", "tandem"},
          {"precision", std::is_same_v<T, float> ? "float" : "double"},
          {"instruction_set", set},
          {"milliseconds", {{"fastest", seconds.front() * 1e3}, {"median", seconds[seconds.size() / 2] * 1e3}}},
          {"operations", operations},
          {"kibibytes", kibibytes},
          {"taken_by_itself", is_taken_by_itself<T>(algorithm, robot)}};
}

}  // namespace

void add_generated_rows(Rows& rows, const RobotPointer& robot) {
  add<double>(rows, robot);
  add<float>(rows, robot);
}

Lines assembly_of(const Robot& robot, int repetitions) {
  Lines lines;
  for (const std::string& set : instruction_sets_measured()) {
    if (set == "baseline") continue;
    const Forced forced(set);
    for (const char* name : algorithms_of_suite) {
      lines.push_back(making<double>(name, robot, set, repetitions));
      lines.push_back(making<float>(name, robot, set, repetitions));
    }
  }
  return lines;
}

}  // namespace tandem::bench
