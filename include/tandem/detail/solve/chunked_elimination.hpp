// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/executors/scan.hpp"
#include "tandem/detail/solve/cyclic_reduction.hpp"

namespace tandem::inline TANDEM_ISA {

/// Numbers of scratch memory of solve_chunked_elimination.
template <int m, int k>
TANDEM_HD constexpr Index chunked_elimination_rows(Index n, Index chunk) {
  constexpr Index block = Index{m} * m, rhs = Index{m} * k;
  const Index chunks = chunks_of(n, chunk);
  return block * (n < chunk ? 0 : n - chunk) + (3 * block + 2 * rhs) * chunks + cyclic_reduction_rows<m>(chunks);
}

/// A x = R, chunk by chunk: the rows of a chunk but its last are eliminated one after the other, all chunks at the same
/// time. The last rows, each a separator between two chunks, are left with a system of the same form, which cyclic
/// reduction solves.                                                        (partition method, SPIKE)
/// As one chunk it is elimination of one row after the other (block LU, Thomas), the yardstick of all others.
///
/// Cost      (19/3 m^3 + 10 m^2 k) n operations, depth 2 chunk + 3 log2 (n / chunk) rows; as one chunk (7/3 m^3 + 6 m^2
///           k) n
/// Scratch   Y of all chunks but the first towards the separator before them [n - chunk][m][m], and 4 blocks + 2
///           right-hand sides for every chunk
/// Stable    as Cholesky's method, of which block LU is the form for blocks
///
/// A row is coupled to the next one by U_i, and, once the rows before it are gone, to the separator before its chunk.
template <class S, int m, int k, class Executor, class Column, class Work>
TANDEM_HD void solve_chunked_elimination(const Executor& executor, const BlockTridiagonal<S, m, k, Column>& A,
                                         Index chunk, Work w) {
  using Block = Matrix<S, m, m>;
  const Index chunks = chunks_of(A.n, chunk);
  const auto end_of = [&](Index c) TANDEM_INLINE { return (c + 1) * chunk < A.n ? (c + 1) * chunk : A.n; };
  const auto Y_s = w;  // of a row behind the first chunk towards the separator before its own
  const auto rest = Y_s + A.block * (A.n < chunk ? 0 : A.n - chunk);
  const BlockTridiagonal<S, m, k, Work> separators = {chunks, rest, rest + A.block * chunks,
                                                      rest + 2 * A.block * chunks};
  const auto to_D = separators.R + A.rhs * chunks;  // what a chunk brings to the separator before it
  const auto to_R = to_D + A.block * chunks;

  executor.for_each(chunks, [&](Index c) TANDEM_INLINE {
    const Index end = end_of(c);
    auto D = A.diagonal(c * chunk);
    auto R = A.right_hand_side(c * chunk);
    auto A_is = c > 0 ? transpose(load<Matrix<S, m, m>>(A.U, A.block * (c * chunk - 1))) : Block::zero();
    auto D_s = Block::zero();
    auto R_s = Matrix<S, m, k>::zero();
    for (Index i = c * chunk; i + 1 < end; ++i) {
      const EliminatedRow<S, m, k> row(D, R);
      row.store_in(A, i);
      const auto Y = row.towards(load<Matrix<S, m, m>>(A.U, A.block * i));
      store(A.U, A.block * i, Y);
      D = minus_square(A.diagonal(i + 1), Y);
      R = minus_transpose_mul(A.right_hand_side(i + 1), Y, row.z);
      if (c == 0) continue;
      const auto Y_is = row.towards(A_is);
      store(Y_s, A.block * (i - chunk), Y_is);
      D_s = minus_square(D_s, Y_is);
      R_s = minus_transpose_mul(R_s, Y_is, row.z);
      A_is = minus_transpose_mul(Block::zero(), Y, Y_is);
    }
    store_lower(separators.D, A.block * c, D);
    store(separators.R, A.rhs * c, R);
    store_lower(to_D, A.block * c, D_s);
    store(to_R, A.rhs * c, R_s);
    if (c > 0) store(separators.U, A.block * (c - 1), transpose(A_is));
  });
  executor.for_each(chunks - 1, [&](Index c) TANDEM_INLINE {
    store_lower(separators.D, A.block * c, separators.diagonal(c) + load_lower<S, m>(to_D, A.block * (c + 1)));
    store(separators.R, A.rhs * c, separators.right_hand_side(c) + load<Matrix<S, m, k>>(to_R, A.rhs * (c + 1)));
  });
  solve_cyclic_reduction(executor, separators, to_R + A.rhs * chunks);

  executor.for_each(chunks, [&](Index c) TANDEM_INLINE {
    const Index last = end_of(c) - 1;
    auto x = separators.right_hand_side(c);
    store(A.R, A.rhs * last, x);
    const auto x_s = c > 0 ? separators.right_hand_side(c - 1) : Matrix<S, m, k>::zero();
    for (Index i = last - 1; i >= c * chunk; --i) {
      EliminatedRow<S, m, k> row(A, i);
      row.z = minus_mul(row.z, load<Matrix<S, m, m>>(A.U, A.block * i), x);
      if (c > 0) row.z = minus_mul(row.z, load<Matrix<S, m, m>>(Y_s, A.block * (i - chunk)), x_s);
      x = row.L.solve_upper(row.z);
      store(A.R, A.rhs * i, x);
    }
  });
}

}  // namespace tandem::inline TANDEM_ISA
