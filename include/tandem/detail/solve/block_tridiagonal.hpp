// SPDX-License-Identifier: Apache-2.0
/// Symmetric positive definite systems of equations in which every unknown of a row of blocks meets only its
/// neighbours: the system itself, and the one step that all direct solvers take.
///
///     A x = R,   A = | D_0   U_0           |     blocks of m x m, n of them on the diagonal; k right-hand sides
///                    | U_0^T D_1   U_1     |
///                    |       U_1^T D_2 ... |
///
/// Solvers, each in a header of its own; in which order they eliminate the unknowns is all in which they differ:
///   cyclic_reduction.hpp          every second one at a time, depth log2 n, 2.7 times the operations of block LU
///   chunked_elimination.hpp       chunk by chunk, then cyclic reduction of what is left; as many operations, fewer
///                                 levels. As one chunk it is block LU: one after the other, the fewest operations,
///                                 depth n
///   odd_even_elimination.hpp      every one from all others, half the levels, log2 n times the operations; fewest
///                                 digits
///   block_conjugate_gradient.hpp  none: iterates
///
/// See docs/algorithms/block_tridiagonal.md.
#pragma once
#include "tandem/detail/executors/executor.hpp"
#include "tandem/detail/solve/small_cholesky.hpp"

namespace tandem::inline TANDEM_ISA {

/// The system, in columns of numbers. Direct solvers overwrite D and U by factors, R by x. Solvers take as scratch
/// memory a column of `their name`_rows(n) numbers.
template <class S, int m, int k, class Column>
struct BlockTridiagonal {
  using Number = S;
  using Block = Matrix<S, m, m>;
  using Rhs = Matrix<S, m, k>;
  static constexpr Index block = Index{m} * m, rhs = Index{m} * k;

  Index n;
  Column D;  ///< [n][m][m], of which the lower triangles count
  Column U;  ///< [n - 1][m][m], U_i = A_{i,i+1}
  Column R;  ///< [n][m][k]

  TANDEM_HD Block diagonal(Index i) const { return load_lower<S, m>(D, block * i); }
  TANDEM_HD Rhs right_hand_side(Index i) const { return load<Matrix<S, m, k>>(R, rhs * i); }
};

/// Row i, solved for its unknowns, which leaves the others with a system that is again symmetric and positive definite.
/// With neighbours l and r, either of which may be missing:
///
///     L L^T = D_i,   Y_l = L^-1 A_il,   Y_r = L^-1 A_ir,   z = L^-1 R_i
///     D_l -= Y_l^T Y_l,   D_r -= Y_r^T Y_r,   A_lr -= Y_l^T Y_r,   R_l -= Y_l^T z,   R_r -= Y_r^T z
///     x_i = L^-T (z - Y_l x_l - Y_r x_r)
///
/// Half a solution on either side of D_i^-1 keeps what is left symmetric without averaging, and costs half as much.
template <class S, int m, int k>
struct EliminatedRow {
  Cholesky<S, m> L;
  Matrix<S, m, k> z;

  TANDEM_HD EliminatedRow(const Matrix<S, m, m>& D, const Matrix<S, m, k>& R) : L(cholesky(D)), z(L.solve_lower(R)) {}
  /// As it was stored in the rows of the system.
  template <class Column>
  TANDEM_HD EliminatedRow(const BlockTridiagonal<S, m, k, Column>& A, Index i)
      : L{A.diagonal(i)}, z(A.right_hand_side(i)) {}
  template <class Column>
  TANDEM_HD void store_in(const BlockTridiagonal<S, m, k, Column>& A, Index i) const {
    store_lower(A.D, A.block * i, L.L);
    store(A.R, A.rhs * i, z);
  }
  /// Y of the neighbour that is coupled by A_ij.
  TANDEM_HD Matrix<S, m, m> towards(const Matrix<S, m, m>& A_ij) const { return L.solve_lower(A_ij); }
};

}  // namespace tandem::inline TANDEM_ISA
