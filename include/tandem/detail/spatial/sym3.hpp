// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/spatial/mat3.hpp"

namespace tandem::inline TANDEM_ISA {

/// A symmetric 3x3 matrix, six numbers: symmetry cannot be lost to rounding.
template <class S>
struct Sym3 {
  S xx, yy, zz, xy, xz, yz;
  TANDEM_HD static constexpr Sym3 zero() { return {S(0), S(0), S(0), S(0), S(0), S(0)}; }

  TANDEM_HD friend constexpr Sym3 operator+(const Sym3& A, const Sym3& B) {
    return {A.xx + B.xx, A.yy + B.yy, A.zz + B.zz, A.xy + B.xy, A.xz + B.xz, A.yz + B.yz};
  }
  TANDEM_HD friend constexpr Sym3 operator-(const Sym3& A, const Sym3& B) {
    return {A.xx - B.xx, A.yy - B.yy, A.zz - B.zz, A.xy - B.xy, A.xz - B.xz, A.yz - B.yz};
  }
  TANDEM_HD friend constexpr Sym3 operator*(S s, const Sym3& A) {
    return {s * A.xx, s * A.yy, s * A.zz, s * A.xy, s * A.xz, s * A.yz};
  }
};

/// A b
template <class S>
TANDEM_HD constexpr Vec3<S> operator*(const Sym3<S>& A, const Vec3<S>& b) {
  return {dot({A.xx, A.xy, A.xz}, b), dot({A.xy, A.yy, A.yz}, b), dot({A.xz, A.yz, A.zz}, b)};
}
/// A b + c
template <class S>
TANDEM_HD constexpr Vec3<S> mul_add(const Sym3<S>& A, const Vec3<S>& b, const Vec3<S>& c) {
  return {dot_add({A.xx, A.xy, A.xz}, b, c.x), dot_add({A.xy, A.yy, A.yz}, b, c.y),
          dot_add({A.xz, A.yz, A.zz}, b, c.z)};
}

/// All nine numbers.
template <class S>
TANDEM_HD constexpr Mat3<S> full(const Sym3<S>& A) {
  return {{A.xx, A.xy, A.xz}, {A.xy, A.yy, A.yz}, {A.xz, A.yz, A.zz}};
}

/// The symmetric product A B^T of two matrices for which it is known to be symmetric.
template <class S>
TANDEM_HD constexpr Sym3<S> symmetric_mul_transpose(const Mat3<S>& A, const Mat3<S>& B) {
  return {dot(A.row0, B.row0), dot(A.row1, B.row1), dot(A.row2, B.row2),
          dot(A.row0, B.row1), dot(A.row0, B.row2), dot(A.row1, B.row2)};
}

/// E^T A E: a symmetric form given in the frame that E turns into, seen from the frame that E turns from.
template <class S>
TANDEM_HD constexpr Sym3<S> congruence(const Mat3<S>& E, const Sym3<S>& A) {
  const Mat3<S> E_T = transpose(E);
  return symmetric_mul_transpose(E_T * full(A), E_T);
}

}  // namespace tandem::inline TANDEM_ISA
