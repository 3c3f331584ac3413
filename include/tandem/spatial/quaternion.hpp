// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/spatial/mat3.hpp"

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
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

template <class S>
TANDEM_HD constexpr Quaternion<S> conjugate(const Quaternion<S>& a) {
  return {-a.x, -a.y, -a.z, a.w};
}

template <class S>
TANDEM_HD Quaternion<S> normalised(const Quaternion<S>& a) {
  const S s = S(1) / sqrt(a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w);
  return {s * a.x, s * a.y, s * a.z, s * a.w};
}

/// The rotation matrix R that turns own coordinates into outer ones.
template <class S>
TANDEM_HD constexpr Mat3<S> rotation(const Quaternion<S>& a) {
  const S s = S(2) / (a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w);
  const S xs = s * a.x, ys = s * a.y, zs = s * a.z;
  const S one(1);
  return {{one - (a.y * ys + a.z * zs), a.x * ys - a.w * zs, a.x * zs + a.w * ys},
          {a.x * ys + a.w * zs, one - (a.x * xs + a.z * zs), a.y * zs - a.w * xs},
          {a.x * zs - a.w * ys, a.y * zs + a.w * xs, one - (a.x * xs + a.y * ys)}};
}

}  // namespace tandem::inline TANDEM_ISA
