// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>

namespace tandem {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine and compiler, which the distributions of the
/// standard library do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, 1), 53 bits.
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform(double lower, double upper) { return lower + (upper - lower) * unit(); }
  /// In 0 .. n - 1.
  std::uint64_t below(std::uint64_t n) { return static_cast<std::uint64_t>(unit() * static_cast<double>(n)); }
  /// Standard normal (Box and Muller).
  double normal() {
    const double r = std::sqrt(-2 * std::log(1 - unit()));
    return r * std::cos(2 * std::numbers::pi * unit());
  }

 private:
  std::uint64_t state_;
};

}  // namespace tandem
