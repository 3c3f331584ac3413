// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/spatial/mat3.hpp"

namespace tandem::inline TANDEM_ISA {

/// Quaternion x i + y j + z k + w, stored in the order x y z w; as a rotation it turns own coordinates into the
/// coordinates of the frame it is seen from. Any non-zero length stands for the same rotation.
template <class S>
struct Quaternion {
  S x, y, z, w;
};

/// Hamilton product: the rotation b followed by a.
template <class S>
TANDEM_HD constexpr Quaternion<S> operator*(const Quaternion<S>& a, const Quaternion<S>& b) {
  const Vec3<S> a_v = {a.x, a.y, a.z}, b_v = {b.x, b.y, b.z};
  const Vec3<S> v = mul_add(a.w, b_v, mul_add(b.w, a_v, cross(a_v, b_v)));
  return {v.x, v.y, v.z, mul_add(a.w, b.w, -dot(a_v, b_v))};
}

template <class S>
TANDEM_HD constexpr Quaternion<S> conjugate(const Quaternion<S>& a) {
  return {-a.x, -a.y, -a.z, a.w};
}

template <class S>
TANDEM_HD constexpr S squared_norm(const Quaternion<S>& a) {
  return sum_of_products(a.x, a.x, a.y, a.y) + sum_of_products(a.z, a.z, a.w, a.w);
}

template <class S>
TANDEM_HD Quaternion<S> normalised(const Quaternion<S>& a) {
  const S s = S(1) / sqrt(squared_norm(a));
  return {s * a.x, s * a.y, s * a.z, s * a.w};
}

/// The rotation matrix R that turns own coordinates into outer ones.
template <class S>
TANDEM_HD constexpr Mat3<S> rotation(const Quaternion<S>& a) {
  const S s = S(2) / squared_norm(a);
  const S xs = s * a.x, ys = s * a.y, zs = s * a.z;
  const S one(1);
  const S wx = a.w * xs, wy = a.w * ys, wz = a.w * zs;
  return {{one - sum_of_products(a.y, ys, a.z, zs), mul_add(a.x, ys, -wz), mul_add(a.x, zs, wy)},
          {mul_add(a.x, ys, wz), one - sum_of_products(a.x, xs, a.z, zs), mul_add(a.y, zs, -wx)},
          {mul_add(a.x, zs, -wy), mul_add(a.y, zs, wx), one - sum_of_products(a.x, xs, a.y, ys)}};
}

}  // namespace tandem::inline TANDEM_ISA
