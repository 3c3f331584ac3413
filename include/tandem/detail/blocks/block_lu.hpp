// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/blocks/block_tridiagonal.hpp"

namespace tandem::inline TANDEM_ISA {

/// A x = R by elimination of one row after the other, from the first to the last (Thomas). The yardstick of all others.
///
/// Cost      (7/3 m^3 + 6 m^2 k) n operations, depth n     Scratch none
/// Stable    as Cholesky's method, of which this is the form for blocks
template <class S, int m, int k, class Column>
TANDEM_HD void solve_block_lu(const BlockTridiagonal<S, m, k, Column>& A) {
  if (A.n == 0) return;
  auto D = A.diagonal(0);
  auto R = A.right_hand_side(0);
  for (Index i = 0; i < A.n; ++i) {
    const EliminatedRow<S, m, k> row(D, R);
    row.store_in(A, i);
    if (i + 1 == A.n) break;
    const auto Y = row.towards(load_matrix<S, m, m>(A.U, A.block * i));
    store(A.U, A.block * i, Y);
    D = minus_square(A.diagonal(i + 1), Y);
    R = minus_transpose_mul(A.right_hand_side(i + 1), Y, row.z);
  }
  auto x = Matrix<S, m, k>::zero();
  for (Index i = A.n - 1; i >= 0; --i) {
    EliminatedRow<S, m, k> row(A, i);
    if (i + 1 < A.n) row.z = minus_mul(row.z, load_matrix<S, m, m>(A.U, A.block * i), x);
    x = row.L.solve_upper(row.z);
    store(A.R, A.rhs * i, x);
  }
}

}  // namespace tandem::inline TANDEM_ISA
