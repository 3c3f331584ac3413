// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/block_tridiagonal.hpp"

namespace tandem::inline TANDEM_ISA {

/// Numbers of scratch memory of solve_odd_even_elimination.
template <int m, int k>
TANDEM_HD constexpr Index odd_even_elimination_rows(Index n) {
  return (2 * Index{m} * m + Index{m} * k) * n;
}

/// A x = R by odd-even elimination: every row is freed of its neighbours at distance h = 1, 2, 4, ... until none is
/// left.
///
///     D_i <- D_i - E_i U_i^T - K_i U_{i-h},   R_i <- R_i - E_i R_{i+h} - K_i R_{i-h},   U_i <- -E_i U_{i+h}
///     E_i = U_i D_{i+h}^-1,   K_i = U_{i-h}^T D_{i-h}^-1,   at last x_i = D_i^-1 R_i          [Yang] (19), Algorithm 2
///
/// Cost      (19/3 m^3 + 5 m^2 k) n log2 n operations, depth 2 log2 n + 1 rows     Scratch Y_l, Y_r [n][m][m], z
///           [n][m][k] Stable    no: rows lose what they have in common with the matrix that they came from, 1 to 8
///           digits on chains
///
/// Changed from [Yang]: terms whose index lies outside are absent; the third line reads R_{i+h}, not X; of every step
/// all that is read is read before anything is written, which Algorithm 2 does not wait for; E_i U_i^T is formed as
/// Y_l^T Y_l with Y_l of row i + h, which is the same and symmetric.
template <class S, int m, int k, class Executor, class Column, class Work>
TANDEM_HD void solve_odd_even_elimination(const Executor& executor, const BlockTridiagonal<S, m, k, Column>& A,
                                          Work w) {
  const Index n = A.n;
  const auto Y_l = w, Y_r = w + A.block * n, z = w + 2 * A.block * n;
  for (Index h = 1; h < n; h *= 2) {
    executor.for_each(n, [&](Index i) TANDEM_INLINE {
      const EliminatedRow<S, m, k> row(A.diagonal(i), A.right_hand_side(i));
      store(z, A.rhs * i, row.z);
      if (i >= h) store(Y_l, A.block * i, row.towards(transpose(load<Matrix<S, m, m>>(A.U, A.block * (i - h)))));
      if (i + h < n) store(Y_r, A.block * i, row.towards(load<Matrix<S, m, m>>(A.U, A.block * i)));
    });
    executor.for_each(n, [&](Index i) TANDEM_INLINE {
      const Index l = i - h, r = i + h;
      auto D = A.diagonal(i);
      auto R = A.right_hand_side(i);
      if (l >= 0) {
        const auto Y = load<Matrix<S, m, m>>(Y_r, A.block * l);
        D = minus_square(D, Y);
        R = minus_transpose_mul(R, Y, load<Matrix<S, m, k>>(z, A.rhs * l));
      }
      if (r < n) {
        const auto Y = load<Matrix<S, m, m>>(Y_l, A.block * r);
        D = minus_square(D, Y);
        R = minus_transpose_mul(R, Y, load<Matrix<S, m, k>>(z, A.rhs * r));
        if (r + h < n)
          store(A.U, A.block * i,
                minus_transpose_mul(Matrix<S, m, m>::zero(), Y, load<Matrix<S, m, m>>(Y_r, A.block * r)));
      }
      store_lower(A.D, A.block * i, D);
      store(A.R, A.rhs * i, R);
    });
  }
  executor.for_each(
      n, [&](Index i) TANDEM_INLINE { store(A.R, A.rhs * i, cholesky(A.diagonal(i)).solve(A.right_hand_side(i))); });
}

}  // namespace tandem::inline TANDEM_ISA
