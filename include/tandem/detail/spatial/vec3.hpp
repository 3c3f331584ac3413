// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/core/config.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

/// Three coordinates of a vector along the axes of some frame.
template <class S>
struct Vec3 {
  S x, y, z;
  TANDEM_HD static constexpr Vec3 zero() { return {S(0), S(0), S(0)}; }

  TANDEM_HD friend constexpr Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  TANDEM_HD friend constexpr Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  TANDEM_HD friend constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  TANDEM_HD friend constexpr Vec3 operator*(S s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
};

/// s a + b
template <class S>
TANDEM_HD constexpr Vec3<S> mul_add(const S& s, const Vec3<S>& a, const Vec3<S>& b) {
  return {mul_add(s, a.x, b.x), mul_add(s, a.y, b.y), mul_add(s, a.z, b.z)};
}

/// a . b + c
template <class S>
TANDEM_HD constexpr S dot_add(const Vec3<S>& a, const Vec3<S>& b, const S& c) {
  return mul_add(a.x, b.x, mul_add(a.y, b.y, mul_add(a.z, b.z, c)));
}
/// a . b
template <class S>
TANDEM_HD constexpr S dot(const Vec3<S>& a, const Vec3<S>& b) {
  return mul_add(a.x, b.x, mul_add(a.y, b.y, a.z * b.z));
}

/// a x b
template <class S>
TANDEM_HD constexpr Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {difference_of_products(a.y, b.z, a.z, b.y), difference_of_products(a.z, b.x, a.x, b.z),
          difference_of_products(a.x, b.y, a.y, b.x)};
}
/// c + a x b
template <class S>
TANDEM_HD constexpr Vec3<S> add_cross(const Vec3<S>& c, const Vec3<S>& a, const Vec3<S>& b) {
  return {mul_add(a.y, b.z, mul_add(-a.z, b.y, c.x)), mul_add(a.z, b.x, mul_add(-a.x, b.z, c.y)),
          mul_add(a.x, b.y, mul_add(-a.y, b.x, c.z))};
}

/// |a|
template <class S>
TANDEM_HD S norm(const Vec3<S>& a) {
  return sqrt(dot(a, a));
}

}  // namespace tandem::inline TANDEM_ISA
