// SPDX-License-Identifier: Apache-2.0
/// Which number lies in which register of a straight line of operations.
#pragma once
#include <cstdint>
#include <vector>

namespace tandem {

/// Registers of a straight line whose uses are all known: the one that makes room is the one whose number is used last
/// of all (Belady 1966). Numbers are named by nodes.
class RegisterFile {
 public:
  static constexpr std::int32_t none = -1;

  /// `uses` has the places in the line at which each number is used, in order.
  RegisterFile(int registers, std::vector<std::vector<std::int32_t>> uses)
      : held_(static_cast<std::size_t>(registers), none),
        locked_(held_.size()),
        uses_(std::move(uses)),
        next_(uses_.size()),
        register_of_(uses_.size(), none) {}

  /// The register of a number, or none.
  std::int32_t of(std::int32_t number) const { return register_of_[static_cast<std::size_t>(number)]; }
  /// True if nothing after this place uses the number.
  bool dies(std::int32_t number, std::int32_t place) { return next_use(number, place + 1) == never; }
  bool is_used_after(std::int32_t number, std::int32_t place) { return !dies(number, place); }

  /// Not to be taken from now on until unlock_all.
  void lock(std::int32_t number) {
    if (of(number) != none) locked_[static_cast<std::size_t>(of(number))] = true;
  }
  void unlock_all() { locked_.assign(locked_.size(), false); }

  struct Room {
    std::int32_t place;    ///< the register
    std::int32_t evicted;  ///< the number that was there and is still wanted, or none
  };
  /// A register for a number; `place` is where in the line.
  Room take(std::int32_t number, std::int32_t place) {
    std::int32_t best = none, furthest = -1;
    for (std::size_t r = 0; r < held_.size(); ++r) {
      if (locked_[r]) continue;
      const std::int32_t use = held_[r] == none ? never + 1 : next_use(held_[r], place);
      if (use > furthest) {
        furthest = use;
        best = static_cast<std::int32_t>(r);
      }
    }
    const std::int32_t before = held_[static_cast<std::size_t>(best)];
    const bool wanted = before != none && furthest < never;
    if (before != none) register_of_[static_cast<std::size_t>(before)] = none;
    hold(number, best);
    return {best, wanted ? before : none};
  }
  /// The register of a number that dies goes to another.
  void hand_over(std::int32_t from, std::int32_t to) {
    const std::int32_t r = of(from);
    register_of_[static_cast<std::size_t>(from)] = none;
    hold(to, r);
  }
  void release(std::int32_t number) {
    if (of(number) == none) return;
    held_[static_cast<std::size_t>(of(number))] = none;
    register_of_[static_cast<std::size_t>(number)] = none;
  }

 private:
  static constexpr std::int32_t never = INT32_MAX - 1;

  void hold(std::int32_t number, std::int32_t r) {
    held_[static_cast<std::size_t>(r)] = number;
    register_of_[static_cast<std::size_t>(number)] = r;
    locked_[static_cast<std::size_t>(r)] = true;
  }
  std::int32_t next_use(std::int32_t number, std::int32_t place) {
    const auto& uses = uses_[static_cast<std::size_t>(number)];
    auto& next = next_[static_cast<std::size_t>(number)];
    while (next < uses.size() && uses[next] < place) ++next;
    return next < uses.size() ? uses[next] : never;
  }

  std::vector<std::int32_t> held_;  ///< the number in each register
  std::vector<bool> locked_;
  std::vector<std::vector<std::int32_t>> uses_;
  std::vector<std::size_t> next_;  ///< the first use that is not behind, of each number
  std::vector<std::int32_t> register_of_;
};

}  // namespace tandem
