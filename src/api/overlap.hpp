// SPDX-License-Identifier: Apache-2.0
/// Which arrays have memory in common.
#pragma once
#include <cstdint>

#include "tandem/api/batch.hpp"

namespace tandem {

/// Where numbers lie: n_outer runs of n_inner numbers, all distances in bytes and not negative.
struct Lattice {
  Index begin = 0, end = 0;  ///< addresses of the first byte and behind the last one; equal: there are no numbers
  Index outer = 0, n_outer = 0, inner = 0, n_inner = 0;
  Index size = 0;  ///< of a number

  /// `states` columns of `rows` numbers.
  template <class T>
  static Lattice of(const Array<T>& a, Index rows, Index states) {
    constexpr Index size = sizeof(T);
    return a.data ? Lattice(reinterpret_cast<std::intptr_t>(a.data), size, a.stride * size, states, a.row_stride * size,
                           rows)
                  : Lattice();
  }
  /// Numbers side by side.
  template <class T>
  static Lattice of(std::span<T> numbers) {
    constexpr Index size = sizeof(T);
    return {reinterpret_cast<std::intptr_t>(numbers.data()), size, 0, 1, size, static_cast<Index>(numbers.size())};
  }

  Lattice() = default;
  Lattice(Index first, Index number, Index stride, Index states, Index row_stride, Index rows) : size(number) {
    if (states <= 0 || rows <= 0) return;
    const Index by_state = stride * (states - 1), by_row = row_stride * (rows - 1);
    begin = first + (by_state < 0 ? by_state : 0) + (by_row < 0 ? by_row : 0);
    end = first + (by_state > 0 ? by_state : 0) + (by_row > 0 ? by_row : 0) + number;
    outer = stride < 0 ? -stride : stride;
    inner = row_stride < 0 ? -row_stride : row_stride;
    n_outer = states;
    n_inner = rows;
  }

  bool reaches_into(const Lattice& other) const { return begin < other.end && other.begin < end; }
  /// Whether two of the numbers are the same one, or overlap.
  bool overlaps_itself() const;
};

/// Whether a number of the one overlaps a number of the other: exact, so that columns of one table are told apart.
bool overlap(const Lattice& a, const Lattice& b);

}  // namespace tandem
