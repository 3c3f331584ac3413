// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "tandem/detail/core/column.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

/// G x = b for a symmetric positive semidefinite matrix and a b in its range: G = L D L^T in the order of its rows. A
/// row that those before it span adds nothing to them: its pivot, the square of the sine of the angle between it and
/// them times its diagonal entry, is a rounding. It is left out, and x is 0 there; so are rows that are roundings
/// beside the others. Without an exchange of rows, and without a branch: lanes differ in what they leave out.
///
/// In        G [n, n] row-major, lower triangle, overwritten; b [n], overwritten by x
/// Cost      n^3 / 6
struct Semidefinite {
  /// Squared sine below which a row is spanned: an angle of 15 microradians in double, 0.6 degrees in float.
  template <class R>
  static constexpr double spanned = std::is_same_v<R, float> ? 0x1p-13 : 0x1p-32;
  /// 64 roundings, squared as those of a row are in its diagonal entry, beside the largest of these.
  template <class R>
  static constexpr double rounding = std::is_same_v<R, float> ? 0x1p-34 : 0x1p-92;

  template <class S, class Matrix, class Vector>
  TANDEM_PASS static void solve(Matrix G, Index n, Vector b) {
    factorise<S>(G, n);
    substitute<S>(G, n, b);
  }

  /// G becomes its factor: L below the diagonal, on it the inverses of D, 0 where a row is left out.
  template <class S, class Matrix>
  TANDEM_HD static void factorise(Matrix G, Index n) {
    using R = typename RealOf<S>::type;
    S largest(0);
    for (Index k = 0; k < n; ++k) largest = select(largest < S(G[n * k + k]), S(G[n * k + k]), largest);
    const S least = S(static_cast<R>(rounding<R>)) * largest;

    // row k of L D, then of L
    for (Index k = 0; k < n; ++k) {
      const S own = G[n * k + k];
      S pivot = own;
      for (Index j = 0; j < k; ++j) {
        S x = G[n * k + j];
        for (Index i = 0; i < j; ++i) x = mul_add(-S(G[n * k + i]), S(G[n * j + i]), x);
        G[n * k + j] = x;
      }
      for (Index j = 0; j < k; ++j) {
        const S x = G[n * k + j], l = x * S(G[n * j + j]);
        pivot = mul_add(-x, l, pivot);
        G[n * k + j] = l;
      }
      const S share = S(static_cast<R>(spanned<R>)) * own;
      const S bound = select(share < least, least, share);
      G[n * k + k] = select(bound < pivot, S(1) / select(bound < pivot, pivot, S(1)), S(0));
    }
  }

  /// x in the place of b, with the factor.
  template <class S, class Matrix, class Vector>
  TANDEM_HD static void substitute(Matrix G, Index n, Vector b) {
    for (Index k = 0; k < n; ++k) {  // L y = b
      S y = b[k];
      for (Index j = 0; j < k; ++j) y = mul_add(-S(G[n * k + j]), S(b[j]), y);
      b[k] = y;
    }
    for (Index k = n; k-- > 0;) {  // L^T x = D^-1 y
      S x = S(b[k]) * S(G[n * k + k]);
      for (Index i = k + 1; i < n; ++i) x = mul_add(-S(G[n * i + k]), S(b[i]), x);
      b[k] = x;
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
