// SPDX-License-Identifier: Apache-2.0
/// Benchmarks of one state at a time on one core, beside Pinocchio and MuJoCo in the same run where they were found.
///
///     tandem_bench [robot ...] [--benchmark_...]
///
/// Robots are what the command line `tandem` takes; without any: the shipped ones and chains of 10, 100, 1000 links.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "robots.hpp"

int main(int argc, char** argv) {
  using namespace tandem::bench;
  benchmark::Initialize(&argc, argv);
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) names = {"arm7", "quadruped", "humanoid", "chain:10", "chain:100", "chain:1000"};
  benchmark::AddCustomContext("compiler", TANDEM_BENCH_COMPILER);
  benchmark::AddCustomContext("flags", TANDEM_BENCH_FLAGS);
  benchmark::AddCustomContext("pinocchio", pinocchio_version());
  benchmark::AddCustomContext("mujoco", mujoco_version());
  try {
    for (const std::string& name : names) {
      if (!name.empty() && name[0] == '-') throw tandem::Error("unknown option " + name);
      const auto robot = load_robot(name);
      register_tandem(robot);
      register_pinocchio(robot);
      register_mujoco(robot);
    }
  } catch (const tandem::Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
