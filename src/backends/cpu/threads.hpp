// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "tandem/core/column.hpp"

namespace tandem::cpu {

/// Threads that a call may use when `wanted` are asked for, 0 for all that the caller's surroundings leave it.
int available_threads(int wanted);

/// Calls f(context, begin, end, worker) for ranges that cover [0, n), each at least `grain` long but the last, on up to
/// `threads` threads. worker < threads tells the threads that run at the same time apart.
void run_on_threads(Index n, Index grain, int threads, void (*f)(void*, Index, Index, int), void* context);

template <class F>
void for_each_range(Index n, Index grain, int threads, F&& f) {
  if (threads == 1 || n <= grain) {
    if (n > 0) f(Index{0}, n, 0);
    return;
  }
  run_on_threads(
      n, grain, threads,
      [](void* context, Index begin, Index end, int worker) {
        (*static_cast<std::remove_reference_t<F>*>(context))(begin, end, worker);
      },
      &f);
}

}  // namespace tandem::cpu
