// SPDX-License-Identifier: Apache-2.0
/// Spatial vectors as columns of six numbers, angular first, and symmetric matrices among them.
#pragma once
#include "tandem/detail/solve/small_matrix.hpp"
#include "tandem/detail/spatial/articulated_inertia.hpp"

namespace tandem::inline TANDEM_ISA {

template <class S>
using Matrix6 = Matrix<S, 6, 6>;
template <class S>
using Vector6 = Vector<S, 6>;

template <class S>
TANDEM_HD Vector6<S> vector6(const Motion<S>& a) {
  return {{{a.w.x}, {a.w.y}, {a.w.z}, {a.v.x}, {a.v.y}, {a.v.z}}};
}
template <class S>
TANDEM_HD Vector6<S> vector6(const Force<S>& a) {
  return {{{a.n.x}, {a.n.y}, {a.n.z}, {a.f.x}, {a.f.y}, {a.f.z}}};
}
template <class S>
TANDEM_HD Motion<S> as_motion(const Vector6<S>& a) {
  return {{a.e[0][0], a.e[1][0], a.e[2][0]}, {a.e[3][0], a.e[4][0], a.e[5][0]}};
}
template <class S>
TANDEM_HD Force<S> as_force(const Vector6<S>& a) {
  return {{a.e[0][0], a.e[1][0], a.e[2][0]}, {a.e[3][0], a.e[4][0], a.e[5][0]}};
}

/// X A: every column of A, a motion, seen from the frame that X leads to.
template <class S>
TANDEM_HD Matrix6<S> operator*(const Transform<S>& X, const Matrix6<S>& A) {
  Matrix6<S> B;
  for (int j = 0; j < 6; ++j) {
    const auto b = X * Motion<S>{{A.e[0][j], A.e[1][j], A.e[2][j]}, {A.e[3][j], A.e[4][j], A.e[5][j]}};
    const auto column = vector6(b);
    for (int i = 0; i < 6; ++i) B.e[i][j] = column.e[i][0];
  }
  return B;
}

/// [A B; C D]
template <class S>
TANDEM_HD Matrix6<S> matrix6(const Mat3<S>& A, const Mat3<S>& B, const Mat3<S>& C, const Mat3<S>& D) {
  const Vec3<S> rows[6][2] = {{A.row0, B.row0}, {A.row1, B.row1}, {A.row2, B.row2},
                              {C.row0, D.row0}, {C.row1, D.row1}, {C.row2, D.row2}};
  Matrix6<S> M;
  for (int i = 0; i < 6; ++i) {
    const auto& [left, right] = rows[i];
    const S row[6] = {left.x, left.y, left.z, right.x, right.y, right.z};
    for (int j = 0; j < 6; ++j) M.e[i][j] = row[j];
  }
  return M;
}
/// All 36 numbers of a rigid inertia.
template <class S>
TANDEM_HD Matrix6<S> matrix6(const Inertia<S>& I) {
  const auto [J, H, M] = articulated(I);
  return matrix6(full(J), H, transpose(H), full(M));
}

/// A + B of symmetric matrices: computed once for each pair.
template <class S, int m>
TANDEM_HD Matrix<S, m, m> symmetric_sum(const Matrix<S, m, m>& A, const Matrix<S, m, m>& B) {
  Matrix<S, m, m> C;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= i; ++j) C.e[i][j] = C.e[j][i] = A.e[i][j] + B.e[i][j];
  return C;
}

/// C + A^T B where the product is known to be symmetric: computed once for each pair.
template <class S, int k, int m>
TANDEM_HD Matrix<S, m, m> symmetric_transpose_mul_add(const Matrix<S, k, m>& A, const Matrix<S, k, m>& B,
                                                      const Matrix<S, m, m>& C) {
  Matrix<S, m, m> D;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= i; ++j) {
      S x = C.e[i][j];
      for (int l = 0; l < k; ++l) x = mul_add(A.e[l][i], B.e[l][j], x);
      D.e[i][j] = D.e[j][i] = x;
    }
  return D;
}

/// Symmetric matrices packed into the rows of a column: 21 numbers of a 6 x 6 matrix.
template <int m>
inline constexpr Index symmetric_rows = m*(m + 1) / 2;

template <class S, int m, class Column>
TANDEM_HD Matrix<S, m, m> load_packed(const Column& c, Index row) {
  Matrix<S, m, m> A;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= i; ++j) A.e[i][j] = A.e[j][i] = S(c[row++]);
  return A;
}
template <class S, int m, class Column>
TANDEM_HD void store_packed(Column c, Index row, const Matrix<S, m, m>& A) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= i; ++j) c[row++] = A.e[i][j];
}

}  // namespace tandem::inline TANDEM_ISA
