// SPDX-License-Identifier: Apache-2.0
/// The contacts of any two shapes.
#pragma once
#include "tandem/detail/contact/box.hpp"
#include "tandem/detail/contact/box_box.hpp"
#include "tandem/detail/contact/convex_call.hpp"
#include "tandem/detail/contact/placed_shape.hpp"
#include "tandem/detail/contact/plane.hpp"
#include "tandem/detail/contact/round.hpp"

namespace tandem::inline TANDEM_ISA {

/// The most slots of a pair.
inline constexpr int most_contact_slots = box_box_slots;

/// Whether contacts are computed without support functions, which boxes within a margin need, too; the lower type comes
/// first.
constexpr bool has_closed_form(ShapeType a, ShapeType b, double margin) {
  using enum ShapeType;
  return a == plane || (a == sphere && b != ellipsoid && b != mesh) || (a == capsule && (b == capsule || b == box)) ||
         (a == box && b == box && !(0 < margin));
}

/// Fills contact_slots(a.type, b.type) slots; the lower type comes first. Types are those of a robot: no lane has
/// another one. Distances above `margin` may be less than they are, and still above it.
template <class S>
TANDEM_STEP void pair_contacts(const PlacedShape<S>& a, const PlacedShape<S>& b, ContactPoint<S>* out,
                               double margin = no_contact) {
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
      default: return call_convex_contacts(a, b, out, margin);
    }
  if (a.type == ShapeType::box && b.type == ShapeType::box) {
    const bool parted = box_box(a.pose, a.size, b.pose, b.size, out, margin);
    if (!parted && 0 < margin) add_nearest_points(a, b, box_box_slots, out, margin);
    return;
  }
  if (a.type == ShapeType::capsule) switch (b.type) {
      case ShapeType::capsule: return capsule_capsule(a.pose, r_a, a.size.y, b.pose, r_b, b.size.y, out);
      case ShapeType::box: return capsule_box(a.pose, r_a, a.size.y, b.pose, b.size, out, margin);
      default: break;
    }
  call_convex_contacts(a, b, out, margin);
}

}  // namespace tandem::inline TANDEM_ISA
