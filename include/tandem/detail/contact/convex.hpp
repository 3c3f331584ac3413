// SPDX-License-Identifier: Apache-2.0
/// Contacts of two convex shapes that have no closed form. Their distance and normal are those of the nearest or
/// deepest points. Where a face of one shape lies against a face or an edge of the other one, the contacts are corners
/// of what the two have in common.
#pragma once
#include "tandem/detail/contact/penetration.hpp"

namespace tandem::inline TANDEM_ISA {

/// Two contacts that are nearer to each other than this, in lengths of edges, are one.
inline constexpr double same_point = 1e-6;

/// What a shape turns towards a direction: a face, whose corners go round it, an edge or a point.
struct ShapeFace {
  static constexpr int most_corners = 8;
  int n = 0;
  Point3 corners[most_corners];
  Point3 normal = Point3::zero();  ///< of a face, outwards; zero: it is not flat
  Point3 top = Point3::zero();     ///< the farthest point of a face

  void add(const Point3& corner) { corners[n++] = corner; }
  bool is_face() const { return n > 2; }
  bool is_edge() const { return n == 2; }
};

/// Of a mesh: its farthest vertex, the one that is farthest from it across, and those farthest to either side; what is
/// lower counts against a vertex, as in plane_vertices().
inline ShapeFace face_of_mesh(const PlacedShape<double>& mesh, const Point3& direction) {
  const Point3 d = transpose_mul(mesh.pose.R, direction);
  int taken[4], n_taken = 0;
  const auto take = [&](auto score) {
    int best = 0;
    double most = score(vertex_of(mesh, 0));
    for (int k = 1; k < mesh.n_vertices; ++k)
      if (const double own = score(vertex_of(mesh, k)); own > most) {
        most = own;
        best = k;
      }
    taken[n_taken++] = best;
    return vertex_of(mesh, best);
  };
  const Point3 first = take([&](const Point3& v) { return dot(d, v); });
  const auto across = [&](const Point3& v) { return mul_add(-dot(d, v - first), d, v - first); };
  const auto penalty = [&](const Point3& v) { return dot(d, first - v) / 0.5; };
  const Point3 far = take([&](const Point3& v) { return norm(across(v)) - penalty(v); });
  const Point3 left = cross(d, direction_or(across(far), Point3::zero()));
  take([&](const Point3& v) { return dot(left, v - first) - penalty(v); });
  take([&](const Point3& v) { return -dot(left, v - first) - penalty(v); });
  ShapeFace face;
  for (const int k : {3, 0, 2, 1}) {  // round the face: right, first, left, far
    bool is_new = true;
    for (int i = k + 1; i < 4; ++i) is_new = is_new && taken[i] != taken[k];
    if (is_new) face.add(mul_add(mesh.pose.R, vertex_of(mesh, taken[k]), mesh.pose.p));
  }
  face.top = mul_add(mesh.pose.R, first, mesh.pose.p);
  Point3 normal = Point3::zero();
  for (int k = 1; k + 1 < face.n; ++k)
    normal = normal + cross(face.corners[k] - face.corners[0], face.corners[k + 1] - face.corners[0]);
  normal = direction_or(normal, Point3::zero());
  if (dot(normal, direction) < 0) normal = -normal;
  for (int k = 0; k < face.n; ++k)
    if (abs(dot(normal, face.corners[k] - face.top)) > 1e-6 * norm(across(far))) return face;
  face.normal = normal;
  return face;
}

inline ShapeFace face_towards(const PlacedShape<double>& shape, const Point3& direction) {
  const Point3 d = transpose_mul(shape.pose.R, direction), &s = shape.size;
  const auto in_world = [&](const Point3& x) { return mul_add(shape.pose.R, x, shape.pose.p); };
  ShapeFace face;
  switch (shape.type) {
    case ShapeType::capsule:
      for (const double end : {-s.y, s.y}) face.add(in_world({0, 0, end}));
      return face;
    case ShapeType::cylinder: {
      const Point3 down = direction_or({d.x, d.y, 0.0}, Point3{1, 0, 0});  // from the axis to where it is farthest
      if (abs(d.z) < 0.7) {
        for (const double end : {-s.y, s.y}) face.add(in_world({s.x * down.x, s.x * down.y, end}));
        return face;
      }
      const double end = d.z < 0 ? -s.y : s.y;
      constexpr double root = 0.70710678118654752440;
      const double cosines[8] = {1, root, 0, -root, -1, -root, 0, root};
      for (int k = 0; k < 8; ++k) {
        const double c = s.x * cosines[k], sine = s.x * cosines[(k + 6) % 8];
        face.add(in_world({c * down.x - sine * down.y, c * down.y + sine * down.x, end}));
      }
      face.normal = shape.pose.R * Point3{0, 0, d.z < 0 ? -1.0 : 1.0};
      face.top = face.corners[0];
      return face;
    }
    case ShapeType::box: {
      const Point3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
      const double along[3] = {d.x, d.y, d.z}, half[3] = {s.x, s.y, s.z};
      int z = 0;
      for (int k = 1; k < 3; ++k)
        if (abs(along[k]) > abs(along[z])) z = k;
      const int x = (z + 1) % 3, y = (z + 2) % 3;
      const Point3 up = along[z] < 0 ? -axes[z] : axes[z];
      for (int k = 0; k < 4; ++k) {
        const double right = k == 0 || k == 3 ? half[x] : -half[x], ahead = k < 2 ? half[y] : -half[y];
        face.add(in_world(mul_add(half[z], up, mul_add(right, axes[x], ahead * axes[y]))));
      }
      face.normal = shape.pose.R * up;
      face.top = face.corners[0];
      return face;
    }
    case ShapeType::mesh: return face_of_mesh(shape, direction);
    default: face.add(support_point(shape, direction)); return face;
  }
}

/// A polygon or a segment whose parts outside planes are cut off, one plane after the other [Sutherland and Hodgman,
/// Reentrant Polygon Clipping, 1974].
struct Clipped {
  static constexpr int most_corners = 2 * ShapeFace::most_corners;
  int n = 0;
  Point3 corners[most_corners];

