// SPDX-License-Identifier: Apache-2.0
/// A row of the benchmark: something to time, and what it is.
#pragma once
#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plain_robot.hpp"

namespace tandem::bench {

struct Row {
  std::string algorithm = {}, robot = {};
  std::string library = {};          ///< "tandem", "pinocchio", "mujoco", "limit", ...
  std::string variant = {};          ///< the rival's function and convention, our method
  std::string precision = "double";  ///< or "float"
  std::string instruction_set = "native";
  std::string layout = "batch_row";  ///< [batch][row], the rows of a state side by side; or "row_batch"
  std::int64_t batch = 1;            ///< states a call
  int threads = 1;
  double flops = 0, bytes = 0;  ///< a state, where known
  std::function<void(benchmark::State&)> run = {};
};
using Rows = std::vector<Row>;

/// What a row runs: the call again and again. The compiler may not keep results of one call for the next.
template <class Call>
std::function<void(benchmark::State&)> timed(Call call) {
  return [call](benchmark::State& timing) mutable {
    for (auto _ : timing) {
      call();
      benchmark::ClobberMemory();
    }
  };
}

/// Adds a row of one state at a time: call(state), states in turn.
template <class Call>
void add_serial_row(Rows& rows, const std::string& algorithm, const PlainRobotPointer& robot,
                    const std::string& library, const std::string& variant, Call call) {
  Row row{algorithm, robot->name, library, variant};
  row.run = timed([robot, call, k = std::size_t{0}]() mutable {
    call(robot->states[k]);
    k = k + 1 == robot->states.size() ? 0 : k + 1;
  });
  rows.push_back(std::move(row));
}

}  // namespace tandem::bench
