// SPDX-License-Identifier: Apache-2.0
/// The points of two convex shapes that are nearest to each other [Gilbert, Johnson and Keerthi, A Fast Procedure for
/// Computing the Distance Between Complex Objects in Three-Dimensional Space, 1988]. A shape is known by its support
/// points, the farthest ones in a direction; spheres and capsules are a point and a segment with a radius.
///
/// One pair at a time, in double.
#pragma once
#include "tandem/detail/contact/placed_shape.hpp"

namespace tandem::inline TANDEM_ISA {

using Point3 = Vec3<double>;

/// What is rounding, relative to the size of two shapes.
inline constexpr double convex_rounding = 1e-14;

/// The distance of the surface from what support_point() is of.
TANDEM_HD double radius_around(const PlacedShape<double>& shape) {
  return shape.type == ShapeType::sphere || shape.type == ShapeType::capsule ? shape.size.x : 0;
}

/// A vertex of a mesh, in its frame.
TANDEM_HD Point3 vertex_of(const PlacedShape<double>& mesh, int k) {
  return {mesh.vertices[3 * k], mesh.vertices[3 * k + 1], mesh.vertices[3 * k + 2]};
}

/// a / |a|, however short a is.
inline Point3 unit_or(const Point3& a, const Point3& otherwise) {
  const double length = norm(a);
  return length > 0 ? (1 / length) * a : otherwise;
}

/// A point of the shape that is farthest in a direction, without its radius.
inline Point3 support_point(const PlacedShape<double>& shape, const Point3& direction) {
  const Point3 d = transpose_mul(shape.pose.R, direction), &s = shape.size;
  const auto towards = [](double half, double along) { return along < 0 ? -half : half; };
  Point3 at = Point3::zero();
  switch (shape.type) {
    case ShapeType::capsule: at.z = towards(s.y, d.z); break;
    case ShapeType::box: at = {towards(s.x, d.x), towards(s.y, d.y), towards(s.z, d.z)}; break;
    case ShapeType::ellipsoid: {
      const Point3 way = unit_or({s.x * d.x, s.y * d.y, s.z * d.z}, {0, 0, 1});
      at = {s.x * way.x, s.y * way.y, s.z * way.z};
      break;
    }
    case ShapeType::cylinder: {
      const Point3 way = unit_or({d.x, d.y, 0}, {1, 0, 0});
      at = {s.x * way.x, s.x * way.y, towards(s.y, d.z)};
      break;
    }
    case ShapeType::mesh: {
      int best = 0;
      double most = dot(d, vertex_of(shape, 0));
      for (int k = 1; k < shape.n_vertices; ++k)
        if (const double along = dot(d, vertex_of(shape, k)); along > most) {
          most = along;
          best = k;
        }
      at = vertex_of(shape, best);
      break;
    }
    default: break;
  }
  return mul_add(shape.pose.R, at, shape.pose.p);
}

/// A point of the difference of two shapes, a - b.
struct DifferencePoint {
  Point3 x, a, b;
};
inline DifferencePoint support_point(const PlacedShape<double>& a, const PlacedShape<double>& b,
                                     const Point3& direction) {
  const Point3 on_a = support_point(a, direction), on_b = support_point(b, -direction);
  return {on_a - on_b, on_a, on_b};
}

/// Up to four points of the difference, and the weights by which they make the point of their hull that is nearest to
/// the origin.
struct Simplex {
  DifferencePoint points[4];
  double weights[4];
  int n = 0;

