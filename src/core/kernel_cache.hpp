// SPDX-License-Identifier: Apache-2.0
/// Cache of kernels that are compiled in the background, one for each set of optional arguments.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/background.hpp"
#include "tandem/index.hpp"

namespace tandem {

/// A set of arguments, one bit per argument. The highest bit is always set, so that 0 is no set.
using ArgumentMask = std::uint64_t;

/// The required arguments of an algorithm.
template <class Algorithm>
ArgumentMask needed_by(const Algorithm& algorithm) {
  ArgumentMask needed = ArgumentMask{1} << 63;
  for (std::size_t k = 0; k < algorithm.arguments.size(); ++k)
    if (!is_optional(algorithm.arguments[k])) needed |= ArgumentMask{1} << k;
  return needed;
}

/// Kernels for the first few argument sets of calls. Each is made from an Input: on its own thread, once it is
/// requested or enough states have been computed with its set; or by the first such call, which then waits (make_now).
/// Thread-safe. The destructor waits for kernels that are being made; data that `make` uses must outlive it.
template <class Made, class Input>
class KernelCache {
 public:
  enum Stage : int { unused, on_its_way, there, refused };
  /// Makes a kernel. Throws an exception with the reason if it is not supported.
  using Make = std::function<std::unique_ptr<const Made>(ArgumentMask, const Input&)>;

  /// `needed`: the required arguments, whose kernel is the first. With asked_for a kernel is made at the first call
  /// with its set, else after pays_from states.
  KernelCache(Make make, ArgumentMask needed, Index pays_from, bool asked_for)
      : make_(std::move(make)), pays_from_(pays_from), asked_for_(asked_for) {
    kernels_[0].arguments = needed;
  }

  /// The kernel for a call of `states` states, or null while it does not exist.
  const Made* find(ArgumentMask arguments, Index states, const Input& input) {
    Entry* const entry = entry_of(arguments);
    if (!entry) return nullptr;
    int stage = entry->stage.load(std::memory_order_acquire);
    if (stage == there) return entry->made.get();
    if (stage == unused && waits_) {
      if (!entry->stage.compare_exchange_strong(stage, on_its_way)) return nullptr;
      make(*entry, input);
      return entry->made.get();
    }
    if (stage == unused) {
      const Index before = asked_for_ ? pays_from_ - 1 : entry->states.fetch_add(states, std::memory_order_relaxed);
      if (before < pays_from_ && before + states >= pays_from_) begin(*entry, input);
    }
    return nullptr;
  }

  /// Whether the kernel for a set is being made.
  bool is_on_its_way(ArgumentMask arguments) {
    const Entry* const entry = entry_of(arguments);
    return entry && entry->stage.load(std::memory_order_acquire) == on_its_way;
  }

  // the kernel of the required arguments
  void begin(const Input& input) { begin(kernels_[0], input); }
  /// Make it on this thread. `others_wait`: whether calls with other sets wait for their kernels, too.
  void make_now(const Input& input, bool others_wait) {
    waits_ = others_wait;
    kernels_[0].stage = on_its_way;
    make(kernels_[0], input);
  }
  Stage stage() const { return static_cast<Stage>(kernels_[0].stage.load(std::memory_order_acquire)); }
  const Made* ready() const { return stage() == there ? kernels_[0].made.get() : nullptr; }
  const std::string& why() const { return kernels_[0].why; }  ///< why it was refused

 private:
  struct Entry {
    std::atomic<ArgumentMask> arguments = 0;  // 0: unused
    std::atomic<Index> states = 0;
    std::atomic<int> stage = unused;
    std::string why;
    std::unique_ptr<const Made> made;
    Background thread;
  };

  /// Null if other sets have all entries.
  Entry* entry_of(ArgumentMask arguments) {
    for (Entry& entry : kernels_) {
      ArgumentMask found = entry.arguments.load(std::memory_order_relaxed);
      if (found == 0) entry.arguments.compare_exchange_strong(found, arguments);
      if (found == 0 || found == arguments) return &entry;
    }
    return nullptr;
  }
  void begin(Entry& entry, const Input& input) {
    int stage = unused;
    if (!entry.stage.compare_exchange_strong(stage, on_its_way)) return;
    if (entry.thread.start([this, &entry, input] { make(entry, input); })) return;
    entry.why = "a thread cannot be started";
    entry.stage.store(refused, std::memory_order_release);
  }
  void make(Entry& entry, const Input& input) noexcept {
    Stage stage = refused;
    try {
      entry.made = make_(entry.arguments, input);
      stage = there;
    } catch (const std::exception& error) {
      entry.why = error.what();
    }
    entry.stage.store(stage, std::memory_order_release);
  }

  Make make_;
  Index pays_from_;
  bool asked_for_, waits_ = false;
  std::array<Entry, 16> kernels_;  ///< all sets of four optional arguments
};

}  // namespace tandem
