// SPDX-License-Identifier: Apache-2.0
/// An executor with threads of its own, that takes parts in no particular order; with one thread in order, as
/// SerialExecutor does, in whose place it saves compiling everything twice.
#pragma once
#include <atomic>
#include <thread>
#include <type_traits>
#include <vector>

#include "tandem/detail/executors/executor.hpp"

namespace tandem::test {

struct StdThreadsExecutor {
  int threads = 3;
  template <class F>
  void for_each(Index n, F&& f) const {
    run(
        n, [](void* parts, Index i) { (*static_cast<std::remove_reference_t<F>*>(parts))(i); }, &f);
  }

 private:
  void run(Index n, void (*f)(void*, Index), void* parts) const {
    // dozens of parts a thread, but no thread for a handful of parts
    constexpr Index grain = 64;
    if (threads == 1) {
      for (Index i = 0; i < n; ++i) f(parts, i);
      return;
    }
    if (n < 2 * grain) {
      for (Index i = n - 1; i >= 0; --i) f(parts, i);
      return;
    }
    std::atomic<Index> next = 0;
    const auto work = [&] {
      for (Index begin = next.fetch_add(grain); begin < n; begin = next.fetch_add(grain))
        for (Index i = begin; i < n && i < begin + grain; ++i) f(parts, i);
    };
    std::vector<std::thread> helpers;
    for (int k = 1; k < threads; ++k) helpers.emplace_back(work);
    work();
    for (std::thread& helper : helpers) helper.join();
  }
};
inline constexpr StdThreadsExecutor alone = {1};

/// That scans and solvers are tested on, beside one that works alone. Another put here is tried on all of them.
using TestedExecutor = StdThreadsExecutor;

}  // namespace tandem::test
