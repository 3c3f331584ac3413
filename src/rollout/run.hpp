// SPDX-License-Identifier: Apache-2.0
/// A rollout on the processor, in tiles that threads share.
#pragma once
#include <algorithm>

#include "backends/cpu/rollout.hpp"
#include "backends/cpu/threads.hpp"
#include "call.hpp"

namespace tandem {

/// Threads get as many tiles as are worth waking them. While a line is on its way a batch is worked on in parts.
template <class T>
void run_on_processor(RolloutCall<T>& call, const RolloutLines<T>& lines, Index batch, int wanted, Workspace<T>& work) {
  const RolloutKernel<T>& kernel = cpu::in_use().rollout.template in<T>();
  const Index lanes = kernel.lanes, tiles = (batch + lanes - 1) / lanes;
  const int threads = tiles <= 1 ? 1 : cpu::available_threads(wanted);
  for (Index first = 0; first < tiles;) {
    call.line = lines.for_states(first == 0 ? batch * call.law.steps : 0);
    const Index most = call.line || !lines.any() ? tiles : std::max<Index>(Index{8} * threads, tiles / 16);
    const Index n = std::min(tiles - first, most);
    constexpr Index line = 64 / sizeof(T);
    const Index apart = (kernel.scratch_size(call) + line - 1) / line * line;
    const Index grain = std::max<Index>(1, 20000 / (apart * std::max<Index>(call.law.steps, 1)));
    T* const memory = work.reserve(apart * threads);
    cpu::for_each_range(n, grain, threads, [&](Index begin, Index end, int worker) {
      kernel.run(call, (first + begin) * lanes, std::min((first + end) * lanes, batch), memory + worker * apart);
    });
    first += n;
  }
}

}  // namespace tandem
