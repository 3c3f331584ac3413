// SPDX-License-Identifier: Apache-2.0
/// A quick look at two convex shapes, in lanes: whether a plane along some likely directions parts them.
#pragma once
#include "tandem/detail/contact/placed_shape.hpp"

namespace tandem::inline TANDEM_ISA {

/// How far a shape reaches in a direction of the world, from its origin; a mesh: the box that `size` has of it.
template <class S>
TANDEM_HD S reach_of(const PlacedShape<S>& shape, const Vec3<S>& direction) {
  const Vec3<S> d = transpose_mul(shape.pose.R, direction), &size = shape.size;
  switch (shape.type) {
    case ShapeType::sphere: return size.x;
    case ShapeType::capsule: return mul_add(size.y, abs(d.z), size.x);
    case ShapeType::ellipsoid: return norm(Vec3<S>{size.x * d.x, size.y * d.y, size.z * d.z});
    case ShapeType::cylinder: return mul_add(size.x, sqrt(sum_of_products(d.x, d.x, d.y, d.y)), size.y * abs(d.z));
    default: return mul_add(size.x, abs(d.x), mul_add(size.y, abs(d.y), size.z * abs(d.z)));
  }
}

/// A lower bound of the distance of two shapes: the most by which they are apart along their axes, the line of their
/// origins, and what is normal to two of these. It ends where all lanes are apart by `margin`; a lane that is not has
/// the same bits whatever is beside it.
template <class S>
TANDEM_STEP S least_distance(const PlacedShape<S>& a, const PlacedShape<S>& b, double margin) {
  const Vec3<S> way = b.pose.p - a.pose.p, z_a = a.pose.axis_z(), z_b = b.pose.axis_z();
  S most(-no_contact);
  const auto look = [&](const Vec3<S>& n) TANDEM_INLINE {
    most = larger(most, abs(dot(n, way)) - reach_of(a, n) - reach_of(b, n));
  };
  const auto is_known = [&]() TANDEM_INLINE { return !any(most < S(margin)); };
  const auto has_faces = [](ShapeType type) {
    return type == ShapeType::box || type == ShapeType::mesh || type == ShapeType::ellipsoid;
  };
  look(z_b);
  if (is_known()) return most;
  for (const PlacedShape<S>* shape : {&b, &a}) {
    if (!has_faces(shape->type)) continue;
    look(shape->pose.axis_x());
    look(shape->pose.axis_y());
    if (is_known()) return most;
  }
  look(z_a);
  look(direction_or(way, z_a));
  if (is_known()) return most;
  look(direction_or(cross(z_a, z_b), z_a));
  look(direction_or(mul_add(-dot(z_b, way), z_b, way), z_a));
  look(direction_or(mul_add(-dot(z_a, way), z_a, way), z_a));
  return most;
}

}  // namespace tandem::inline TANDEM_ISA
