// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/semidefinite.hpp"
#include "tandem/detail/solve/spatial_matrix.hpp"
#include "tandem/model/view.hpp"

namespace tandem::inline TANDEM_ISA {

/// A loop joint between two frames of which only mobilities are known: in the directions held it lets nothing move
/// apart, r + V f = 0, along the others it pushes with nothing. f = Wm r with Wm = -F F^T, F F^T the inverse of V on
/// the directions that are held and that none before them hold already: V = L D L^T in the order of a loop joint's
/// rows, with F = L^-T D^-1/2, and zeros in D^-1 for the rest. As Semidefinite, of a V that is a difference: what it is
/// measured by are the mobilities of both frames alone.
template <class S>
struct LoopMobility {
  static constexpr int d = 1, rows = 6;  // d: an array of no use

  /// V of both frames together, the diagonals of what each adds to it, and held_directions.
  TANDEM_HD LoopMobility(const Matrix<S, 6, 6>& V, const Vector<S, 6>& alone, std::int32_t held) {
    using R = typename RealOf<S>::type;
    for (int k = 0; k < 6; ++k) {
      S pivot = V.e[spatial(k)][spatial(k)];
      for (int j = 0; j < k; ++j) {
        S x = V.e[spatial(k)][spatial(j)];
        for (int i = 0; i < j; ++i) x = mul_add(-L_.e[k][i], LD_.e[j][i], x);
        LD_.e[k][j] = x;
        L_.e[k][j] = x * inverse_[j];
        pivot = mul_add(-x, L_.e[k][j], pivot);
      }
      const S least = S(static_cast<R>(Semidefinite::spanned<R>)) * alone.e[spatial(k)][0];
      const bool is_held = holds(held, k);
      inverse_[k] = select(least < pivot, S(is_held) / select(least < pivot, pivot, S(1)), S(0));
      root_[k] = sqrt(inverse_[k]);
    }
  }

  /// F^T B
  template <int n>
  TANDEM_HD Matrix<S, 6, n> lower(const Matrix<S, 6, n>& B) const {
    auto T = solve_lower(B);
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < n; ++j) T.e[k][j] = root_[k] * T.e[k][j];
    return T;
  }
  /// The force across the joint.
  TANDEM_HD Vector<S, 6> force(const S (&)[1], const Vector<S, 6>& r, S (&)[1]) const {
    const auto y = solve_lower(r);
    S x[6];
    Vector<S, 6> f;
    for (int k = 5; k >= 0; --k) {
      x[k] = -inverse_[k] * y.e[k][0];
      for (int i = k + 1; i < 6; ++i) x[k] = mul_add(-L_.e[i][k], x[i], x[k]);
      f.e[spatial(k)][0] = x[k];
    }
    return f;
  }

 private:
  /// Rows of a loop joint are linear first.
  TANDEM_HD static constexpr int spatial(int row) { return row < 3 ? row + 3 : row - 3; }
  /// L^-1 B, rows in the order of a loop joint
  template <int n>
  TANDEM_HD Matrix<S, 6, n> solve_lower(const Matrix<S, 6, n>& B) const {
    Matrix<S, 6, n> Y;
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < n; ++j) {
        S y = B.e[spatial(k)][j];
        for (int i = 0; i < k; ++i) y = mul_add(-L_.e[k][i], Y.e[i][j], y);
        Y.e[k][j] = y;
      }
    return Y;
  }

  Matrix<S, 6, 6> L_, LD_;  ///< below the diagonal
  S inverse_[6], root_[6];  ///< D^-1 and its root
};

}  // namespace tandem::inline TANDEM_ISA
