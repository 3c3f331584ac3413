// SPDX-License-Identifier: Apache-2.0
/// Contacts of spheres and capsules with a box, shape 2.
#pragma once
#include <limits>

#include "tandem/detail/contact/point.hpp"

namespace tandem::inline TANDEM_ISA {

/// A ball of radius r at c in the frame of the box: `height` is that of c over the surface of the box along `outwards`.
template <class S>
TANDEM_HD ContactPoint<S> ball_over_box(const Vec3<S>& c, const S& r, const Vec3<S>& outwards, const S& height,
                                        const ShapePose<S>& box) {
  const S distance = height - r;
  const Vec3<S> n = -outwards, at = mul_add(mul_add(S(0.5), distance, r), n, c);
  return {distance, mul_add(box.R, at, box.p), box.R * n, Vec3<S>::zero()};
}

/// The same from the surface of the box to c; inside, through the nearest face.
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
  return ball_over_box(c, r, outwards, select(S(0) < length, length, -depth), box);
}

/// One slot.
template <class S>
TANDEM_HD void sphere_box(const ShapePose<S>& sphere, const S& r, const ShapePose<S>& box, const Vec3<S>& size,
                          ContactPoint<S>* out) {
  out[0] = ball_box(transpose_mul(box.R, sphere.p - box.p), r, box, size);
}

/// A second ball of a capsule counts if its distance grows by less than this much along the capsule.
inline constexpr double flattest_capsule = 0.5;

/// A direction in which a segment leaves the box that it goes through, and how far it is. `edge` is the axis of the
/// edge of the box that the segment then touches; of a face it is zero.
template <class S>
struct WayOut {
  S depth;
  Vec3<S> outwards, edge;
};

/// The shortest way out of the box for the segment c + t a, |t| <= half_length: along the normal of a face, or of an
/// edge and the segment. These are the normals of all faces of the Minkowski difference of the two [Gottschalk, Lin and
/// Manocha, OBBTree, 1996].
template <class S>
TANDEM_HD WayOut<S> shortest_way_out(const Vec3<S>& c, const Vec3<S>& a, const S& half_length, const Vec3<S>& size,
                                     const S& rounding) {
  const Vec3<S> axes[3] = {{S(1), S(0), S(0)}, {S(0), S(1), S(0)}, {S(0), S(0), S(1)}};
  WayOut<S> best = {S(no_contact), axes[0], Vec3<S>::zero()};
  const auto consider = [&](const Vec3<S>& n, const Vec3<S>& edge, const S& along,
                            const auto& is_direction) TANDEM_INLINE {
    const S middle = dot(n, c), reach = mul_add(abs(n.x), size.x, mul_add(abs(n.y), size.y, abs(n.z) * size.z));
    const S depth = mul_add(half_length, abs(along), reach) - abs(middle);
    const auto is_better = depth + rounding < select(is_direction, best.depth, S(-no_contact));
    best.depth = select(is_better, depth, best.depth);
    best.outwards = choose(is_better, choose(middle < S(0), -n, n), best.outwards);
    best.edge = choose(is_better, edge, best.edge);
  };
  for (const Vec3<S>& axis : axes) consider(axis, Vec3<S>::zero(), dot(axis, a), S(0) < S(1));
  for (const Vec3<S>& axis : axes) {
    const Vec3<S> across = cross(axis, a);
    const S squared = dot(across, across);
    const auto is_direction = S(1e-6) < squared;  // else the way out through a face is as short
    consider((S(1) / sqrt(select(is_direction, squared, S(1)))) * across, axis, S(0), is_direction);
  }
  return best;
}

