// SPDX-License-Identifier: Apache-2.0
/// Arrays of any strides to [row][state] and back.
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

/// States first, first + 1, ... of an array, to[row * states + state].
template <class T>
void gather(const Array<T>& from, Index first, Index states, Index rows, T* to) {
  for_each_in_blocks(rows, states, [&](Index k, Index b) {
    to[k * states + b] = from.data[(first + b) * from.stride + k * from.row_stride];
  });
}

/// The way back.
template <class T>
void scatter(const T* from, const Array<T>& to, Index first, Index states, Index rows) {
  for_each_in_blocks(rows, states, [&](Index k, Index b) {
    to.data[(first + b) * to.stride + k * to.row_stride] = from[k * states + b];
  });
}

}  // namespace tandem::cuda
