// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/core/math.hpp"
#include "tandem/detail/executors/executor.hpp"

namespace tandem::inline TANDEM_ISA {

/// H = U^T U for a symmetric positive definite matrix, in blocks that an executor's workers share.
///
/// In        H [n, n] row-major, upper triangle, overwritten by U, whose diagonal holds its inverse; below it nothing
///           is read or written. A matrix that is not positive definite gives infinities or NaN
/// Steps     for each row of blocks: the block on the diagonal; those right of it, each on its own; what they take from
///           the blocks below, each on its own
/// Cost      n^3 / 3, depth n / block * (block^2 + block)
struct DenseCholesky {
  template <class S, class Executor, class Matrix>
  TANDEM_HD static void factorise(const Executor& executor, Index n, Matrix H) {
    constexpr Index block = is_of_threads<Executor> ? 8 : 32;  // what a thread has registers for
    const auto end = [n](Index b) TANDEM_INLINE { return (b + 1) * block < n ? (b + 1) * block : n; };
    const Index blocks = (n + block - 1) / block;
    for (Index b = 0; b < blocks; ++b) {
      const Index begin = b * block;
      on_one(executor, [&]() TANDEM_INLINE {
        for (Index k = begin; k < end(b); ++k) {
          const S inverse = S(1) / sqrt(S(H[k * n + k]));
          H[k * n + k] = inverse;
          for (Index j = k + 1; j < end(b); ++j) H[k * n + j] = S(H[k * n + j]) * inverse;
          for (Index i = k + 1; i < end(b); ++i) take<S>(H, n, k, i, i, end(b));
        }
      });
      const Index rest = blocks - b - 1;
      executor.for_each(rest, [&](Index c) TANDEM_INLINE {
        const Index from = (b + 1 + c) * block, to = end(b + 1 + c);
        for (Index k = begin; k < end(b); ++k) {
          for (Index l = begin; l < k; ++l) take<S>(H, n, l, k, from, to);
          const S inverse = H[k * n + k];
          for (Index j = from; j < to; ++j) H[k * n + j] = S(H[k * n + j]) * inverse;
        }
      });
      executor.for_each(rest * rest, [&](Index pair) TANDEM_INLINE {
        const Index r = b + 1 + pair / rest, c = b + 1 + pair % rest;
        if (c < r) return;
        for (Index i = r * block; i < end(r); i += rows_at_once_of_tile)
          update < S, block<16 ? block : 16>(H, n, begin, end(b), i, end(r), c * block, end(c));
      });
    }
  }

  /// x = H^-1 x
  template <class S, class Matrix, class Vector>
  TANDEM_HD static void solve(Index n, Matrix U, Vector x) {
    for (Index k = 0; k < n; ++k) {  // U^T y = x
      const S y = S(x[k]) * S(U[k * n + k]);
      x[k] = y;
      for (Index j = k + 1; j < n; ++j) x[j] = mul_add(-y, S(U[k * n + j]), S(x[j]));
    }
    for (Index k = n - 1; k >= 0; --k) {  // U x = y
      S sum = x[k];
      for (Index j = k + 1; j < n; ++j) sum = mul_add(-S(U[k * n + j]), S(x[j]), sum);
      x[k] = sum * S(U[k * n + k]);
    }
  }

  /// The same, what a block of unknowns takes from the others by all workers. The second half adds up in another order.
  template <class S, class Executor, class Matrix, class Vector>
  TANDEM_HD static void solve_in_blocks(const Executor& executor, Index n, Matrix U, Vector x) {
    constexpr Index block = 32;
    const auto end = [n](Index begin) TANDEM_INLINE { return begin + block < n ? begin + block : n; };
    for (Index begin = 0; begin < n; begin += block) {
      on_one(executor, [&]() TANDEM_INLINE {
        for (Index k = begin; k < end(begin); ++k) {
          const S y = S(x[k]) * S(U[k * n + k]);
          x[k] = y;
          for (Index j = k + 1; j < end(begin); ++j) x[j] = mul_add(-y, S(U[k * n + j]), S(x[j]));
        }
      });
      executor.for_each(n - end(begin), [&](Index behind) TANDEM_INLINE {
        const Index j = end(begin) + behind;
        S sum = x[j];
        for (Index k = begin; k < end(begin); ++k) sum = mul_add(-S(x[k]), S(U[k * n + j]), sum);
        x[j] = sum;
      });
    }
    for (Index begin = (n - 1) / block * block; begin >= 0; begin -= block) {
      const auto take_from = [&](Index i, Index first) TANDEM_INLINE {
        S sum = x[i];
        for (Index k = first; k < end(begin); ++k) sum = mul_add(-S(U[i * n + k]), S(x[k]), sum);
        return sum;
      };
      on_one(executor, [&]() TANDEM_INLINE {
        for (Index k = end(begin) - 1; k >= begin; --k) x[k] = take_from(k, k + 1) * S(U[k * n + k]);
      });
      executor.for_each(begin, [&](Index i) TANDEM_INLINE { x[i] = take_from(i, begin); });
    }
  }

 private:
  static constexpr Index rows_at_once_of_tile = 4;

  /// Row i less U_ki times row k, columns from .. to - 1.
  template <class S, class Matrix>
  TANDEM_HD static void take(Matrix H, Index n, Index k, Index i, Index from, Index to) {
    const S factor = -S(H[k * n + i]);
#pragma omp simd
    for (Index j = from; j < to; ++j) H[i * n + j] = mul_add(factor, S(H[k * n + j]), S(H[i * n + j]));
  }

  /// Rows i .. of a block, at most four of them, less their shares of rows begin .. end - 1.
  template <class S, Index c, class Matrix>
  TANDEM_HD static void update(Matrix H, Index n, Index begin, Index end, Index i, Index last_i, Index from, Index to) {
    constexpr Index r = rows_at_once_of_tile;
    Index j = from;
    if (i + r <= last_i) {
      for (; j + c <= to; j += c) {
        S sum[r][c];
        for (Index row = 0; row < r; ++row)
          for (Index k = 0; k < c; ++k) sum[row][k] = H[(i + row) * n + j + k];
        for (Index l = begin; l < end; ++l) {
          for (Index row = 0; row < r; ++row) {
            const S factor = -S(H[l * n + i + row]);
#pragma omp simd
            for (Index k = 0; k < c; ++k) sum[row][k] = mul_add(factor, S(H[l * n + j + k]), sum[row][k]);
          }
        }
        for (Index row = 0; row < r; ++row)
          for (Index k = 0; k < c; ++k) H[(i + row) * n + j + k] = sum[row][k];
      }
    }
    if (j == to) return;
    for (Index row = i; row < i + r && row < last_i; ++row)
      for (Index l = begin; l < end; ++l) take<S>(H, n, l, row, j, to);
  }
};

}  // namespace tandem::inline TANDEM_ISA
