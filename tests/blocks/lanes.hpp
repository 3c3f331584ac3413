// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>

#include "tandem/detail/core/config.hpp"

namespace tandem::inline TANDEM_ISA {

/// So many packs, one after the other; of a width of 1, numbers.
template <class R, std::size_t rows, std::size_t width>
struct PackRows {
  R x[rows][width];
};

/// Number `c` of each pack of x. Wide consists of nothing but packs of numbers of type R, and Narrow of as many single
/// ones.
template <class Narrow, class R, class Wide>
TANDEM_HD Narrow lane(const Wide& x, int c) {
  constexpr std::size_t rows = sizeof(Narrow) / sizeof(R), width = sizeof(Wide) / sizeof(Narrow);
  const auto packs = __builtin_bit_cast(PackRows<R, rows, width>, x);
  PackRows<R, rows, 1> numbers;
  for (std::size_t k = 0; k < rows; ++k) numbers.x[k][0] = packs.x[k][c];
  return __builtin_bit_cast(Narrow, numbers);
}

/// The element whose number in lane c is that of narrow(c).
template <class Wide, class R, class F>
TANDEM_HD Wide from_lanes(F&& narrow) {
  using Narrow = std::remove_cvref_t<decltype(narrow(0))>;
  constexpr std::size_t rows = sizeof(Narrow) / sizeof(R), width = sizeof(Wide) / sizeof(Narrow);
  PackRows<R, rows, width> packs;
  for (std::size_t c = 0; c < width; ++c) {
    const auto numbers = __builtin_bit_cast(PackRows<R, rows, 1>, narrow(static_cast<int>(c)));
    for (std::size_t k = 0; k < rows; ++k) packs.x[k][c] = numbers.x[k][0];
  }
  return __builtin_bit_cast(Wide, packs);
}

}  // namespace tandem::inline TANDEM_ISA
