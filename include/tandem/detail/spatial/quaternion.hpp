// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

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

/// A quaternion with its squared norm.
template <class S>
struct Measured {
  Quaternion<S> a;
  S squared;
};

/// Squared norms between which a quaternion keeps its digits whatever is made of it.
template <class R>
inline constexpr double shortest_square = std::is_same_v<R, float> ? 0x1p-90 : 0x1p-900;
template <class R>
inline constexpr double longest_square = std::is_same_v<R, float> ? 0x1p120 : 0x1p1000;

/// True of numbers that a branch can be taken on, unlike those that are recorded.
template <class S>
concept CanBranch = requires(S x) { any(x < x); };

/// The same rotation by a quaternion whose squared norm can be written down: itself, unless it is so long or so short
/// that a power of two has to help. Where no branch can be taken, lengths are what they are.
template <class S>
  requires(!CanBranch<S>)
TANDEM_HD constexpr Measured<S> measured(const Quaternion<S>& a) {
  return {a, squared_norm(a)};
}
template <class S>
  requires(!CanBranch<S>)
TANDEM_HD constexpr Quaternion<S> of_moderate_length(const Quaternion<S>& a) {
  return a;
}
template <CanBranch S>
TANDEM_HD constexpr Measured<S> measured(const Quaternion<S>& a) {
  using R = typename RealOf<S>::type;
  constexpr bool in_float = std::is_same_v<R, float>;
  const S n = squared_norm(a);
  const auto large = S(longest_square<R>) < n, small = n < S(shortest_square<R>);
  if (__builtin_expect(!any(large) && !any(small), 1)) return {a, n};
  const S s = select(large, S(in_float ? 0x1p-100 : 0x1p-700), select(small, S(in_float ? 0x1p100 : 0x1p700), S(1)));
  const Quaternion<S> b = {s * a.x, s * a.y, s * a.z, s * a.w};
  return {b, squared_norm(b)};
}
template <CanBranch S>
TANDEM_HD constexpr Quaternion<S> of_moderate_length(const Quaternion<S>& a) {
  return measured(a).a;
}

template <class S>
TANDEM_HD Quaternion<S> normalised(const Quaternion<S>& any_length) {
  const auto [a, squared] = measured(any_length);
  const S s = S(1) / sqrt(squared);
  return {s * a.x, s * a.y, s * a.z, s * a.w};
}

/// A quaternion, of any length, of the rotation matrix R: of the four that its sums and differences give, the one whose
/// own number is the largest.
template <class S>
TANDEM_HD Quaternion<S> quaternion_of(const Mat3<S>& R) {
  const S one(1), xx = R.row0.x, yy = R.row1.y, zz = R.row2.z;
  const Quaternion<S> sum = {R.row2.y + R.row1.z, R.row0.z + R.row2.x, R.row1.x + R.row0.y, one + xx + yy + zz};
  const Quaternion<S> gap = {R.row2.y - R.row1.z, R.row0.z - R.row2.x, R.row1.x - R.row0.y, S(0)};
  Quaternion<S> best = {gap.x, gap.y, gap.z, sum.w};
  S largest = sum.w;
  const auto consider = [&](const S& own, const Quaternion<S>& other) TANDEM_INLINE {
    const auto better = largest < own;
    best = {select(better, other.x, best.x), select(better, other.y, best.y), select(better, other.z, best.z),
            select(better, other.w, best.w)};
    largest = select(better, own, largest);
  };
  const S x = one + xx - yy - zz, y = one - xx + yy - zz, z = one - xx - yy + zz;
  consider(x, {x, sum.z, sum.y, gap.x});
  consider(y, {sum.z, y, sum.x, gap.y});
  consider(z, {sum.y, sum.x, z, gap.z});
  return best;
}

/// The rotation matrix R that turns own coordinates into outer ones.
template <class S>
TANDEM_HD constexpr Mat3<S> rotation(const Quaternion<S>& any_length) {
  const auto [a, squared] = measured(any_length);
  const S s = S(2) / squared;
  const S xs = s * a.x, ys = s * a.y, zs = s * a.z;
  const S one(1);
  const S wx = a.w * xs, wy = a.w * ys, wz = a.w * zs;
  return {{one - sum_of_products(a.y, ys, a.z, zs), mul_add(a.x, ys, -wz), mul_add(a.x, zs, wy)},
          {mul_add(a.x, ys, wz), one - sum_of_products(a.x, xs, a.z, zs), mul_add(a.y, zs, -wx)},
          {mul_add(a.x, zs, -wy), mul_add(a.y, zs, wx), one - sum_of_products(a.x, xs, a.y, ys)}};
}

}  // namespace tandem::inline TANDEM_ISA
