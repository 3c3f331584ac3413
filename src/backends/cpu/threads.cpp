// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace tandem::cpu {

int available_threads(int wanted) {
  const int around = oneapi::tbb::this_task_arena::max_concurrency();
  // more threads than cores gain nothing, and the pool does not have them
  return wanted > 0 ? std::min(wanted, std::max(around, oneapi::tbb::info::default_concurrency())) : around;
}

void run_on_threads(Index n, Index grain, int threads, void (*f)(void*, Index, Index, int), void* context) {
  using oneapi::tbb::blocked_range;
  const auto all = [&] {
    oneapi::tbb::parallel_for(
        blocked_range<Index>(0, n, static_cast<std::size_t>(grain)), [&](const blocked_range<Index>& range) {
          f(context, range.begin(), range.end(), oneapi::tbb::this_task_arena::current_thread_index());
        });
  };
  // callers that are workers of oneTBB themselves share their arena's threads; others share the process's pool
  if (threads == oneapi::tbb::this_task_arena::max_concurrency())
    all();
  else
    oneapi::tbb::task_arena(threads).execute(all);
}

}  // namespace tandem::cpu