  explicit Clipped(const ShapeFace& face) : n(face.n) {
    for (int k = 0; k < n; ++k) corners[k] = face.corners[k];
  }
  /// Keeps where normal . (x - point) <= 0.
  void cut(const Point3& point, const Point3& normal) {
    Point3 left[most_corners];
    int n_left = 0;
    const auto add = [&](const Point3& x) {
      if (n_left < most_corners) left[n_left++] = x;
    };
    const int edges = n == 2 ? 1 : n;
    for (int k = 0; k < edges; ++k) {
      const Point3 &from = corners[k], &to = corners[(k + 1) % n];
      const double before = dot(normal, from - point), after = dot(normal, to - point);
      if (before <= 0) add(from);
      if ((before < 0 && after > 0) || (before > 0 && after < 0))
        add(mul_add(before / (before - after), to - from, from));
      if (n == 2 && after <= 0) add(to);
    }
    n = n_left;
    for (int k = 0; k < n; ++k) corners[k] = left[k];
  }
};

/// Contacts of a face with what the other shape turns towards it, of which `radius` lies around. Returns how many; 0:
/// they do not lie against each other. `flip`: the face is that of shape 2.
inline int contacts_on_face(const ShapeFace& face, const ShapeFace& other, double radius, bool flip, int slots,
                            ContactPoint<double>* out) {
  Clipped common(other);
  for (int k = 0; k < face.n && common.n > 0; ++k) {
    const Point3 edge = face.corners[(k + 1) % face.n] - face.corners[k];
    Point3 outwards = cross(edge, face.normal);
    if (dot(outwards, face.corners[(k + 2) % face.n] - face.corners[k]) > 0) outwards = -outwards;
    common.cut(face.corners[k], outwards);
  }
  if (common.n < 2) return 0;
  const auto height = [&](int k) { return dot(face.normal, common.corners[k] - face.top); };
  // of the corners the lowest, the farthest from it, and the farthest to either side of the line between them
  int chosen[most_convex_slots], n = 0;
  const auto choose_one = [&](auto score) {
    int best = 0;
    for (int k = 1; k < common.n; ++k)
      if (score(k) > score(best)) best = k;
    for (int k = 0; k < n; ++k)
      if (chosen[k] == best) return;
    if (n < slots) chosen[n++] = best;
  };
  choose_one([&](int k) { return -height(k); });
  const Point3 first = common.corners[chosen[0]];
  choose_one([&](int k) { return norm(common.corners[k] - first); });
  const Point3 way = common.corners[chosen[n - 1]] - first;
  if (norm(way) < same_point * norm(face.corners[1] - face.corners[0])) return 0;
  if (n == 2) {
    const Point3 left = cross(face.normal, way);
    const double least = same_point * dot(left, left);
    for (const double side : {1.0, -1.0}) {
      const auto score = [&](int k) { return side * dot(left, common.corners[k] - first); };
      choose_one([&](int k) { return score(k) > least ? score(k) : (k == chosen[0] ? 0.0 : -1.0); });
    }
  }
  for (int k = 0; k < n; ++k) {
    const double up = height(chosen[k]);
    out[k] = {up - radius, mul_add(-0.5 * (up + radius), face.normal, common.corners[chosen[k]]),
              flip ? -face.normal : face.normal, Point3::zero()};
  }
  return n;
}

/// Contacts of two edges along each other: the ends of what they have in common. Returns how many, 0 or 2.
inline int contacts_on_edges(const ShapeFace& a, double r_a, const ShapeFace& b, double r_b, const Point3& normal,
                             ContactPoint<double>* out) {
  constexpr double steepest = 1e-3;  // sine of the angle from which they cross in a point
  double length;
  const Point3 along = direction_or(a.corners[1] - a.corners[0], Point3::zero(), length);
  const Point3 other = direction_or(b.corners[1] - b.corners[0], Point3::zero());
  if (!(length > 0) || norm(cross(along, other)) > steepest) return 0;
  Clipped common(b);
  common.cut(a.corners[0], -along);
  common.cut(a.corners[1], along);
  if (common.n < 2 || norm(common.corners[1] - common.corners[0]) < same_point * length) return 0;
  for (int k = 0; k < 2; ++k) {
    const Point3& on_b = common.corners[k];
    const Point3 on_a = mul_add(dot(along, on_b - a.corners[0]), along, a.corners[0]);
    out[k] = {dot(normal, on_b - on_a) - r_a - r_b, 0.5 * (mul_add(r_a, normal, on_a) + mul_add(-r_b, normal, on_b)),
              normal, Point3::zero()};
  }
  return 2;
}

/// Fills `slots` slots. Of shapes that are farther apart than `margin` no distance is computed, but a lower bound.
inline void convex_contacts(const PlacedShape<double>& a, const PlacedShape<double>& b, int slots, double margin,
                            ContactPoint<double>* out) {
  for (int k = 0; k < slots; ++k) out[k] = {no_contact, a.pose.p, {1, 0, 0}, Point3::zero()};
  const double r_a = radius_around(a), r_b = radius_around(b);
  const bool smooth = is_smooth(a, b);
  const Nearest nearest = nearest_points(a, b, margin + r_a + r_b, 1e-13, smooth ? smooth_tolerance : 0.0);
  if (nearest.far) {
    out[0].distance = nearest.distance - r_a - r_b;
    return;
  }
  Penetration found;
  if (nearest.overlap) {
    found = ExpandingPolytope(a, b, nearest.simplex).penetration();
  } else {
    found = {-nearest.distance, (1 / nearest.distance) * (nearest.b - nearest.a), nearest.a, nearest.b};
  }
  if (smooth) turn_downhill(a, b, found);
  const Point3& n = found.normal;
  const Point3 middle = 0.5 * (mul_add(r_a, n, found.a) + mul_add(-r_b, n, found.b));
  const ContactPoint<double> deepest = {-found.depth - r_a - r_b, middle, n, Point3::zero()};
  out[0] = deepest;
  if (slots == 1) return;
  constexpr double against = 1 - 1e-9;  // cosine from which a normal counts as that of a face
  const ShapeFace of_a = face_towards(a, n), of_b = face_towards(b, -n);
  const double along_a = of_a.is_face() ? dot(of_a.normal, n) : 0, along_b = of_b.is_face() ? -dot(of_b.normal, n) : 0;
  if (of_a.is_edge() && of_b.is_edge())
    contacts_on_edges(of_a, r_a, of_b, r_b, n, out);
  else if (against < along_a && !(along_a < along_b))
    contacts_on_face(of_a, of_b, r_b, false, slots, out);
  else if (against < along_b)
    contacts_on_face(of_b, of_a, r_a, true, slots, out);
  const double rounding = 1e-9 * (norm(b.pose.p - a.pose.p) + abs(deepest.distance));
  if (deepest.distance < out[0].distance - rounding) out[0] = deepest;  // of a mesh only four corners were looked at
}

}  // namespace tandem::inline TANDEM_ISA
