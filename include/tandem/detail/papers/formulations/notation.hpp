// SPDX-License-Identifier: Apache-2.0
/// Two notations for the constants of [Pond] that are mostly zeros: as types that know it, which formulations are run
/// in, and written out, as the tables of the thesis count operations. One text serves both.
#pragma once
#include "tandem/detail/spatial/mat3.hpp"

namespace tandem::inline TANDEM_ISA {

/// e_z
struct UnitZ {};
/// z e_z
template <class S>
struct AlongZ {
  S z;
};
/// A vector without a part along e_z.
template <class S>
struct AcrossZ {
  S x, y;
};
template <class S>
TANDEM_HD constexpr AlongZ<S> operator*(const S& s, UnitZ) {
  return {s};
}
template <class S>
TANDEM_HD constexpr Vec3<S> operator*(const Mat3<S>& A, UnitZ) {
  return {A.row0.z, A.row1.z, A.row2.z};
}
template <class S>
TANDEM_HD constexpr Vec3<S> transpose_mul(const Mat3<S>& A, UnitZ) {
  return A.row2;
}
template <class S>
TANDEM_HD constexpr S dot(const Vec3<S>& a, UnitZ) {
  return a.z;
}
template <class S>
TANDEM_HD constexpr Vec3<S> operator+(const Vec3<S>& a, const AlongZ<S>& b) {
  return {a.x, a.y, a.z + b.z};
}
template <class S>
TANDEM_HD constexpr Vec3<S> operator+(const Vec3<S>& a, const AcrossZ<S>& b) {
  return {a.x + b.x, a.y + b.y, a.z};
}
template <class S>
TANDEM_HD constexpr AcrossZ<S> cross(const Vec3<S>& a, const AlongZ<S>& b) {
  return {a.y * b.z, -a.x * b.z};
}
template <class S>
TANDEM_HD constexpr AcrossZ<S> cross(UnitZ, const Vec3<S>& a) {
  return {-a.y, a.x};
}
template <class S>
TANDEM_HD constexpr AcrossZ<S> cross(const Vec3<S>& a, UnitZ) {
  return {a.y, -a.x};
}
template <class S>
TANDEM_HD constexpr S dot(const AcrossZ<S>& a, const Vec3<S>& b) {
  return sum_of_products(a.x, b.x, a.y, b.y);
}
template <class S>
TANDEM_HD constexpr S dot(const Vec3<S>& a, const AcrossZ<S>& b) {
  return dot(b, a);
}
template <class S>
TANDEM_HD constexpr S dot(const AlongZ<S>& a, const Vec3<S>& b) {
  return a.z * b.z;
}
template <class S>
TANDEM_HD constexpr S dot(const Vec3<S>& a, const AlongZ<S>& b) {
  return a.z * b.z;
}
template <class S>
TANDEM_HD constexpr Vec3<S> operator*(const Mat3<S>& A, const AlongZ<S>& b) {
  return {A.row0.z * b.z, A.row1.z * b.z, A.row2.z * b.z};
}
template <class S>
TANDEM_HD constexpr Vec3<S> operator*(const Mat3<S>& A, const AcrossZ<S>& b) {
  return {sum_of_products(A.row0.x, b.x, A.row0.y, b.y), sum_of_products(A.row1.x, b.x, A.row1.y, b.y),
          sum_of_products(A.row2.x, b.x, A.row2.y, b.y)};
}
template <class S>
TANDEM_HD constexpr AlongZ<S> twice(const AlongZ<S>& a) {
  return {a.z + a.z};
}
template <class S>
TANDEM_HD constexpr Vec3<S> twice(const Vec3<S>& a) {
  return a + a;
}

/// a~, so that a~ b = a x b.
template <class S>
struct Skew {
  Vec3<S> a;
};
/// a~ b~ = b a^T - (a . b) 1
template <class S>
TANDEM_HD constexpr Mat3<S> operator*(const Skew<S>& A, const Skew<S>& B) {
  const Vec3<S>&a = A.a, &b = B.a;
  const S xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z;
  return {{-(yy + zz), b.x * a.y, b.x * a.z}, {b.y * a.x, -(xx + zz), b.y * a.z}, {b.z * a.x, b.z * a.y, -(xx + yy)}};
}
template <class S>
TANDEM_HD constexpr Mat3<S> operator+(const Skew<S>& A, const Mat3<S>& B) {
  const Vec3<S>& a = A.a;
  return {{B.row0.x, B.row0.y - a.z, B.row0.z + a.y},
          {B.row1.x + a.z, B.row1.y, B.row1.z - a.x},
          {B.row2.x - a.y, B.row2.y + a.x, B.row2.z}};
}

/// The constants as types.
struct Reduced {
  template <class S>
  TANDEM_HD static constexpr UnitZ unit_z() {
    return {};
  }
  template <class S>
  TANDEM_HD static constexpr Skew<S> skew(const Vec3<S>& a) {
    return {a};
  }
};

/// The constants written out.
struct Printed {
  template <class S>
  TANDEM_HD static constexpr Vec3<S> unit_z() {
    return {S(0), S(0), S(1)};
  }
  template <class S>
  TANDEM_HD static constexpr Mat3<S> skew(const Vec3<S>& a) {
    return tandem::skew(a);
  }
};

}  // namespace tandem::inline TANDEM_ISA
