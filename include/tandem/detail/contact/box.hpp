// SPDX-License-Identifier: Apache-2.0
/// Contacts of spheres and capsules with a box, shape 2.
#pragma once
#include <limits>

#include "tandem/detail/contact/point.hpp"

namespace tandem::inline TANDEM_ISA {

/// A ball of radius r at c in the frame of the box: from the surface of the box to c; inside, through the nearest face.
template <class S>
TANDEM_HD ContactPoint<S> ball_box(const Vec3<S>& c, const S& r, const ShapePose<S>& box, const Vec3<S>& size) {
  const Vec3<S> inside = {between(-size.x, c.x, size.x), between(-size.y, c.y, size.y), between(-size.z, c.z, size.z)};
  // depth below the faces that are nearest along every axis, and the way out through the nearest
  const S x = size.x - abs(c.x), y = size.y - abs(c.y), z = size.z - abs(c.z);
  const auto sign = [](const S& a) TANDEM_INLINE { return select(a < S(0), S(-1), S(1)); };
  Vec3<S> way_out = {sign(c.x), S(0), S(0)};
  way_out = choose(y < x, Vec3<S>{S(0), sign(c.y), S(0)}, way_out);
  const S least = lesser(x, y);
  way_out = choose(z < least, Vec3<S>{S(0), S(0), sign(c.z)}, way_out);
  const S depth = lesser(z, least);
  S length;
  const Vec3<S> outwards = direction_or(c - inside, way_out, length);
  const S distance = select(S(0) < length, length, -depth) - r;
  const Vec3<S> n = -outwards, at = mul_add(mul_add(S(0.5), distance, r), n, c);
  return {distance, mul_add(box.R, at, box.p), box.R * n, Vec3<S>::zero()};
}

/// One slot.
template <class S>
TANDEM_HD void sphere_box(const ShapePose<S>& sphere, const S& r, const ShapePose<S>& box, const Vec3<S>& size,
                          ContactPoint<S>* out) {
  out[0] = ball_box(transpose_mul(box.R, sphere.p - box.p), r, box, size);
}

/// A second ball of a capsule counts if its distance grows by less than this much along the capsule.
inline constexpr double flattest_capsule = 0.5;

/// Two slots: balls of the capsule at the point of its segment that is nearest to the box, the first of several, and at
/// another point of it, as far away as its distance is not much larger.
///
/// Half the square of the distance of the point c + t a is convex in t. Its derivative, g = sum a_i e_i(t) with e the
/// way from the box, is linear between the at most six t at which the line goes through planes of faces. So the least
/// distance is where the line between the last such t with g < 0 and the first with g >= 0 is zero.
///
/// Of shapes that a face parts by more than `margin` in all lanes no more is computed.
template <class S>
TANDEM_HD void capsule_box(const ShapePose<S>& capsule, const S& r, const S& half_length, const ShapePose<S>& box,
                           const Vec3<S>& size, ContactPoint<S>* out, double margin) {
  using Real = typename RealOf<S>::type;
  const Vec3<S> c = transpose_mul(box.R, capsule.p - box.p), a = transpose_mul(box.R, capsule.axis_z());
  const auto over = [&](const S& start, const S& along, const S& half)
                        TANDEM_INLINE { return abs(start) - half - half_length * abs(along); };
  const S apart = larger(larger(over(c.x, a.x, size.x), over(c.y, a.y, size.y)), over(c.z, a.z, size.z)) - r;
  const S rounding = S(16 * std::numeric_limits<Real>::epsilon()) * (half_length + norm(c) + norm(size));
  if (margin < no_contact && !any(apart < S(margin) + rounding)) {
    for (int k = 0; k < 2; ++k) out[k] = {apart, capsule.p, capsule.axis_z(), Vec3<S>::zero()};
    return;
  }
  const auto at = [&](const S& t) TANDEM_INLINE { return mul_add(t, a, c); };
  const auto away = [&](const S& t) TANDEM_INLINE {
    const Vec3<S> p = at(t);
    return Vec3<S>{p.x - between(-size.x, p.x, size.x), p.y - between(-size.y, p.y, size.y),
                   p.z - between(-size.z, p.z, size.z)};
  };
  const auto crossing = [&](const S& face, const S& along, const S& start) TANDEM_INLINE {
    const auto is_along = abs(along) < S(std::numeric_limits<Real>::epsilon());
    const S t = (face - start) / select(is_along, S(1), along);
    return select(is_along, -half_length, between(-half_length, t, half_length));
  };
  constexpr int candidates = 8;
  const S t[candidates] = {-half_length,
                           crossing(-size.x, a.x, c.x),
                           crossing(size.x, a.x, c.x),
                           crossing(-size.y, a.y, c.y),
                           crossing(size.y, a.y, c.y),
                           crossing(-size.z, a.z, c.z),
                           crossing(size.z, a.z, c.z),
                           half_length};
  const S g_first = dot(a, away(-half_length)), g_last = dot(a, away(half_length));
  S low = -half_length, high = half_length, g_low = g_first, g_high = g_last, distances[candidates];
  TANDEM_UNROLLED
  for (int k = 0; k < candidates; ++k) {
    const Vec3<S> e = away(t[k]);
    distances[k] = norm(e);
    const S g = dot(a, e);
    const auto falls = g < S(0);
    const auto is_later = low < t[k], is_earlier = t[k] < high;
    g_low = select(falls, select(is_later, g, g_low), g_low);
    low = select(falls, select(is_later, t[k], low), low);
    g_high = select(falls, g_high, select(is_earlier, g, g_high));
    high = select(falls, high, select(is_earlier, t[k], high));
  }
  const S rise = g_high - g_low;
  const S zero = low - g_low * (high - low) / select(rise == S(0), S(1), rise);
  S nearest = between(low, zero, high);
  nearest = select(g_last < S(0), half_length, nearest);
  nearest = select(g_first < S(0), nearest, -half_length);
  const S least = norm(away(nearest));
  // of several nearest points the first, which roundings do not choose
  for (int k = 0; k < candidates; ++k)
    nearest = select(distances[k] < least + rounding, lesser(nearest, t[k]), nearest);
  S other = nearest, best = S(0);
  TANDEM_UNROLLED
  for (int k = 0; k < candidates; ++k) {
    const S score = abs(t[k] - nearest) - S(1 / flattest_capsule) * (distances[k] - least);
    const auto is_better = best < score;
    other = select(is_better, t[k], other);
    best = select(is_better, score, best);
  }
  out[0] = ball_box(at(nearest), r, box, size);
  out[1] = ball_box(at(other), r, box, size);
  out[1].distance = select(S(0) < best, out[1].distance, S(no_contact));
}

}  // namespace tandem::inline TANDEM_ISA
