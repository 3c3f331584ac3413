// SPDX-License-Identifier: Apache-2.0
#include "policy/gpu_machine.hpp"

#include <algorithm>
#include <iterator>

#include "core/text.hpp"
#include "papers/schedules/message_times.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

using cuda::BlockSamples;

double middle(const std::int64_t (&attempts)[BlockSamples::attempts]) {
  std::int64_t sorted[BlockSamples::attempts];
  std::copy(std::begin(attempts), std::end(attempts), sorted);
  std::sort(std::begin(sorted), std::end(sorted));
  return static_cast<double>(sorted[BlockSamples::attempts / 2]);
}

/// Cycles in us.
class Times {
 public:
  explicit Times(const BlockSamples& samples) : samples_(samples) {
    if (samples.cycles <= 0 || samples.nanoseconds <= 0)
      throw Error(sentence("measuring a thread block of the GPU: its clocks counted ", samples.cycles, " cycles in ",
                           samples.nanoseconds, " ns, expected some"));
  }
  double megahertz() const {
    return 1000 * static_cast<double>(samples_.cycles) / static_cast<double>(samples_.nanoseconds);
  }
  /// One of so many in a row, what it takes to read the clock apart.
  double of(const std::int64_t (&attempts)[BlockSamples::attempts], int count) const {
    const double cycles = middle(attempts) - middle(samples_.operations[BlockSamples::nothing]);
    return std::max(0.0, cycles) / count / megahertz();
  }
  double of(BlockSamples::Kind kind) const { return of(samples_.operations[kind], BlockSamples::count(kind)); }

 private:
  const BlockSamples& samples_;
};

}  // namespace

BlockClock block_clock(const BlockSamples& samples) {
  const Times times(samples);
  return {times.of(BlockSamples::barrier), times.megahertz()};
}

MachineModel block_machine(const BlockSamples& samples, const std::string& gpu) {
  const Times times(samples);
  MachineModel machine;
  machine.name = "gpu";
  machine.origin = sentence(gpu, " at ", static_cast<int>(times.megahertz() + 0.5),
                            " MHz, warps of a thread block, one state per lane");
  machine.multiplication = times.of(BlockSamples::multiplication);
  machine.addition = times.of(BlockSamples::addition);
  machine.trigonometric = std::max(0.0, times.of(BlockSamples::angle) - machine.addition) / 2;  // a sine and a cosine
  machine.assignment = times.of(BlockSamples::store);
  machine.task = std::max(0.0, times.of(BlockSamples::task) - machine.addition - machine.assignment);
  TimedSizes send, receive, whole;
  for (int k = 0; k < BlockSamples::n_sizes; ++k) {
    const auto& part = samples.messages[k];
    const double x = BlockSamples::sizes[k];
    send.emplace_back(x, times.of(part[BlockSamples::send], BlockSamples::row));
    receive.emplace_back(x, times.of(part[BlockSamples::receive], BlockSamples::row));
    whole.emplace_back(x, times.of(part[BlockSamples::round_trip], 2 * BlockSamples::turns));
  }
  const MessageTimes messages = message_times_of(send, receive, std::move(whole));
  machine.send = messages.send;
  machine.travel = messages.travel;
  machine.receive = messages.receive;
  return machine;
}

MachineModel measured_gpu() {
  const BlockSamples samples = cuda::block_samples();
  return block_machine(samples, cuda::device().name);
}

}  // namespace tandem
