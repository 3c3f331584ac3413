// SPDX-License-Identifier: Apache-2.0
/// Types of collision shapes, and the number of contacts between two of them.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>

#include "tandem/names.hpp"

namespace tandem {

/// Shape types, in the order in which MuJoCo sorts the two shapes of a pair.
enum class ShapeType : std::uint8_t {
  plane,         ///< infinite, its normal is z
  height_field,  ///< heights on a grid
  sphere,        ///< size: radius
  capsule,       ///< a cylinder about z with half spheres at its ends; size: radius, half length of the cylinder
  ellipsoid,     ///< size: its three half axes
  cylinder,      ///< about z; size: radius, half length
  box,           ///< size: half lengths of its three edges
  mesh,          ///< the convex hull of its vertices
  sdf            ///< a signed distance field
};
template <>
struct NamesOf<ShapeType> {
  static constexpr const char* kind = "shape type";
  static constexpr Named table[] = {{"plane", "infinite, its normal is z"},
                                    {"height_field", "heights on a grid", "hfield"},
                                    {"sphere", "size: radius"},
                                    {"capsule",
                                     "a cylinder about z with half spheres at its ends; size: radius, half "
                                     "length of the cylinder"},
                                    {"ellipsoid", "size: its three half axes"},
                                    {"cylinder", "about z; size: radius, half length"},
                                    {"box", "size: half lengths of its three edges"},
                                    {"mesh", "the convex hull of its vertices"},
                                    {"sdf", "a signed distance field"}};
};

/// Number of sizes of a shape type.
constexpr int size_count(ShapeType type) {
  switch (type) {
    case ShapeType::sphere: return 1;
    case ShapeType::capsule:
    case ShapeType::cylinder: return 2;
    case ShapeType::ellipsoid:
    case ShapeType::box: return 3;
    default: return 0;
  }
}

/// Whether contacts between two shape types, in any order, do not exist.
constexpr bool never_touch(ShapeType first, ShapeType second) {
  return (first == ShapeType::plane || first == ShapeType::height_field) &&
         (second == ShapeType::plane || second == ShapeType::height_field);
}

/// Largest number of contacts between two convex shapes that have no closed form.
inline constexpr int most_convex_slots = 4;

/// Largest number of contacts between two shapes, the lower type first; 0: not supported.
constexpr int contact_slots(ShapeType first, ShapeType second) {
  switch (first) {
    case ShapeType::plane:
      switch (second) {
        case ShapeType::sphere:
        case ShapeType::ellipsoid: return 1;
        case ShapeType::capsule: return 2;
        case ShapeType::cylinder:
        case ShapeType::box:
        case ShapeType::mesh: return 4;
        default: return 0;
      }
    case ShapeType::height_field: return 0;
    case ShapeType::sdf: return 0;
    default: break;
  }
  if (second == ShapeType::sdf) return 0;
  switch (first) {
    case ShapeType::sphere:
    case ShapeType::ellipsoid: return 1;
    case ShapeType::capsule: return second == ShapeType::ellipsoid ? 1 : 2;
    case ShapeType::cylinder: return most_convex_slots;
    case ShapeType::box: return second == ShapeType::box ? 12 : most_convex_slots;
    default: return most_convex_slots;
  }
}

}  // namespace tandem
