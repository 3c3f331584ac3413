// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/spatial_matrix.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// A basis B of wrenches in which those that a joint holds, W, and those of its own forces, T, are unit wrenches:
///
///     S^T W = 0,   S^T T = 1        f = B [..]        B^T a picks how the joint moves, T^T a, and opens, W^T a
///
/// Where its axes are unit axes of the link's frame, B = 1. AxisBasis is B in numbers, for joints that differ at run
/// time.
template <class S>
struct AxisBasis {
  bool unit_axes = true;
  S sin{0}, cos{1};  ///< of the angle about y from the axes of the link to those of the joint
  S slides{0};       ///< along z, with the turn about it

  AxisBasis() = default;
  template <class R>
  TANDEM_HD explicit AxisBasis(const UniversalJoint<R>& joint)
      : unit_axes(false), sin(S(joint.y.sin)), cos(S(joint.y.cos)) {}
  template <class R>
  TANDEM_HD explicit AxisBasis(const AxialJoint<R>& joint) : unit_axes(false), slides(S(joint.slides)) {}
  template <int... rows>
  TANDEM_HD explicit AxisBasis(const UnitAxes<rows...>&) {}

  /// B^T a, of every column
  template <int n>
  TANDEM_HD Matrix<S, 6, n> moving(Matrix<S, 6, n> a) const {
    for (int j = 0; j < n && !unit_axes; ++j) {
      S &x = a.e[0][j], &z = a.e[2][j], x_before = x;
      a.e[5][j] = mul_add(-slides, z, a.e[5][j]);
      x = sum_of_products(cos, x, sin, z);
      z = difference_of_products(cos, z, sin, x_before);
    }
    return a;
  }
  /// B f
  template <int n>
  TANDEM_HD Matrix<S, 6, n> pushing(Matrix<S, 6, n> f) const {
    for (int j = 0; j < n && !unit_axes; ++j) {
      S &x = f.e[0][j], &z = f.e[2][j], x_before = x;
      x = difference_of_products(cos, x, sin, z);
      z = mul_add(-slides, f.e[5][j], sum_of_products(cos, z, sin, x_before));
    }
    return f;
  }
};

/// The k-th row that a joint holds, those that it moves along being Joint::basis_row.
template <class Joint>
TANDEM_HD constexpr int held_row(int k) {
  for (int row = 0; row < 6; ++row) {
    bool free = false;
    for (int l = 0; l < Joint::nv; ++l) free = free || Joint::basis_row(l) == row;
    if (!free && k-- == 0) return row;
  }
  return 0;
}

}  // namespace tandem::inline TANDEM_ISA
