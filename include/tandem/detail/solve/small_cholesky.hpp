// SPDX-License-Identifier: Apache-2.0
/// Symmetric positive definite matrices of a few rows: their factors, and all that is done with these.
#pragma once
#include "tandem/detail/solve/small_matrix.hpp"

namespace tandem::inline TANDEM_ISA {

/// The factors of A = L L^T.
template <class S, int m>
struct Cholesky {
  Matrix<S, m, m> L;  ///< below the diagonal; on it the inverses of L's

  /// L^-1 B
  template <int n>
  TANDEM_HD Matrix<S, m, n> solve_lower(Matrix<S, m, n> B) const {
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        S x = B.e[i][j];
        for (int k = 0; k < i; ++k) x = mul_add(-L(i, k), B.e[k][j], x);
        B.e[i][j] = x * L(i, i);
      }
    return B;
  }
  /// L^-T B
  template <int n>
  TANDEM_HD Matrix<S, m, n> solve_upper(Matrix<S, m, n> B) const {
    for (int i = m - 1; i >= 0; --i)
      for (int j = 0; j < n; ++j) {
        S x = B.e[i][j];
        for (int k = i + 1; k < m; ++k) x = mul_add(-L(k, i), B.e[k][j], x);
        B.e[i][j] = x * L(i, i);
      }
    return B;
  }
  /// A^-1 = L^-T L^-1, all of it
  TANDEM_HD void invert(S (&K)[m][m]) const {
    S W[m][m];  // L^-1 below its diagonal
    for (int j = 0; j < m; ++j)
      for (int i = j + 1; i < m; ++i) {
        S x = L(i, j) * L(j, j);
        for (int k = j + 1; k < i; ++k) x = mul_add(L(i, k), W[k][j], x);
        W[i][j] = -(x * L(i, i));
      }
    for (int i = 0; i < m; ++i)
      for (int j = 0; j <= i; ++j) {
        S x = L(i, i) * (i == j ? L(i, i) : W[i][j]);
        for (int k = i + 1; k < m; ++k) x = mul_add(W[k][i], W[k][j], x);
        K[i][j] = K[j][i] = x;
      }
  }
  /// A^-1 B
  template <int n>
  TANDEM_HD Matrix<S, m, n> solve(const Matrix<S, m, n>& B) const {
    return solve_upper(solve_lower(B));
  }
};

/// A = L L^T of a symmetric positive definite A, of which the lower triangle is read. A matrix that is not positive
/// definite gives infinities or NaN.
template <class S, int m>
TANDEM_HD Cholesky<S, m> cholesky(const S (&A)[m][m]) {
  Cholesky<S, m> F;
  auto& L = F.L;
  for (int j = 0; j < m; ++j) {
    S diagonal = A[j][j];
    for (int k = 0; k < j; ++k) diagonal = mul_add(-L(j, k), L(j, k), diagonal);
    L(j, j) = S(1) / sqrt(diagonal);
    for (int i = j + 1; i < m; ++i) {
      S x = A[i][j];
      for (int k = 0; k < j; ++k) x = mul_add(-L(i, k), L(j, k), x);
      L(i, j) = x * L(j, j);
    }
  }
  return F;
}
template <class S, int m>
TANDEM_HD Cholesky<S, m> cholesky(const Matrix<S, m, m>& A) {
  return cholesky(A.e);
}

/// K = A^-1 of a symmetric positive definite A, of which the lower triangle is read.
template <int d, class S>
TANDEM_HD void invert_spd(const S (&A)[d][d], S (&K)[d][d]) {
  if constexpr (d == 1)
    K[0][0] = S(1) / A[0][0];
  else
    cholesky(A).invert(K);
}

}  // namespace tandem::inline TANDEM_ISA