  void keep(int count, const int* which, const double* by) {
    DifferencePoint kept[4];
    for (int k = 0; k < count; ++k) kept[k] = points[which[k]];
    for (int k = 0; k < count; ++k) {
      points[k] = kept[k];
      weights[k] = by[k];
    }
    n = count;
  }
  Point3 sum(Point3 DifferencePoint::*of) const {
    Point3 total = Point3::zero();
    for (int k = 0; k < n; ++k) total = mul_add(weights[k], points[k].*of, total);
    return total;
  }
};

/// Of the hull of some points of a simplex: the point nearest to the origin.
struct NearestOnHull {
  int n = 0, which[3] = {};
  double weights[3] = {}, squared = 0;
  Point3 at = Point3::zero();
};
inline NearestOnHull nearest_of(const Simplex& s, int n, const int* which, const double* weights) {
  NearestOnHull found;
  for (int k = 0; k < n; ++k) {
    if (!(weights[k] > 0)) continue;
    found.which[found.n] = which[k];
    found.weights[found.n++] = weights[k];
    found.at = mul_add(weights[k], s.points[which[k]].x, found.at);
  }
  found.squared = dot(found.at, found.at);
  return found;
}
inline NearestOnHull nearest_on_segment(const Simplex& s, int i, int j) {
  const Point3 &a = s.points[i].x, way = s.points[j].x - a;
  const double length = dot(way, way), along = length > 0 ? between(0.0, -dot(a, way) / length, 1.0) : 0;
  const int which[2] = {i, j};
  const double weights[2] = {1 - along, along};
  return nearest_of(s, 2, which, weights);
}
/// Inside the triangle, or on the nearest of its edges.
inline NearestOnHull nearest_on_triangle(const Simplex& s, int i, int j, int k) {
  const Point3 &a = s.points[i].x, &b = s.points[j].x, &c = s.points[k].x;
  const Point3 normal = cross(b - a, c - a);
  const double area = dot(normal, normal);
  const double u = dot(normal, cross(b, c)), v = dot(normal, cross(c, a)), w = dot(normal, cross(a, b));
  if (area > 0 && u > 0 && v > 0 && w > 0) {
    const double sum = u + v + w;
    const int which[3] = {i, j, k};
    const double weights[3] = {u / sum, v / sum, w / sum};
    return nearest_of(s, 3, which, weights);
  }
  NearestOnHull best = nearest_on_segment(s, i, j);
  for (const NearestOnHull& other : {nearest_on_segment(s, j, k), nearest_on_segment(s, k, i)})
    if (other.squared < best.squared) best = other;
  return best;
}

/// Reduces a simplex to the points that its point nearest to the origin needs; false if the origin lies in a
/// tetrahedron.
inline bool reduce(Simplex& s) {
  NearestOnHull best;
  best.squared = 1e300;
  const auto offer = [&](const NearestOnHull& other) {
    if (other.squared < best.squared) best = other;
  };
  if (s.n == 1) {
    s.weights[0] = 1;
    return true;
  }
  if (s.n == 2) offer(nearest_on_segment(s, 0, 1));
  if (s.n == 3) offer(nearest_on_triangle(s, 0, 1, 2));
  if (s.n == 4) {
    static constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    bool inside = true;
    for (const auto& [i, j, k, opposite] : faces) {
      const Point3& a = s.points[i].x;
      const Point3 normal = cross(s.points[j].x - a, s.points[k].x - a);
      const double of_origin = -dot(normal, a), of_opposite = dot(normal, s.points[opposite].x - a);
      if (of_origin * of_opposite > 0) continue;  // the origin is on the side of the other corner
      inside = false;
      offer(nearest_on_triangle(s, i, j, k));
    }
    if (inside) return false;
  }
  s.keep(best.n, best.which, best.weights);
  return true;
}

/// Where two shapes without their radii are nearest to each other. They overlap: no distance, and points of the
/// difference about the origin. They are far apart, by more than was asked for: a lower bound of the distance alone.
struct Nearest {
  bool overlap = false, far = false;
  double distance = 0;                            ///< m
  Point3 a = Point3::zero(), b = Point3::zero();  ///< the two points
  Simplex simplex;
};
/// To within `tolerance` of the distance, or `of_size` of the size of the shapes.
inline Nearest nearest_points(const PlacedShape<double>& a, const PlacedShape<double>& b, double reach,
                              double tolerance = 1e-13, double of_size = 0) {
  constexpr int most_iterations = 100;
  Nearest found;
  Simplex& s = found.simplex;
  s.points[0] = support_point(a, b, direction_or(b.pose.p - a.pose.p, Point3{1, 0, 0}));
  s.n = 1;
  s.weights[0] = 1;
  Point3 v = s.points[0].x;
  double squared = dot(v, v), size = norm(v);
  bool apart = false;  // a plane lies between them
  for (int n = 0; n < most_iterations; ++n) {
    if (!apart && squared <= 1e-22 * size * size) {
      found.overlap = true;
      return found;
    }
    const DifferencePoint next = support_point(a, b, -v);
    size = larger(size, norm(next.x));
    bool known = squared - dot(v, next.x) <= larger(tolerance * squared, of_size * size * sqrt(squared));
    for (int k = 0; k < s.n; ++k) known = known || norm(s.points[k].x - next.x) <= convex_rounding * size;
    if (known) break;
    const double separated = dot(v, next.x);
    apart = apart || separated > 0;
    if (separated > reach * norm(v)) {
      found.far = true;
      found.distance = separated / norm(v);
      return found;
    }
    const Simplex before = s;
    s.points[s.n++] = next;
    if (!reduce(s)) {
      if (apart) {  // by rounding, the origin lies in a tetrahedron without a volume
        s = before;
        break;
      }
      found.overlap = true;
      return found;
    }
    v = s.sum(&DifferencePoint::x);
    const double nearer = dot(v, v);
    if (!(nearer < squared)) {  // rounding
      s = before;
      break;
    }
    squared = nearer;
  }
  found.a = s.sum(&DifferencePoint::a);
  found.b = s.sum(&DifferencePoint::b);
  found.distance = norm(found.a - found.b);
  found.overlap = found.distance == 0;  // by rounding
  return found;
}

}  // namespace tandem::inline TANDEM_ISA
