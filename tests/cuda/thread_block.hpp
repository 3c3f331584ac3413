// SPDX-License-Identifier: Apache-2.0
/// Emulation of a thread block on the CPU: its threads are coroutines, each of which runs to the next barrier.
#pragma once
#include <ucontext.h>

#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tandem/index.hpp"

namespace tandem::test {

/// The sanitizer of threads does not follow coroutines.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool has_coroutines = false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool has_coroutines = false;
#else
inline constexpr bool has_coroutines = true;
#endif
#else
inline constexpr bool has_coroutines = true;
#endif

/// ThreadBlock of backends/cuda/links/team.hpp and group_executor.hpp. Blocks run one after the other, except groups of
/// blocks with a common barrier.
class EmulatedThreadBlock {
 public:
  static int thread() { return current_ % n_threads_; }
  static int threads() { return n_threads_; }
  static Index block() { return first_block_ + current_ / n_threads_; }
  static std::byte* shared() { return memory_.data() + static_cast<std::size_t>(current_ / n_threads_) * bytes_; }

  static void sync() { wait(Waits::block); }
  static void sync_warp() { wait(Waits::warp); }
  static void sync_team() { wait(Waits::team); }
  static void sync_blocks(unsigned* barrier, int blocks) {
    if (blocks != together_ || *barrier != 0) std::abort();
    wait(Waits::group);
  }
  template <class S>
  static S before(S x, int d) {
    return exchange(x, current_ % 32 < d ? current_ : current_ - d, Waits::warp);
  }
  template <class S>
  static S of_team(S x, int lane) {
    return exchange(x, current_ / 8 * 8 + lane, Waits::team);
  }
  static bool is_last(unsigned* counter, int size) {
    static bool last;
    if (together_ > 1) std::abort();  // who is the last is one block's to know
    sync();
    if (current_ == 0) {
      last = ++*counter == static_cast<unsigned>(size);
      if (last) *counter = 0;
    }
    sync();
    return last;
  }
  template <class S>
  static S fresh(const S* p) {
    return *p;
  }
  template <class S>
  static void copy_async(S* to, const S* from) {
    own().copies.back().push_back([to, from] { *to = *from; });
  }
  static void commit() { own().copies.emplace_back(); }
  /// Copies arrive as late as they may.
  static void wait() {
    auto& copies = own().copies;
    while (copies.size() > 2) {
      for (const auto& copy : copies.front()) copy();
      copies.pop_front();
    }
  }

  /// Runs all blocks, so many at a time; `backwards` to see that nothing depends on the order of blocks and threads.
  /// Shared memory holds NaN before each.
  static void run(Index blocks, int n_threads, std::size_t bytes, bool backwards, const std::function<void()>& body,
                  int together = 1) {
    body_ = &body;
    n_threads_ = n_threads;
    together_ = together;
    bytes_ = bytes;
    backwards_ = backwards;
    while (static_cast<int>(coroutines_.size()) < n_threads * together)
      coroutines_.push_back(std::make_unique<Coroutine>());
    for (Index b = 0; b < blocks; b += together) {
      first_block_ = backwards ? blocks - together - b : b;
      memory_.assign(bytes * static_cast<std::size_t>(together), std::byte{0xff});
      run_blocks();
    }
  }

 private:
  enum class Waits { no, team, warp, block, group };
  struct Coroutine {
    ucontext_t context;
    static constexpr std::size_t stack_size = std::size_t{2} << 20;  // of which sanitizers take more than others
    std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(stack_size);
    Waits waits = Waits::no;
    bool done = false;
    std::deque<std::vector<std::function<void()>>> copies;  ///< by commit(), those after the last one at the end
  };
  static Coroutine& own() { return *coroutines_[static_cast<std::size_t>(current_)]; }

  static void entry() {
    (*body_)();
    own().done = true;
  }
  static void wait(Waits what) {
    own().waits = what;
    swapcontext(&own().context, &main_);
  }
  template <class S>
  static S exchange(S x, int from, Waits what) {
    static double values[4096];
    values[current_] = static_cast<double>(x);
    wait(what);
    const auto y = static_cast<S>(values[from]);
    wait(what);
    return y;
  }
  static void run_blocks() {
    const int all = n_threads_ * together_;
    for (int t = 0; t < all; ++t) {
      Coroutine& c = *coroutines_[static_cast<std::size_t>(t)];
      c.waits = Waits::no;
      c.done = false;
      c.copies.assign(1, {});
      getcontext(&c.context);
      c.context.uc_stack.ss_sp = c.stack.get();
      c.context.uc_stack.ss_size = Coroutine::stack_size;
      c.context.uc_link = &main_;
      makecontext(&c.context, entry, 0);
    }
    while (true) {
      bool ran = false, left = false;
      for (int k = 0; k < all; ++k) {
        const int t = backwards_ && together_ > 1 ? all - 1 - k : k;
        Coroutine& c = *coroutines_[static_cast<std::size_t>(t)];
        if (c.done) continue;
        left = true;
        if (c.waits != Waits::no) continue;
        ran = true;
        current_ = t;
        swapcontext(&main_, &c.context);
      }
      if (!left) return;
      for (const auto& [what, size] :
           {std::pair{Waits::team, 8}, {Waits::warp, 32}, {Waits::block, n_threads_}, {Waits::group, all}})
        if (wake(what, size)) ran = true;
      if (!ran) std::abort();  // threads wait for others that have gone another way
    }
  }
  /// Wakes those of whom all wait for each other.
  static bool wake(Waits what, int size) {
    bool woken = false;
    const int last = n_threads_ * together_;
    for (int first = 0; first < last; first += size) {
      bool all = true, some = false;
      for (int t = first; t < first + size && t < last; ++t) {
        const Coroutine& c = *coroutines_[static_cast<std::size_t>(t)];
        all = all && (c.done || c.waits == what);
        some = some || !c.done;
      }
      for (int t = first; all && t < first + size && t < last; ++t)
        coroutines_[static_cast<std::size_t>(t)]->waits = Waits::no;
      woken |= all && some;
    }
    return woken;
  }

  inline static std::vector<std::unique_ptr<Coroutine>> coroutines_;
  inline static ucontext_t main_;
  inline static const std::function<void()>* body_ = nullptr;
  inline static std::vector<std::byte> memory_;
  inline static int current_ = 0, n_threads_ = 0, together_ = 1;
  inline static std::size_t bytes_ = 0;
  inline static bool backwards_ = false;
  inline static Index first_block_ = 0;
};

}  // namespace tandem::test
