// SPDX-License-Identifier: Apache-2.0
/// Random shapes, and how far they reach in closed form.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "support/dense.hpp"
#include "tandem/detail/contact/pair.hpp"

namespace tandem::test {

using Shape3 = PlacedShape<double>;
using Point = ContactPoint<double>;

inline constexpr int poses = 400;

inline constexpr ShapeType with_plane[] = {ShapeType::sphere,   ShapeType::capsule, ShapeType::ellipsoid,
                                    ShapeType::cylinder, ShapeType::box,     ShapeType::mesh};
inline constexpr double corners[] = {1, 2, 3, -1, 0.5, 0, 0, -2, 1, 0.3, 0.1, -1, -0.5, 0, 2};

class RandomShapes {
 public:
  explicit RandomShapes(std::uint64_t seed) : random_(seed) {}
  ShapePose<double> pose() { return {rotation(random_.quaternion()), 1.5 * random_.vec3()}; }
  Shape3 shape(ShapeType type) {
    const auto length = [&] { return 0.5 + 0.4 * random_.number(); };
    Shape3 made = {type, pose(), {length(), length(), length()}};
    if (type != ShapeType::mesh) return made;
    made.n_vertices = 5;
    made.vertices = corners;
    return made;
  }

 private:
  RandomSpatial random_;
};

/// A mesh with the box that margins need.
inline Shape3 with_box(Shape3 shape) {
  if (shape.type != ShapeType::mesh) return shape;
  shape.size = Vec3<double>::zero();
  for (int k = 0; k < shape.n_vertices; ++k)
    shape.size = {std::max(shape.size.x, std::abs(shape.vertices[3 * k])),
                  std::max(shape.size.y, std::abs(shape.vertices[3 * k + 1])),
                  std::max(shape.size.z, std::abs(shape.vertices[3 * k + 2]))};
  return shape;
}

inline std::vector<Point> contacts_of(const Shape3& a, const Shape3& b) {
  std::vector<Point> points(most_contact_slots);
  pair_contacts(a, b, points.data());
  points.resize(static_cast<std::size_t>(contact_slots(a.type, b.type)));
  return points;
}
inline double least(const std::vector<Point>& points) {
  return std::ranges::min_element(points, {}, &Point::distance)->distance;
}

/// Calls f for every two types with contacts.
inline void for_each_pair(const std::function<void(ShapeType, ShapeType)>& f) {
  for (int a = 0; a <= static_cast<int>(ShapeType::sdf); ++a)
    for (int b = a; b <= static_cast<int>(ShapeType::sdf); ++b)
      if (contact_slots(static_cast<ShapeType>(a), static_cast<ShapeType>(b)) > 0)
        f(static_cast<ShapeType>(a), static_cast<ShapeType>(b));
}

/// Pairs without a closed form, which convex_contacts() serves.
inline bool is_general(ShapeType first, ShapeType second) {
  const auto is_either = [&](ShapeType type) { return first == type || second == type; };
  if (first == ShapeType::plane) return false;
  if (is_either(ShapeType::ellipsoid) || is_either(ShapeType::mesh)) return true;
  return second == ShapeType::cylinder ? first != ShapeType::sphere : first == ShapeType::cylinder;
}

/// How far a shape reaches in a direction of its own frame: the closed forms of support functions.
inline double reach(const Shape3& shape, const Vec3<double>& d) {
  const auto& [x, y, z] = shape.size;
  const double across = std::hypot(d.x, d.y);
  switch (shape.type) {
    case ShapeType::sphere: return x;
    case ShapeType::capsule: return x + y * std::abs(d.z);
    case ShapeType::ellipsoid: return std::hypot(x * d.x, y * d.y, z * d.z);
    case ShapeType::cylinder: return x * across + y * std::abs(d.z);
    case ShapeType::box: return x * std::abs(d.x) + y * std::abs(d.y) + z * std::abs(d.z);
    default: break;
  }
  double most = -1e9;
  for (int k = 0; k < shape.n_vertices; ++k)
    most = std::max(most, dot(d, Vec3<double>{corners[3 * k], corners[3 * k + 1], corners[3 * k + 2]}));
  return most;
}

/// A shape whose numbers are packs, or of another precision, which `make` makes from a function of a shape.
template <class S, class Make>
PlacedShape<S> lanes_of(const Shape3& shape, Make&& make) {
  const auto vec = [&](auto get) {
    return Vec3<S>{make([&](const Shape3& s) { return get(s).x; }), make([&](const Shape3& s) { return get(s).y; }),
                   make([&](const Shape3& s) { return get(s).z; })};
  };
  PlacedShape<S> all = {
      shape.type,
      {{vec([](const Shape3& s) { return s.pose.R.row0; }), vec([](const Shape3& s) { return s.pose.R.row1; }),
        vec([](const Shape3& s) { return s.pose.R.row2; })},
       vec([](const Shape3& s) { return s.pose.p; })},
      vec([](const Shape3& s) { return s.size; })};
  all.n_vertices = shape.n_vertices;
  all.vertices = shape.vertices;
  return all;
}

}  // namespace tandem::test
