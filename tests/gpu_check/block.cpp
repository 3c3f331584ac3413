// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <cstdio>

namespace tandem::gpu_check {

BlockTimes measure_block() {
  const cuda::BlockSamples samples = cuda::block_samples();
  const BlockTimes times = {block_machine(samples, cuda::device().name), block_clock(samples)};
  const MachineModel& m = times.machine;
  const auto print = [&](const char* what, double us) {
    std::printf("  %-34s %8.1f cycles %9.2f ns\n", what, us * times.clock.megahertz, 1000 * us);
  };
  std::printf("\n%s\n", m.origin.c_str());
  print("multiplication", m.multiplication);
  print("addition", m.addition);
  print("sine or cosine", m.trigonometric);
  print("number stored", m.assignment);
  print("task", m.task);
  for (const int x : cuda::BlockSamples::sizes) {
    const std::string of = " a message of " + std::to_string(x);
    print(("send" + of).c_str(), m.send.of(x));
    print(("travel," + of).c_str(), m.travel.of(x));
    print(("receive" + of).c_str(), m.receive.of(x));
  }
  print("barrier of two warps", times.clock.barrier_us);
  std::printf("\n");
  return times;
}

}  // namespace tandem::gpu_check
