// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/core/column.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

/// Inverse of a symmetric positive definite d x d matrix, d a constant of at most 6: A = L L^T, K = L^-T L^-1.
/// Reads the lower triangle, writes all of K. A matrix that is not positive definite gives infinities or NaN.
template <int d, class S>
TANDEM_HD void invert_spd(const S (&A)[d][d], S (&K)[d][d]) {
  if constexpr (d == 1) {
    K[0][0] = S(1) / A[0][0];
  } else {
    S W[d][d];  // L^-1, lower triangle
    S L[d][d];
    for (int j = 0; j < d; ++j) {
      S diagonal = A[j][j];
      for (int k = 0; k < j; ++k) diagonal = mul_add(-L[j][k], L[j][k], diagonal);
      W[j][j] = S(1) / sqrt(diagonal);
      for (int i = j + 1; i < d; ++i) {
        S x = A[i][j];
        for (int k = 0; k < j; ++k) x = mul_add(-L[i][k], L[j][k], x);
        L[i][j] = x * W[j][j];
      }
    }
    for (int j = 0; j < d; ++j)
      for (int i = j + 1; i < d; ++i) {
        S x = L[i][j] * W[j][j];
        for (int k = j + 1; k < i; ++k) x = mul_add(L[i][k], W[k][j], x);
        W[i][j] = -(x * W[i][i]);
      }
    for (int i = 0; i < d; ++i)
      for (int j = 0; j <= i; ++j) {
        S x = W[i][i] * W[i][j];
        for (int k = i + 1; k < d; ++k) x = mul_add(W[k][i], W[k][j], x);
        K[i][j] = x;
        K[j][i] = x;
      }
  }
}

/// A x = b for a symmetric positive definite n x n matrix, row-major in a column: A = L L^T. The lower triangle of A is
/// overwritten by L (the diagonal by its inverse), b by x. Cost n^3 / 6.
template <class S, class Matrix, class Vector>
TANDEM_HD void solve_spd(Matrix A, int n, Vector b) {
  for (int j = 0; j < n; ++j) {
    const Index row_j = Index{j} * n;
    for (int i = j; i < n; ++i) {
      const Index row_i = Index{i} * n;
      S x = A[row_i + j];
      for (int k = 0; k < j; ++k) x = mul_add(-S(A[row_i + k]), S(A[row_j + k]), x);
      A[row_i + j] = i == j ? S(1) / sqrt(x) : x * S(A[row_j + j]);
    }
  }
  for (int i = 0; i < n; ++i) {
    S x = b[i];
    for (int k = 0; k < i; ++k) x = mul_add(-S(A[Index{i} * n + k]), S(b[k]), x);
    b[i] = x * S(A[Index{i} * n + i]);
  }
  for (int i = n - 1; i >= 0; --i) {
    S x = b[i];
    for (int k = i + 1; k < n; ++k) x = mul_add(-S(A[Index{k} * n + i]), S(b[k]), x);
    b[i] = x * S(A[Index{i} * n + i]);
  }
}

}  // namespace tandem::inline TANDEM_ISA
