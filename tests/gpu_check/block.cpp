// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <cstdio>
#include <string>

#include "policy/gpu_machine.hpp"
#include "results.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::gpu_check {

void measure_block() {
  const cuda::BlockSamples samples = cuda::block_samples();
  const MachineModel m = block_machine(samples, cuda::device().name);
  const BlockClock clock = block_clock(samples);
  const auto print = [&](const char* what, double us) {
    std::printf("  %-34s %8.1f cycles %9.2f ns\n", what, us * clock.megahertz, 1000 * us);
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
  print("barrier of two warps", clock.barrier_us);
  Row row;
  row.add("name", m.name).add("origin", m.origin).add("megahertz", clock.megahertz);
  row.add("multiplication", m.multiplication).add("addition", m.addition).add("trigonometric", m.trigonometric);
  row.add("assignment", m.assignment).add("task", m.task).add("send", m.send.fixed).add("send_each", m.send.each);
  row.add("travel", m.travel.fixed).add("travel_each", m.travel.each);
  row.add("receive", m.receive.fixed).add("receive_each", m.receive.each);
  write_row("blocks", row.add("barrier", clock.barrier_us));
}

}  // namespace tandem::gpu_check
