// SPDX-License-Identifier: Apache-2.0
/// Arrays of any strides to arrays of other strides on the device. A block of threads brings a square of numbers over:
/// it reads it along the direction in which the one array lies, and writes it along that of the other.
#pragma once
#include "backends/cuda/column.hpp"

namespace tandem::cuda {

template <class T>
struct Transposition {
  static constexpr int side = 32, lines = 8;  ///< numbers and threads of a block: side x side and side x lines
  static constexpr int pitch = side + 1;      ///< of the square in shared memory, whose columns fall on different banks

  Array<T> from;  ///< read only
  Array<T> to;
  Index rows, states;

  TANDEM_HD static Index squares(Index n) { return (n + side - 1) / side; }

  /// Thread (x, y) of the block for the square at (row, state) * side: first half. Neighbours in x read neighbouring
  /// numbers.
  TANDEM_HD void take(Index square_row, Index square_state, int x, int y, T* square) const {
    const bool along_rows = from.row_stride < from.stride;
    for (int k = y; k < side; k += lines) {
      const int row = along_rows ? x : k, state = along_rows ? k : x;
      const Index r = square_row * side + row, b = square_state * side + state;
      if (r < rows && b < states) square[row * pitch + state] = from.data[b * from.stride + r * from.row_stride];
    }
  }
  /// And second half, when all threads of the block have done the first.
  TANDEM_HD void give(Index square_row, Index square_state, int x, int y, const T* square) const {
    const bool along_rows = to.row_stride < to.stride;
    for (int k = y; k < side; k += lines) {
      const int row = along_rows ? x : k, state = along_rows ? k : x;
      const Index r = square_row * side + row, b = square_state * side + state;
      if (r < rows && b < states) to.data[b * to.stride + r * to.row_stride] = square[row * pitch + state];
    }
  }
};

}  // namespace tandem::cuda
