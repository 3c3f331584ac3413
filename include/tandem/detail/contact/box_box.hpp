// SPDX-License-Identifier: Apache-2.0
/// Contacts of two boxes by separating axes [Gottschalk, Lin and Manocha, OBBTree, 1996]: of the normals of the six
/// faces and the nine products of edges, the axis along which the boxes are farthest apart, or overlap least.
#pragma once
#include <limits>

#include "tandem/detail/contact/point.hpp"

namespace tandem::inline TANDEM_ISA {

/// The corners of the common part of two faces: two for every edge of the one, and the corners of the other.
inline constexpr int box_box_slots = 12;

/// The axes of a box in the world, each as long as half its edge is in `half`.
template <class S>
struct BoxAxes {
  Vec3<S> axis[3], p;
  S half[3];
  TANDEM_HD BoxAxes(const ShapePose<S>& pose, const Vec3<S>& size)
      : axis{pose.axis_x(), pose.axis_y(), pose.axis_z()}, p(pose.p), half{size.x, size.y, size.z} {}
  TANDEM_HD S reach(const Vec3<S>& direction) const {
    return mul_add(half[0], abs(dot(axis[0], direction)),
                   mul_add(half[1], abs(dot(axis[1], direction)), half[2] * abs(dot(axis[2], direction))));
  }
  /// The middle of the edge along `along`, or of the face, that reaches farthest in a direction; from the centre.
  TANDEM_HD Vec3<S> farthest(const Vec3<S>& direction, const Vec3<S>& along) const {
    Vec3<S> sum = Vec3<S>::zero();
    for (int k = 0; k < 3; ++k) sum = mul_add(select(dot(axis[k], direction) < S(0), -half[k], half[k]), axis[k], sum);
    return mul_add(-dot(sum, along), along, sum);
  }
};

/// The face of one of the boxes, or the two edges, whose normal separates them most. `normal` points from the box of
/// the face to the other one; x, y are the edges of the face.
template <class S>
struct BoxFace {
  S separation, first;  ///< first: 1 if it is one of the first box, 0 of the second
  Vec3<S> normal, x, y;
  S half_x, half_y, half_z;
};
template <class S>
struct BoxEdges {
  S separation;
  Vec3<S> normal, a, b;
};

template <class S>
TANDEM_HD BoxFace<S> separating_face(const BoxAxes<S>& a, const BoxAxes<S>& b, const S& rounding) {
  const Vec3<S> way = b.p - a.p;
  BoxFace<S> best{};
  best.separation = S(-no_contact);
  for (int which = 0; which < 2; ++which) {
    const BoxAxes<S>&own = which == 0 ? a : b, &other = which == 0 ? b : a;
    for (int k = 0; k < 3; ++k) {
      const S along = which == 0 ? dot(own.axis[k], way) : -dot(own.axis[k], way);
      const S separation = abs(along) - own.half[k] - other.reach(own.axis[k]);
      const auto is_better = best.separation + rounding < separation;
      const auto is_back = along < S(0);
      const int x = (k + 1) % 3, y = (k + 2) % 3;
      best.separation = select(is_better, separation, best.separation);
      best.first = select(is_better, S(which == 0 ? 1 : 0), best.first);
      best.normal = choose(is_better, choose(is_back, -own.axis[k], own.axis[k]), best.normal);
      best.x = choose(is_better, own.axis[x], best.x);
      best.y = choose(is_better, own.axis[y], best.y);
      best.half_x = select(is_better, own.half[x], best.half_x);
      best.half_y = select(is_better, own.half[y], best.half_y);
      best.half_z = select(is_better, own.half[k], best.half_z);
    }
  }
  return best;
}

/// Of boxes that overlap, a face counts in place of two edges that overlap less if the cosine of the angle between the
/// normals is larger than this (8 degrees), and so is the depth of the edges over that of the face. Its several
/// contacts hold a box, where one of two edges lets it tip.
inline constexpr double face_instead_of_edges = 0.99;

template <class S>
TANDEM_HD BoxEdges<S> separating_edges(const BoxAxes<S>& a, const BoxAxes<S>& b) {
  const Vec3<S> way = b.p - a.p;
  BoxEdges<S> best = {S(-no_contact), a.axis[0], a.axis[0], b.axis[0]};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Vec3<S> across = cross(a.axis[i], b.axis[j]);
      const S squared = dot(across, across);
      const auto is_parallel = squared < S(1e-6);  // faces separate such boxes as well
      const Vec3<S> n = (S(1) / sqrt(select(is_parallel, S(1), squared))) * across;
      const S along = dot(n, way), separation = abs(along) - a.reach(n) - b.reach(n);
      const auto is_better = best.separation < select(is_parallel, S(-no_contact), separation);
      best.separation = select(is_better, separation, best.separation);
      best.normal = choose(is_better, choose(along < S(0), -n, n), best.normal);
      best.a = choose(is_better, a.axis[i], best.a);
      best.b = choose(is_better, b.axis[j], best.b);
    }
  return best;
}

