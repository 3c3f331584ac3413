// SPDX-License-Identifier: Apache-2.0
/// The last digits of contacts between curved shapes. How far the difference of two shapes reaches in a direction n,
/// h(n), is their depth if it is the least of all directions, or less their distance. Simplices and polytopes come near
/// that direction; here it is turned downhill until h is stationary.
///
/// h has a crease where a shape turns an edge or a face towards n: the derivative across it jumps, and n stays on it.
#pragma once
#include "tandem/detail/contact/nearest.hpp"

namespace tandem::inline TANDEM_ISA {

/// Where two shapes touch: distances are less than 0.
struct Penetration {
  double depth = 0;  ///< m
  Point3 normal;     ///< from a to b
  Point3 a, b;       ///< points of the surfaces
};

/// How near the distance is that is turned downhill from, relative to the size of the shapes.
inline constexpr double smooth_tolerance = 1e-7;

/// One of two shapes is curved, and creases are where edges_towards() looks for them.
inline bool is_smooth(const PlacedShape<double>& a, const PlacedShape<double>& b) {
  const auto is_curved = [](ShapeType type) { return type == ShapeType::ellipsoid || type == ShapeType::cylinder; };
  return (is_curved(a.type) || is_curved(b.type)) && a.type != ShapeType::mesh && b.type != ShapeType::mesh;
}

/// Of the edges that a shape turns towards a direction: their axes. Two: a face. Returns how many.
inline int edges_towards(const PlacedShape<double>& shape, const Point3& direction, Point3* axes) {
  constexpr double crease = 1e-4;  // sine of the angle from which the nearest point is an end of the edge
  const ShapePose<double>& pose = shape.pose;
  const Point3 d = transpose_mul(pose.R, direction);
  int n = 0;
  const auto look = [&](double along, const Point3& axis) {
    if (abs(along) < crease) axes[n++] = axis;
  };
  switch (shape.type) {
    case ShapeType::cylinder:
      if (sum_of_products(d.x, d.x, d.y, d.y) < crease * crease) {
        axes[n++] = pose.axis_x();
        axes[n++] = pose.axis_y();
      }
      [[fallthrough]];
    case ShapeType::capsule: look(d.z, pose.axis_z()); break;
    case ShapeType::box:
      look(d.x, pose.axis_x());
      look(d.y, pose.axis_y());
      look(d.z, pose.axis_z());
      break;
    default: break;
  }
  return n;
}

/// Steps along the slope by the method of Barzilai and Borwein [Two-Point Step Size Gradient Methods, 1988].
inline void turn_downhill(const PlacedShape<double>& a, const PlacedShape<double>& b, Penetration& way) {
  constexpr int most_turns = 30;
  Point3 edges[6], crease[2];
  const int of_a = edges_towards(a, way.normal, edges), of_b = edges_towards(b, -way.normal, edges + of_a);
  int n_crease = 0;
  const auto along_crease = [&](Point3 x) {
    for (int k = 0; k < n_crease; ++k) x = mul_add(-dot(x, crease[k]), crease[k], x);
    return x;
  };
  for (int k = 0; k < of_a + of_b && n_crease < 2; ++k) {
    double length;
    const Point3 axis = direction_or(along_crease(edges[k]), Point3::zero(), length);
    if (0.1 < length) crease[n_crease++] = axis;
  }
  struct Turn {
    Point3 n, slope;
    double depth;
    DifferencePoint point;
  };
  const auto turn_to = [&](const Point3& n) {
    const DifferencePoint point = support_point(a, b, n);
    const double depth = dot(n, point.x);
    return Turn{n, along_crease(mul_add(-depth, n, point.x)), depth, point};
  };
  const Turn begin = turn_to(way.normal);
  const double size = norm(begin.point.x - support_point(a, b, -begin.n).x), rounding = 1e-15 * size;
  Turn now = n_crease > 0 ? turn_to(direction_or(along_crease(begin.n), begin.n)) : begin;
  if (!(now.depth <= begin.depth + rounding)) {  // the direction is not that of an edge
    n_crease = 0;
    now = turn_to(begin.n);
  }
  double rate = 1 / size;
  for (int k = 0; k < most_turns && norm(now.slope) > 1e-14 * size; ++k) {
    const Turn next = turn_to(direction_or(mul_add(-rate, now.slope, now.n), now.n));
    const bool is_flatter = norm(next.slope) < norm(now.slope);
    if (!(next.depth < now.depth || (next.depth <= now.depth + rounding && is_flatter))) {
      rate = 0.25 * rate;
      continue;
    }
    const Point3 moved = next.n - now.n, changed = next.slope - now.slope;
    const double curved = dot(moved, changed);
    rate = curved > 0 ? dot(moved, moved) / curved : 2 * rate;
    now = next;
  }
  way.depth = now.depth;
  way.normal = now.n;
  if (norm(now.slope) > 1e-9 * size) return;
  if (of_a == 0) {  // the shape has one point there
    way.a = now.point.a;
    way.b = mul_add(-now.depth, now.n, way.a);
  } else if (of_b == 0) {
    way.b = now.point.b;
    way.a = mul_add(now.depth, now.n, way.b);
  }
}

}  // namespace tandem::inline TANDEM_ISA
