// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/spatial/vec3.hpp"

namespace tandem::inline TANDEM_ISA {

/// A 3x3 matrix by rows: rotations, and the coupling block of an articulated inertia.
template <class S>
struct Mat3 {
  Vec3<S> row0, row1, row2;
  TANDEM_HD static constexpr Mat3 identity() { return {{S(1), S(0), S(0)}, {S(0), S(1), S(0)}, {S(0), S(0), S(1)}}; }
  TANDEM_HD static constexpr Mat3 zero() { return {Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero()}; }

  TANDEM_HD friend constexpr Mat3 operator+(const Mat3& A, const Mat3& B) {
    return {A.row0 + B.row0, A.row1 + B.row1, A.row2 + B.row2};
  }
  TANDEM_HD friend constexpr Mat3 operator-(const Mat3& A, const Mat3& B) {
    return {A.row0 - B.row0, A.row1 - B.row1, A.row2 - B.row2};
  }
};

template <class S>
TANDEM_HD constexpr Mat3<S> transpose(const Mat3<S>& A) {
  return {{A.row0.x, A.row1.x, A.row2.x}, {A.row0.y, A.row1.y, A.row2.y}, {A.row0.z, A.row1.z, A.row2.z}};
}

/// A b
template <class S>
TANDEM_HD constexpr Vec3<S> operator*(const Mat3<S>& A, const Vec3<S>& b) {
  return {dot(A.row0, b), dot(A.row1, b), dot(A.row2, b)};
}

/// A^T b
template <class S>
TANDEM_HD constexpr Vec3<S> transpose_mul(const Mat3<S>& A, const Vec3<S>& b) {
  return mul_add(b.x, A.row0, mul_add(b.y, A.row1, b.z * A.row2));
}

/// A b + c
template <class S>
TANDEM_HD constexpr Vec3<S> mul_add(const Mat3<S>& A, const Vec3<S>& b, const Vec3<S>& c) {
  return {dot_add(A.row0, b, c.x), dot_add(A.row1, b, c.y), dot_add(A.row2, b, c.z)};
}
/// A^T b + c
template <class S>
TANDEM_HD constexpr Vec3<S> transpose_mul_add(const Mat3<S>& A, const Vec3<S>& b, const Vec3<S>& c) {
  return mul_add(b.x, A.row0, mul_add(b.y, A.row1, mul_add(b.z, A.row2, c)));
}

/// A B
template <class S>
TANDEM_HD constexpr Mat3<S> operator*(const Mat3<S>& A, const Mat3<S>& B) {
  return {transpose_mul(B, A.row0), transpose_mul(B, A.row1), transpose_mul(B, A.row2)};
}

/// A^T B
template <class S>
TANDEM_HD constexpr Mat3<S> transpose_mul(const Mat3<S>& A, const Mat3<S>& B) {
  return transpose(A) * B;
}

/// A B^T
template <class S>
TANDEM_HD constexpr Mat3<S> mul_transpose(const Mat3<S>& A, const Mat3<S>& B) {
  return {B * A.row0, B * A.row1, B * A.row2};
}

/// E^T A E: a form given in the frame that E turns into, seen from the frame that E turns from.
template <class S>
TANDEM_HD constexpr Mat3<S> congruence(const Mat3<S>& E, const Mat3<S>& A) {
  return transpose_mul(E, A) * E;
}

/// a b^T
template <class S>
TANDEM_HD constexpr Mat3<S> outer(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x * b, a.y * b, a.z * b};
}

/// A - a b^T
template <class S>
TANDEM_HD constexpr Mat3<S> minus_outer(const Mat3<S>& A, const Vec3<S>& a, const Vec3<S>& b) {
  return {mul_add(-a.x, b, A.row0), mul_add(-a.y, b, A.row1), mul_add(-a.z, b, A.row2)};
}

/// The matrix of a x, so that skew(a) b = a x b.
template <class S>
TANDEM_HD constexpr Mat3<S> skew(const Vec3<S>& a) {
  return {{S(0), -a.z, a.y}, {a.z, S(0), -a.x}, {-a.y, a.x, S(0)}};
}

/// skew(a) B: every column of B crossed from the left.
template <class S>
TANDEM_HD constexpr Mat3<S> cross(const Vec3<S>& a, const Mat3<S>& B) {
  return {mul_add(a.y, B.row2, -a.z * B.row1), mul_add(a.z, B.row0, -a.x * B.row2),
          mul_add(a.x, B.row1, -a.y * B.row0)};
}
/// C + skew(a) B
template <class S>
TANDEM_HD constexpr Mat3<S> add_cross(const Mat3<S>& C, const Vec3<S>& a, const Mat3<S>& B) {
  return {mul_add(a.y, B.row2, mul_add(-a.z, B.row1, C.row0)), mul_add(a.z, B.row0, mul_add(-a.x, B.row2, C.row1)),
          mul_add(a.x, B.row1, mul_add(-a.y, B.row0, C.row2))};
}

}  // namespace tandem::inline TANDEM_ISA