/// Twelve slots. Where a face separates most, the face of the other box that looks at it is clipped at its edges: where
/// each of the four edges of the other face enters and leaves, and the corners of the first face under the other one;
/// the distances are heights over the first face. Where two edges separate most, one slot: the points of both that are
/// nearest to each other. Distances of boxes that are apart are along that axis; between two edges or corners that are
/// not over each other there may be a shorter one. Returns whether a face parts the boxes by more than `margin` in all
/// lanes: then no more is computed.
template <class S>
TANDEM_HD bool box_box(const ShapePose<S>& first, const Vec3<S>& size_1, const ShapePose<S>& second,
                       const Vec3<S>& size_2, ContactPoint<S>* out, double margin) {
  using Real = typename RealOf<S>::type;
  const BoxAxes<S> a(first, size_1), b(second, size_2);
  const S scale = norm(size_1) + norm(size_2) + norm(b.p - a.p);
  const S rounding = S(8 * std::numeric_limits<Real>::epsilon()) * scale;
  const BoxFace<S> face = separating_face(a, b, rounding);
  if (margin < no_contact && !any(face.separation < S(margin) + rounding)) {
    for (int k = 0; k < box_box_slots; ++k) out[k] = {face.separation, first.p, face.normal, Vec3<S>::zero()};
    return true;
  }
  const BoxEdges<S> edges = separating_edges(a, b);

  // in the frame of the face: its origin in the middle of it, z its normal
  const auto is_first = S(0) < face.first;
  const Vec3<S> own_p = choose(is_first, a.p, b.p), other_p = choose(is_first, b.p, a.p);
  const Vec3<S> origin = mul_add(face.half_z, face.normal, own_p);
  const auto in_face = [&](const Vec3<S>& v) TANDEM_INLINE {
    return Vec3<S>{dot(face.x, v), dot(face.y, v), dot(face.normal, v)};
  };
  // the face of the other box: the axis that is most along the normal
  Vec3<S> u = Vec3<S>::zero(), v = u, middle = u;
  S most = S(-1);
  for (int k = 0; k < 3; ++k) {
    const auto other = [&](int i)
                           TANDEM_INLINE { return choose(is_first, b.half[i] * b.axis[i], a.half[i] * a.axis[i]); };
    const S along = dot(face.normal, choose(is_first, b.axis[k], a.axis[k]));
    const auto is_more = most < abs(along);
    const Vec3<S> up = other(k);
    middle = choose(is_more, choose(along < S(0), up, -up), middle);
    u = choose(is_more, other((k + 1) % 3), u);
    v = choose(is_more, other((k + 2) % 3), v);
    most = select(is_more, abs(along), most);
  }
  const Vec3<S> centre = in_face(other_p + middle - origin), du = in_face(u), dv = in_face(v);
  const Vec3<S> normal = choose(is_first, face.normal, -face.normal);
  const auto put = [&](int slot, const Vec3<S>& p, const auto& valid) TANDEM_INLINE {
    const Vec3<S> at = mul_add(p.x, face.x, mul_add(p.y, face.y, mul_add(S(0.5) * p.z, face.normal, origin)));
    out[slot] = {select(valid, p.z, S(no_contact)), at, normal, Vec3<S>::zero()};
  };
  const Vec3<S> corner[4] = {centre + du + dv, centre - du + dv, centre - du - dv, centre + du - dv};
  for (int k = 0; k < 4; ++k) {
    const Vec3<S>& p = corner[k];
    const Vec3<S> d = corner[(k + 1) % 4] - p;
    S from(0), to(1);
    clip(p.x, d.x, face.half_x, from, to);
    clip(p.y, d.y, face.half_y, from, to);
    const S left = select(from < to, to, S(2));  // 2: no part of the edge
    put(2 * k, mul_add(between(S(0), from, S(1)), d, p), left < S(1.5));
    put(2 * k + 1, mul_add(between(S(0), to, S(1)), d, p), left < S(1));
  }
  // corners of the first face: alpha du + beta dv away from the middle of the other one
  const S determinant = difference_of_products(du.x, dv.y, du.y, dv.x);
  for (int k = 0; k < 4; ++k) {
    const S x = (k & 1) == 0 ? face.half_x : -face.half_x, y = (k & 2) == 0 ? face.half_y : -face.half_y;
    const S right = x - centre.x, up = y - centre.y;
    const S alpha = difference_of_products(right, dv.y, up, dv.x) / determinant;
    const S beta = difference_of_products(du.x, up, du.y, right) / determinant;
    put(8 + k, {x, y, mul_add(alpha, du.z, mul_add(beta, dv.z, centre.z))}, larger(abs(alpha), abs(beta)) < S(1));
  }

  S deepest = out[0].distance;
  for (int k = 1; k < box_box_slots; ++k) deepest = lesser(deepest, out[k].distance);
  const auto is_deeper = S(face_instead_of_edges) * deepest < edges.separation;
  const auto is_along = S(face_instead_of_edges) < abs(dot(edges.normal, face.normal));
  const S if_flat = select(is_deeper, edges.separation, S(-no_contact));
  const S of_edges = select(deepest < S(0), select(is_along, if_flat, edges.separation), edges.separation);
  const auto is_edge = face.separation + S(4) * rounding < of_edges;

  // the two edges: points x_a, x_b along them
  const Vec3<S> p_a = a.p + a.farthest(edges.normal, edges.a), p_b = b.p + b.farthest(-edges.normal, edges.b);
  const Vec3<S> way = p_b - p_a;
  const S c = dot(edges.a, edges.b), s = difference_of_products(S(1), S(1), c, c);
  const S divisor = select(s < S(1e-6), S(1), s);
  const S on_a = difference_of_products(dot(edges.a, way), S(1), c, dot(edges.b, way)) / divisor;
  const Vec3<S> at = mul_add(S(0.5) * edges.separation, edges.normal, mul_add(on_a, edges.a, p_a));
  for (int k = 0; k < box_box_slots; ++k) {
    out[k].distance = select(is_edge, k == 0 ? edges.separation : S(no_contact), out[k].distance);
    out[k].normal = choose(is_edge, edges.normal, out[k].normal);
    out[k].position = choose(is_edge, at, out[k].position);
  }
  return false;
}

}  // namespace tandem::inline TANDEM_ISA
