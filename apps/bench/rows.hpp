// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <benchmark/benchmark.h>

#include <string>

#include "robots.hpp"

namespace tandem::bench {

/// Registers `<row>/<robot>/<library>`: call(state) is timed, states in turn.
template <class Call>
void add_row(const std::string& row, const std::shared_ptr<const Robot>& robot, const std::string& library, Call call) {
  benchmark::RegisterBenchmark((row + "/" + robot->name + "/" + library).c_str(),
                               [robot, call](benchmark::State& timing) mutable {
                                 std::size_t k = 0;
                                 for (auto _ : timing) {
                                   call(robot->states[k]);
                                   benchmark::ClobberMemory();
                                   k = k + 1 == robot->states.size() ? 0 : k + 1;
                                 }
                               })
      ->Unit(benchmark::kNanosecond)
      ->UseRealTime();
}

}  // namespace tandem::bench
