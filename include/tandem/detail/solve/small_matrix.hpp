// SPDX-License-Identifier: Apache-2.0
/// Dense matrices of a few rows, their sizes known to the compiler; S is a number or a pack of them.
#pragma once
#include "tandem/detail/core/math.hpp"
#include "tandem/detail/core/record.hpp"

namespace tandem::inline TANDEM_ISA {

/// Row by row, as in the rows of a column.
template <class S, int m, int n>
struct Matrix {
  S e[m][n];

  TANDEM_HD S& operator()(int row, int column) { return e[row][column]; }
  TANDEM_HD const S& operator()(int row, int column) const { return e[row][column]; }
  /// With the entries f(row, column).
  template <class F>
  TANDEM_HD static Matrix of(F&& f) {
    Matrix A;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) A.e[i][j] = f(i, j);
    return A;
  }
  TANDEM_HD static Matrix zero() {
    return of([](int, int) TANDEM_INLINE { return S(0); });
  }
  TANDEM_HD static Matrix identity() {
    return of([](int i, int j) TANDEM_INLINE { return S(i == j ? 1 : 0); });
  }
};

template <class S, int m>
using Vector = Matrix<S, m, 1>;

template <class S, int m, int n>
TANDEM_HD Matrix<S, m, n> operator+(const Matrix<S, m, n>& A, const Matrix<S, m, n>& B) {
  return Matrix<S, m, n>::of([&](int i, int j) TANDEM_INLINE { return A.e[i][j] + B.e[i][j]; });
}
template <class S, int m, int n>
TANDEM_HD Matrix<S, m, n> operator-(const Matrix<S, m, n>& A, const Matrix<S, m, n>& B) {
  return Matrix<S, m, n>::of([&](int i, int j) TANDEM_INLINE { return A.e[i][j] - B.e[i][j]; });
}
template <class S, int m, int n>
TANDEM_HD Matrix<S, m, n> operator-(const Matrix<S, m, n>& A) {
  return Matrix<S, m, n>::of([&](int i, int j) TANDEM_INLINE { return -A.e[i][j]; });
}

template <class S, int m, int k, int n>
TANDEM_HD Matrix<S, m, n> add_product(Matrix<S, m, n> C, const Matrix<S, m, k>& A, const Matrix<S, k, n>& B) {
  for (int i = 0; i < m; ++i)
    for (int l = 0; l < k; ++l)
      for (int j = 0; j < n; ++j) C.e[i][j] = mul_add(A.e[i][l], B.e[l][j], C.e[i][j]);
  return C;
}
/// A B + C
template <class S, int m, int k, int n>
TANDEM_HD Matrix<S, m, n> mul_add(const Matrix<S, m, k>& A, const Matrix<S, k, n>& B, const Matrix<S, m, n>& C) {
  return add_product(C, A, B);
}
/// The same of square matrices, which the mul_add of numbers would take as well.
template <class S, int m>
TANDEM_HD Matrix<S, m, m> mul_add(const Matrix<S, m, m>& A, const Matrix<S, m, m>& B, const Matrix<S, m, m>& C) {
  return add_product(C, A, B);
}
/// A^T B + C
template <class S, int m, int k, int n>
TANDEM_HD Matrix<S, m, n> transpose_mul_add(const Matrix<S, k, m>& A, const Matrix<S, k, n>& B, Matrix<S, m, n> C) {
  for (int l = 0; l < k; ++l)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) C.e[i][j] = mul_add(A.e[l][i], B.e[l][j], C.e[i][j]);
  return C;
}
template <class S, int m, int k, int n>
TANDEM_HD Matrix<S, m, n> operator*(const Matrix<S, m, k>& A, const Matrix<S, k, n>& B) {
  return mul_add(A, B, Matrix<S, m, n>::zero());
}
/// A^T B
template <class S, int m, int k, int n>
TANDEM_HD Matrix<S, m, n> transpose_mul(const Matrix<S, k, m>& A, const Matrix<S, k, n>& B) {
  return transpose_mul_add(A, B, Matrix<S, m, n>::zero());
}
template <class S, int m, int n>
TANDEM_HD Matrix<S, n, m> transpose(const Matrix<S, m, n>& A) {
  return Matrix<S, n, m>::of([&](int i, int j) TANDEM_INLINE { return A.e[j][i]; });
}
/// A - B^T C
template <class S, int m, int k, int n>
TANDEM_HD Matrix<S, m, n> minus_transpose_mul(const Matrix<S, m, n>& A, const Matrix<S, k, m>& B,
                                              const Matrix<S, k, n>& C) {
  return transpose_mul_add(-B, C, A);
}
/// A - B C
template <class S, int m, int k, int n>
TANDEM_HD Matrix<S, m, n> minus_mul(const Matrix<S, m, n>& A, const Matrix<S, m, k>& B, const Matrix<S, k, n>& C) {
  return add_product(A, -B, C);
}
/// A - Y^T Y, its lower triangle: A stays symmetric
template <class S, int m, int k>
TANDEM_HD Matrix<S, m, m> minus_square(Matrix<S, m, m> A, const Matrix<S, k, m>& Y) {
  for (int l = 0; l < k; ++l)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j <= i; ++j) A.e[i][j] = mul_add(-Y.e[l][i], Y.e[l][j], A.e[i][j]);
  return A;
}
/// (A + A^T) / 2
template <class S, int m>
TANDEM_HD Matrix<S, m, m> symmetrised(const Matrix<S, m, m>& A) {
  Matrix<S, m, m> B;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= i; ++j) B.e[i][j] = B.e[j][i] = S(0.5) * (A.e[i][j] + A.e[j][i]);
  return B;
}

/// Symmetric matrices, or factors, by their lower triangles in the rows of a column; what is above is neither read nor
/// written.
template <class S, int m, class Column>
TANDEM_HD Matrix<S, m, m> load_lower(const Column& c, Index row) {
  Matrix<S, m, m> A;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= i; ++j) A.e[i][j] = A.e[j][i] = S(c[row + m * i + j]);
  return A;
}
template <class S, int m, class Column>
TANDEM_HD void store_lower(Column c, Index row, const Matrix<S, m, m>& A) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= i; ++j) c[row + m * i + j] = A.e[i][j];
}

}  // namespace tandem::inline TANDEM_ISA
