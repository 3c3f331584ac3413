// SPDX-License-Identifier: Apache-2.0
/// Rows and states of arrays of any strides, block by block.
#pragma once
#include <algorithm>

#include "tandem/api/evaluate.hpp"

namespace tandem::cuda {

/// f(row, state) for a block of rows and states after the other, small enough for both sides to stay in the cache.
template <class F>
void for_each_in_blocks(Index rows, Index states, F&& f) {
  constexpr Index block = 32;
  for (Index b0 = 0; b0 < states; b0 += block)
    for (Index k0 = 0; k0 < rows; k0 += block)
      for (Index k = k0; k < std::min(k0 + block, rows); ++k)
        for (Index b = b0; b < std::min(b0 + block, states); ++b) f(k, b);
}

}  // namespace tandem::cuda
