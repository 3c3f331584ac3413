// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>

#include "tandem/detail/core/column.hpp"

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

/// Threads that work on one call together. They are woken once, when there is first something to share, and stay close
/// at hand until the call ends: handing a part on then costs no more than a cache line that goes from core to core.
/// Threads that are busy elsewhere are not waited for.
class Team {
 public:
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Calls f(begin, end) for ranges that cover [0, n), each `grain` long but the last. The same ranges fall to the same
  /// threads from call to call, unless one is late; with `backwards` each takes its last ones first. f throws nothing.
  /// Called from inside an f, it is the caller's work alone, forwards.
  template <class F>
  void for_each_range(Index n, Index grain, F&& f, bool backwards = false) {
    share({n, grain,
           [](void* context, Index begin, Index end) noexcept {
             (*static_cast<std::remove_reference_t<F>*>(context))(begin, end);
           },
           &f, backwards});
  }

 private:
  struct Work {
    Index n, grain;
    void (*f)(void*, Index, Index) noexcept;
    void* context;
    bool backwards;
  };
  struct Helpers;
  void share(const Work& work);

  int threads_;
  bool sharing_ = false;
  std::unique_ptr<Helpers> helpers_;
};

}  // namespace tandem::cpu
