// SPDX-License-Identifier: Apache-2.0
/// The contacts of any two shapes.
#pragma once
#include "tandem/detail/contact/box.hpp"
#include "tandem/detail/contact/box_box.hpp"
#include "tandem/detail/contact/plane.hpp"
#include "tandem/detail/contact/round.hpp"
#include "tandem/model/shape_types.hpp"

namespace tandem::inline TANDEM_ISA {

/// A shape where it stands. Vertices [n_vertices][3] are those of a mesh, in its frame.
template <class S>
struct PlacedShape {
  ShapeType type;
  ShapePose<S> pose;
  Vec3<S> size;
  int n_vertices = 0;
  const double* vertices = nullptr;
};

/// The most slots of a pair.
inline constexpr int most_contact_slots = box_box_slots;

/// Fills contact_slots(a.type, b.type) slots; the lower type comes first. Types are those of a robot: no lane has
/// another one.
template <class S>
TANDEM_STEP void pair_contacts(const PlacedShape<S>& a, const PlacedShape<S>& b, ContactPoint<S>* out) {
  const S &r_a = a.size.x, &r_b = b.size.x;
  if (a.type == ShapeType::plane) switch (b.type) {
      case ShapeType::sphere: return plane_sphere(a.pose, b.pose, r_b, out);
      case ShapeType::capsule: return plane_capsule(a.pose, b.pose, r_b, b.size.y, out);
      case ShapeType::ellipsoid: return plane_ellipsoid(a.pose, b.pose, b.size, out);
      case ShapeType::cylinder: return plane_cylinder(a.pose, b.pose, r_b, b.size.y, out);
      case ShapeType::box: return plane_box(a.pose, b.pose, b.size, out);
      case ShapeType::mesh: return plane_vertices(a.pose, b.pose, b.n_vertices, b.vertices, out);
      default: return;
    }
  if (a.type == ShapeType::sphere) switch (b.type) {
      case ShapeType::sphere: return sphere_sphere(a.pose, r_a, b.pose, r_b, out);
      case ShapeType::capsule: return sphere_capsule(a.pose, r_a, b.pose, r_b, b.size.y, out);
      case ShapeType::cylinder: return sphere_cylinder(a.pose, r_a, b.pose, r_b, b.size.y, out);
      case ShapeType::box: return sphere_box(a.pose, r_a, b.pose, b.size, out);
      default: return;
    }
  if (a.type == ShapeType::box && b.type == ShapeType::box) return box_box(a.pose, a.size, b.pose, b.size, out);
  if (a.type == ShapeType::capsule) switch (b.type) {
      case ShapeType::capsule: return capsule_capsule(a.pose, r_a, a.size.y, b.pose, r_b, b.size.y, out);
      case ShapeType::box: return capsule_box(a.pose, r_a, a.size.y, b.pose, b.size, out);
      default: return;
    }
}

}  // namespace tandem::inline TANDEM_ISA
