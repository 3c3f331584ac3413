// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

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

namespace {

/// Waits ever more patiently: work usually comes again within microseconds, after a long part that one thread does
/// alone it may take seconds.
class Patience {
 public:
  void wait() {
    ++waits_;
    if (waits_ < 1000)
      pause();
    else if (waits_ < 2000)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  void renew() { waits_ = 0; }

 private:
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
  }
  int waits_ = 0;
};

}  // namespace

/// What the threads of a team have in common. A phase is odd while there are parts to take. Whoever takes some says so
/// first and then looks at the phase again; whoever ends a phase then waits for those who said so.
struct Team::Helpers {
  explicit Helpers(int threads) : queues(static_cast<std::size_t>(threads)) {}

  struct alignas(64) Queue {
    Index begin, end;
    std::atomic<Index> taken;
  };
  std::optional<oneapi::tbb::task_arena> arena;  ///< if not the one around the caller
  oneapi::tbb::task_group group;
  Work work = {};
  std::size_t n_queues = 0;
  std::vector<Queue> queues;
  alignas(64) std::atomic<unsigned> phase = 0;
  std::atomic<bool> over = false;
  alignas(64) std::atomic<int> busy = 0;

  template <class F>
  void in_arena(F&& f) {
    if (arena)
      arena->execute(f);
    else
      f();
  }
  /// Every member has parts of its own.
  void hand_out(const Work& given) {
    work = given;
    const Index parts = (work.n + work.grain - 1) / work.grain;
    n_queues = static_cast<std::size_t>(std::min<Index>(parts, static_cast<Index>(queues.size())));
    const auto members = static_cast<Index>(n_queues);
    for (Index k = 0; k < members; ++k) {
      Queue& queue = queues[static_cast<std::size_t>(k)];
      queue.begin = parts * k / members;
      queue.end = parts * (k + 1) / members;
      queue.taken.store(0, std::memory_order_relaxed);
    }
  }
  /// One's own parts first, then what others have left.
  void take_parts(std::size_t member) {
    for (std::size_t k = 0; k < n_queues; ++k) {
      Queue& queue = queues[(member + k) % n_queues];
      for (;;) {
        const Index taken = queue.taken.fetch_add(1, std::memory_order_relaxed);
        if (taken >= queue.end - queue.begin) break;
        const Index begin = work.grain * (work.backwards ? queue.end - 1 - taken : queue.begin + taken);
        work.f(work.context, begin, std::min(begin + work.grain, work.n));
      }
    }
  }
  void help(std::size_t member) {
    unsigned seen = 0;
    Patience patience;
    while (!over.load(std::memory_order_acquire)) {
      const unsigned now = phase.load();
      if (now % 2 == 0 || now == seen) {
        patience.wait();
        continue;
      }
      busy.fetch_add(1);
      if (phase.load() == now) take_parts(member);
      busy.fetch_sub(1);
      seen = now;
      patience.renew();
    }
  }
};

Team::Team(int threads) : threads_(threads) {}

Team::~Team() {
  if (!helpers_) return;
  helpers_->over.store(true, std::memory_order_release);
  helpers_->in_arena([&] { helpers_->group.wait(); });  // helpers that no thread came for find that all is over
}

void Team::share(const Work& work) {
  if (work.n <= work.grain || threads_ == 1 || sharing_) {
    if (work.n > 0) work.f(work.context, 0, work.n);
    return;
  }
  if (!helpers_) {
    helpers_ = std::make_unique<Helpers>(threads_);
    // callers that are workers of oneTBB themselves share their arena's threads; others share the process's pool
    if (threads_ != oneapi::tbb::this_task_arena::max_concurrency()) helpers_->arena.emplace(threads_);
    helpers_->in_arena([&] {
      for (int k = 1; k < threads_; ++k)
        helpers_->group.run([h = helpers_.get(), k] { h->help(static_cast<std::size_t>(k)); });
    });
  }
  sharing_ = true;
  Helpers& h = *helpers_;
  h.hand_out(work);
  h.phase.fetch_add(1);
  h.take_parts(0);
  h.phase.fetch_add(1);
  Patience patience;
  while (h.busy.load() != 0) patience.wait();
  sharing_ = false;
}

}  // namespace tandem::cpu
