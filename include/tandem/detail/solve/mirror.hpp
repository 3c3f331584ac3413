// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/core/column.hpp"

namespace tandem::inline TANDEM_ISA {

/// The upper triangle of a symmetric matrix from its lower one, a block of rows after the other.
///
/// Numbers of a processor pass through a tile of their own, so that rows are read and written whole: those of a matrix
/// whose width is a power of two share their places in the cache, and a column would drive itself out of it.
template <class S>
struct Mirror {
  static constexpr Index block = rows_at_once<S> > 1 ? 16 : 1;

  TANDEM_HD static Index blocks(Index n) { return (n + block - 1) / block; }

  template <class Matrix>
  TANDEM_HD static void whole(Index n, Matrix H) {
    for (Index b = 0; b < blocks(n); ++b) rows(n, b, H);
  }
  /// Right of the diagonal, the rows of block b of H [n, n].
  template <class Matrix>
  TANDEM_HD static void rows(Index n, Index b, Matrix H) {
    const Index begin = b * block, end = least(begin + block, n);
    for (Index j = begin; j < end; ++j)
      for (Index k = j + 1; k < end; ++k) H[j * n + k] = H[k * n + j];
    Index left = end;
    for (; left + block <= n; left += block) {
      S tile[block][block];
      for (Index k = 0; k < block; ++k)
        for (Index j = 0; j < block; ++j) tile[j][k] = S(H[(left + k) * n + begin + j]);
      for (Index j = 0; j < block; ++j)
        for (Index k = 0; k < block; ++k) H[(begin + j) * n + left + k] = tile[j][k];
    }
    for (Index j = begin; j < end; ++j)
      for (Index k = left; k < n; ++k) H[j * n + k] = H[k * n + j];
  }

 private:
  TANDEM_HD static Index least(Index a, Index b) { return a < b ? a : b; }
};

}  // namespace tandem::inline TANDEM_ISA
