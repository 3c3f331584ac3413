// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/small_cholesky.hpp"
#include "tandem/detail/solve/spatial_matrix.hpp"

namespace tandem::inline TANDEM_ISA {

/// The rigid edge between two parts of a link: a joint that holds every axis. f = Wm r with Wm = -V^-1.
template <class S>
struct RigidMobility {
  static constexpr int d = 1, rows = 6;  // d: an array of no use
  Cholesky<S, 6> L;                      ///< V = L L^T

  TANDEM_HD explicit RigidMobility(const Matrix<S, 6, 6>& V) : L(cholesky(V)) {}
  /// F^T B, Wm = -F F^T
  template <int n>
  TANDEM_HD Matrix<S, 6, n> lower(const Matrix<S, 6, n>& B) const {
    return L.solve_lower(B);
  }
  TANDEM_HD Vector<S, 6> force(const S (&)[1], const Vector<S, 6>& r, S (&)[1]) const { return L.solve(-r); }
};

}  // namespace tandem::inline TANDEM_ISA
