// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>

#include "tandem/detail/core/config.hpp"

namespace tandem::inline TANDEM_ISA {

/// Number `c` of each pack of x. Wide consists of nothing but packs of numbers of type R, and Narrow of as many single ones.
template <class Narrow, class R, class Wide>
TANDEM_HD Narrow lane(const Wide& x, int c) {
  constexpr std::size_t rows = sizeof(Narrow) / sizeof(R), width = sizeof(Wide) / sizeof(Narrow);
  struct Packs {
    R x[rows][width];
  };
  struct Numbers {
    R x[rows];
  };
  const auto packs = __builtin_bit_cast(Packs, x);
  Numbers numbers;
  for (std::size_t k = 0; k < rows; ++k) numbers.x[k] = packs.x[k][c];
  return __builtin_bit_cast(Narrow, numbers);
}

/// The element whose number in lane c is that of narrow(c).
template <class Wide, class R, class F>
TANDEM_HD Wide from_lanes(F&& narrow) {
  using Narrow = std::remove_cvref_t<decltype(narrow(0))>;
  constexpr std::size_t rows = sizeof(Narrow) / sizeof(R), width = sizeof(Wide) / sizeof(Narrow);
  struct Packs {
    R x[rows][width];
  };
  struct Numbers {
    R x[rows];
  };
  Packs packs;
  for (std::size_t c = 0; c < width; ++c) {
    const auto numbers = __builtin_bit_cast(Numbers, narrow(static_cast<int>(c)));
    for (std::size_t k = 0; k < rows; ++k) packs.x[k][c] = numbers.x[k];
  }
  return __builtin_bit_cast(Wide, packs);
}

}  // namespace tandem::inline TANDEM_ISA