/// The two slots of a capsule whose segment c + t a goes through the box: of a face the ends of the part below it, the
/// lower one first, the other one unless the segment is steep; of an edge the point of the segment that crosses it.
template <class S>
TANDEM_HD void capsule_through_box(const Vec3<S>& c, const Vec3<S>& a, const S& r, const S& half_length,
                                   const ShapePose<S>& box, const Vec3<S>& size, const S& rounding,
                                   ContactPoint<S> (&out)[2]) {
  const WayOut<S> way = shortest_way_out(c, a, half_length, size, rounding);
  const Vec3<S>& n = way.outwards;
  const auto is_edge = S(0.5) < dot(way.edge, way.edge);
  // below a face: clipped at the four others
  S from = -half_length, to = half_length;
  const auto along_face = [&](const S& normal, const S& half)
                              TANDEM_INLINE { return select(S(0.5) < abs(normal), S(no_contact), half); };
  clip(c.x, a.x, along_face(n.x, size.x), from, to);
  clip(c.y, a.y, along_face(n.y, size.y), from, to);
  clip(c.z, a.z, along_face(n.z, size.z), from, to);
  const S rise = dot(n, a);
  const auto falls = rise < S(0);
  const S low = select(falls, to, from), high = select(falls, from, to);
  // at an edge: where the line p + s edge, p the middle of the edge, is nearest to the segment
  const auto corner = [&](const S& normal, const S& half) TANDEM_INLINE { return select(normal < S(0), -half, half); };
  const Vec3<S> farthest = {corner(n.x, size.x), corner(n.y, size.y), corner(n.z, size.z)};
  const Vec3<S> to_edge = mul_add(-dot(farthest, way.edge), way.edge, farthest) - c;
  const S cosine = dot(a, way.edge), squared_sine = difference_of_products(S(1), S(1), cosine, cosine);
  const S crossing = mul_add(-cosine, dot(way.edge, to_edge), dot(a, to_edge)) / select(is_edge, squared_sine, S(1));
  const S first = select(is_edge, between(-half_length, crossing, half_length), low);
  const S length = high - low;
  out[0] = ball_over_box(mul_add(first, a, c), r, n, -way.depth, box);
  out[1] = ball_over_box(mul_add(high, a, c), r, n, mul_add(rise, length, -way.depth), box);
  const auto is_flat = select(is_edge, S(1), abs(rise)) < S(flattest_capsule);
  out[1].distance = select(is_flat, out[1].distance, S(no_contact));
}

/// Two points c + t a of a segment, and the distance of the first from the box. The second one counts if its score is
/// above 0.
template <class S>
struct PointsOfSegment {
  S nearest, distance, other, score;
};

/// The point of a segment that is nearest to the box, the first of several, and another point of it, as far away as its
/// distance is not much larger.
///
/// Half the square of the distance of the point c + t a is convex in t. Its derivative, g = sum a_i e_i(t) with e the
/// way from the box, is linear between the at most six t at which the line goes through planes of faces. So the least
/// distance is where the line between the last such t with g < 0 and the first with g >= 0 is zero.
template <class S>
TANDEM_HD PointsOfSegment<S> nearest_to_box(const Vec3<S>& c, const Vec3<S>& a, const S& half_length,
                                            const Vec3<S>& size, const S& rounding) {
  using Real = typename RealOf<S>::type;
  const auto away = [&](const S& t) TANDEM_INLINE {
    const Vec3<S> p = mul_add(t, a, c);
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
  return {nearest, least, other, best};
}

/// Two slots: balls of the capsule at the points of nearest_to_box(). A capsule whose segment goes through the box is
/// pushed out the shortest way. Of shapes that a face parts by more than `margin` in all lanes no more is computed.
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
  const PointsOfSegment<S> points = nearest_to_box(c, a, half_length, size, rounding);
  out[0] = ball_box(mul_add(points.nearest, a, c), r, box, size);
  out[1] = ball_box(mul_add(points.other, a, c), r, box, size);
  out[1].distance = select(S(0) < points.score, out[1].distance, S(no_contact));
  const auto is_through = points.distance < rounding;
  if (!any(is_through)) return;
  ContactPoint<S> through[2];
  capsule_through_box(c, a, r, half_length, box, size, rounding, through);
  for (int k = 0; k < 2; ++k) {
    out[k].distance = select(is_through, through[k].distance, out[k].distance);
    out[k].position = choose(is_through, through[k].position, out[k].position);
    out[k].normal = choose(is_through, through[k].normal, out[k].normal);
  }
}

}  // namespace tandem::inline TANDEM_ISA
