// SPDX-License-Identifier: Apache-2.0
/// Numbers handed from one thread, or process, to another through memory that both have.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <thread>

#include "tandem/index.hpp"

namespace tandem {

/// Waits for something that another thread does, at first without giving the core away.
class Spin {
 public:
  void wait() {
    if (++turns_ < patience) {
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    } else {
      std::this_thread::yield();
    }
  }

 private:
  static constexpr int patience = 2000;
  int turns_ = 0;
};

/// A place for one message at a time: a mark, and the numbers right behind it, so that short ones come with it in one
/// line of the cache. Which round a message belongs to tells the receiver that it is new; nobody writes the next one
/// before it was read. Both ends use the same Mailbox, or copies of it that a fork made.
class Mailbox {
 public:
  static constexpr std::size_t line = 64;  ///< bytes of a line of the cache
  /// Bytes that a mailbox takes: whole lines.
  static constexpr std::size_t size(Index numbers) {
    return (sizeof(Mark) + static_cast<std::size_t>(numbers) * sizeof(double) + line - 1) / line * line;
  }

  /// In memory of that size, which begins with a line.
  Mailbox(std::byte* memory, Index numbers)
      : mark_(new(memory) Mark(0)), numbers_(memory + sizeof(Mark)), count_(numbers) {}

  void send(const double* from, std::uint64_t round) { send(from, round, count_); }
  void receive(double* to, std::uint64_t round) { receive(to, round, count_); }
  /// Fewer numbers than there is room for.
  void send(const double* from, std::uint64_t round, Index count) {
    if (count > 0) std::memcpy(numbers_, from, static_cast<std::size_t>(count) * sizeof(double));
    mark_->store(round, std::memory_order_release);
  }
  void receive(double* to, std::uint64_t round, Index count) {
    for (Spin spin; mark_->load(std::memory_order_acquire) != round;) spin.wait();
    if (count > 0) std::memcpy(to, numbers_, static_cast<std::size_t>(count) * sizeof(double));
  }

 private:
  using Mark = std::atomic<std::uint64_t>;
  Mark* mark_;
  std::byte* numbers_;
  Index count_;
};

/// Memory that begins with a line of the cache.
class LineMemory {
 public:
  explicit LineMemory(std::size_t bytes) : memory_(new(std::align_val_t(Mailbox::line)) std::byte[bytes]()) {}
  std::byte* at(std::size_t k) const { return memory_.get() + k; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t(Mailbox::line)); }
  };
  std::unique_ptr<std::byte[], Free> memory_;
};

}  // namespace tandem
