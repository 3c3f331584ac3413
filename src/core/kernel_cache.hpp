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

/// A bit for each argument that every call of an algorithm gives, and the bit of any call.
template <class Algorithm>
std::uint64_t needed_by(const Algorithm& algorithm) {
  std::uint64_t needed = std::uint64_t{1} << 63;
  for (std::size_t k = 0; k < algorithm.arguments.size(); ++k)
    if (!is_optional(algorithm.arguments[k])) needed |= std::uint64_t{1} << k;
  return needed;
}

/// Kernels for the first few sets of arguments that calls give. Each is made from an Input, on its own thread once it
/// is requested or enough states have been computed with that set, or by the first such call, which then waits
/// (make_now). Thread-safe. The destructor waits for kernels that are being made; data that `make` uses must outlive
/// it.
template <class Made, class Input>
class KernelCache {
 public:
  using Given = std::uint64_t;  ///< a bit for each thing that is there, and one that is always set
  enum Stage : int { unused, on_its_way, there, refused };
  /// Throws what it refuses for.
  using Make = std::function<std::unique_ptr<const Made>(Given, const Input&)>;

  /// `needed`: given by every call; its line is the first. With asked_for every choice is made once it comes, else once
  /// pays_from states have come with it.
  KernelCache(Make make, Given needed, Index pays_from, bool asked_for)
      : make_(std::move(make)), pays_from_(pays_from), asked_for_(asked_for) {
    kernels_[0].given = needed;
  }

  /// That for a call of so many states, or null while there is none.
  const Made* find(Given given, Index states, const Input& input) {
    Line* const line = line_of(given);
    if (!line) return nullptr;
    int stage = line->stage.load(std::memory_order_acquire);
    if (stage == there) return line->made.get();
    if (stage == unused && waits_) {
      if (!line->stage.compare_exchange_strong(stage, on_its_way)) return nullptr;
      make(*line, input);
      return line->made.get();
    }
    if (stage == unused) {
      const Index before = asked_for_ ? pays_from_ - 1 : line->states.fetch_add(states, std::memory_order_relaxed);
      if (before < pays_from_ && before + states >= pays_from_) begin(*line, input);
    }
    return nullptr;
  }

  /// Whether that for such calls is being made.
  bool is_on_its_way(Given given) {
    const Line* const line = line_of(given);
    return line && line->stage.load(std::memory_order_acquire) == on_its_way;
  }

  // the first line
  void begin(const Input& input) { begin(kernels_[0], input); }
  /// Calls with other choices wait for theirs, too, or go on while these are made.
  void make_now(const Input& input, bool others_wait) {
    waits_ = others_wait;
    kernels_[0].stage = on_its_way;
    make(kernels_[0], input);
  }
  Stage stage() const { return static_cast<Stage>(kernels_[0].stage.load(std::memory_order_acquire)); }
  const Made* ready() const { return stage() == there ? kernels_[0].made.get() : nullptr; }
  const std::string& why() const { return kernels_[0].why; }  ///< it was refused

 private:
  struct Line {
    std::atomic<Given> given = 0;  // 0: for no call yet
    std::atomic<Index> states = 0;
    std::atomic<int> stage = unused;
    std::string why;
    std::unique_ptr<const Made> made;
    Background thread;
  };

  /// Null once there are lines for other choices in all places.
  Line* line_of(Given given) {
    for (Line& line : kernels_) {
      Given found = line.given.load(std::memory_order_relaxed);
      if (found == 0) line.given.compare_exchange_strong(found, given);
      if (found == 0 || found == given) return &line;
    }
    return nullptr;
  }
  void begin(Line& line, const Input& input) {
    int stage = unused;
    if (!line.stage.compare_exchange_strong(stage, on_its_way)) return;
    if (line.thread.start([this, &line, input] { make(line, input); })) return;
    line.why = "a thread cannot be started";
    line.stage.store(refused, std::memory_order_release);
  }
  void make(Line& line, const Input& input) noexcept {
    Stage stage = refused;
    try {
      line.made = make_(line.given, input);
      stage = there;
    } catch (const std::exception& error) {
      line.why = error.what();
    }
    line.stage.store(stage, std::memory_order_release);
  }

  Make make_;
  Index pays_from_;
  bool asked_for_, waits_ = false;
  std::array<Line, 16> kernels_;  ///< choices of four optional arguments
};

}  // namespace tandem
