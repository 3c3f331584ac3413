// SPDX-License-Identifier: Apache-2.0
/// libFuzzer target: any bytes as two shapes, from 1e-9 to 1e9 m, hulls with few, flat and equal vertices among them,
/// in any pose. Contacts end, and are finite with a unit normal; the least distance is that of the two along its
/// normal. NaN and infinities in the pose of a shape stay in its lane.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/pack.hpp"
#include "bytes.hpp"
#include "tandem/detail/contact/nearest.hpp"
#include "tandem/detail/contact/pair.hpp"
#include "tandem/model/contact.hpp"

namespace {

using tandem::ContactPoint;
using tandem::PlacedShape;
using tandem::ShapeType;
using tandem::fuzz::Bytes;
using tandem::fuzz::require;
using Vector = tandem::Vec3<double>;
using Matrix = tandem::Mat3<double>;
using Shape = PlacedShape<double>;

constexpr std::size_t longest_input = 1024;

double length(Bytes& from) {
  constexpr double some[] = {1, 0.5, 0.1, 1e-2, 1e-3, 1e-9, 1e9, 1e3};
  return some[from.below(8)] * (1 + from.below(16) / 16.0);
}

tandem::ShapePose<double> pose(Bytes& from) {
  tandem::ShapePose<double> pose = {Matrix::identity(), Vector::zero()};
  for (double* x : {&pose.p.x, &pose.p.y, &pose.p.z}) *x = from.within(2);
  const int kind = from.below(8);
  if (kind == 0) return pose;  // axes along each other
  if (kind == 1) pose.p = 1e-9 * pose.p;
  if (kind == 2) pose.p = 1e9 * pose.p;
  const std::array<double, 9> R = from.rotation();
  pose.R = {{R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}};
  return pose;
}

/// One to twelve vertices: anywhere, on a line, in a plane, or where the last one is.
std::vector<double> vertices(Bytes& from) {
  std::vector<double> all;
  const double size = length(from);
  const int kind = from.below(4), n = 1 + from.below(12);
  for (int k = 0; k < n; ++k) {
    if (k > 0 && from.below(8) == 0) {
      all.insert(all.end(), all.end() - 3, all.end());
      continue;
    }
    const double x = size * from.within(1);
    const double y = kind == 1 ? x : size * from.within(1);
    const double z = kind == 1 ? 0 : kind == 2 ? size : size * from.within(1);
    all.insert(all.end(), {x, y, z});
  }
  return all;
}

Shape shape(Bytes& from, const std::vector<double>& hull) {
  constexpr ShapeType types[] = {ShapeType::plane,    ShapeType::sphere, ShapeType::capsule, ShapeType::ellipsoid,
                                 ShapeType::cylinder, ShapeType::box,    ShapeType::mesh};
  Shape shape = {types[from.below(7)], pose(from), {length(from), length(from), length(from)}};
  if (shape.type != ShapeType::mesh) return shape;
  shape.n_vertices = static_cast<int>(hull.size() / 3);
  shape.vertices = hull.data();
  shape.size = Vector::zero();
  for (std::size_t k = 0; k < hull.size(); k += 3)
    shape.size = {std::max(shape.size.x, std::abs(hull[k])), std::max(shape.size.y, std::abs(hull[k + 1])),
                  std::max(shape.size.z, std::abs(hull[k + 2]))};
  return shape;
}

/// How far two shapes are apart along a direction.
double apart_along(const Shape& a, const Shape& b, const Vector& n) {
  Shape near_a = a, near_b = b;
  near_b.pose.p = b.pose.p - a.pose.p;
  near_a.pose.p = Vector::zero();
  const Vector on_a = tandem::support_point(near_a, n), on_b = tandem::support_point(near_b, -n);
  return dot(n, on_b - on_a) - tandem::radius_around(a) - tandem::radius_around(b);
}

/// The least of the lengths that a shape has; of a mesh its extent.
double least_length(const Shape& shape) {
  const double *const size = &shape.size.x, hull = std::max({shape.size.x, shape.size.y, shape.size.z});
  if (shape.type == ShapeType::mesh) return hull > 0 ? hull : 1;
  return *std::min_element(size, size + tandem::size_count(shape.type));
}

void check_alone(const Shape& a, const Shape& b, const std::vector<ContactPoint<double>>& found) {
  const double scale = norm(a.size) + norm(b.size) + norm(b.pose.p - a.pose.p);
  double least = tandem::no_contact;
  Vector normal = Vector::zero();
  for (const ContactPoint<double>& c : found) {
    require(std::isfinite(c.distance) && std::isfinite(norm(c.position)), "contacts are finite");
    require(std::abs(norm(c.normal) - 1) < 1e-9, "a normal is a unit vector");
    if (!(c.distance < least)) continue;
    least = c.distance;
    normal = c.normal;
  }
  if (a.type == ShapeType::plane) return;
  if (a.type == ShapeType::box && b.type == ShapeType::box && least < 0) return;  // faces count before edges
  if (a.type == ShapeType::capsule && b.type == ShapeType::box && least < -0.99 * a.size.x) return;  // of its balls
  if (least_length(a) < 1e-4 * scale || least_length(b) < 1e-4 * scale) return;
  require(std::abs(apart_along(a, b, normal) - least) < 1e-4 * scale, "a distance is that along its normal",
          std::to_string(least) + " and " + std::to_string(apart_along(a, b, normal)));
}

/// Both shapes in lane 1, and others of their types in lane 0.
void check_lanes(const Shape (&a)[2], const Shape (&b)[2], double margin) {
  using Lanes = tandem::Pack<double, 2>;
  const auto packed = [](const Shape (&shapes)[2]) {
    const auto both = [&](auto get) {
      Lanes x;
      for (int lane = 0; lane < 2; ++lane) x.lanes[lane] = get(shapes[lane]);
      return x;
    };
    const auto vector = [&](auto get) {
      return tandem::Vec3<Lanes>{both([&](const Shape& s) { return get(s).x; }),
                                 both([&](const Shape& s) { return get(s).y; }),
                                 both([&](const Shape& s) { return get(s).z; })};
    };
    return PlacedShape<Lanes>{shapes[1].type,
                              {{vector([](const Shape& s) { return s.pose.R.row0; }),
                                vector([](const Shape& s) { return s.pose.R.row1; }),
                                vector([](const Shape& s) { return s.pose.R.row2; })},
                               vector([](const Shape& s) { return s.pose.p; })},
                              vector([](const Shape& s) { return s.size; }),
                              shapes[1].n_vertices,
                              shapes[1].vertices};
  };
  ContactPoint<Lanes> together[tandem::most_contact_slots];
  ContactPoint<double> alone[tandem::most_contact_slots];
  tandem::pair_contacts(packed(a), packed(b), together, margin);
  tandem::pair_contacts(a[1], b[1], alone, margin);
  for (int slot = 0; slot < tandem::contact_slots(a[1].type, b[1].type); ++slot) {
    const double distance = together[slot].distance.lanes[1];
    require((distance < margin) == (alone[slot].distance < margin), "a lane touches as it does alone");
    if (!(distance < margin)) continue;
    require(distance == alone[slot].distance && together[slot].normal.x.lanes[1] == alone[slot].normal.x &&
                together[slot].position.z.lanes[1] == alone[slot].position.z,
            "a lane has the bits that it has alone");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > longest_input) return -1;
  Bytes from(std::string_view(reinterpret_cast<const char*>(data), size));
  const std::vector<double> hulls[] = {vertices(from), vertices(from)};
  Shape a[2], b[2];
  a[1] = shape(from, hulls[0]);
  b[1] = shape(from, hulls[1]);
  if (b[1].type < a[1].type) std::swap(a[1], b[1]);
  const int slots = tandem::contact_slots(a[1].type, b[1].type);
  if (slots == 0) return 0;
  std::vector<ContactPoint<double>> found(tandem::most_contact_slots);
  tandem::pair_contacts(a[1], b[1], found.data());
  found.resize(static_cast<std::size_t>(slots));
  check_alone(a[1], b[1], found);
  a[0] = a[1];
  b[0] = b[1];
  a[0].pose = pose(from);
  double* const spoilt[] = {&a[0].pose.p.x, &a[0].pose.R.row0.x, &b[0].pose.p.z, &b[0].pose.R.row2.y};
  if (const int which = from.below(8); which < 4) *spoilt[which] = from.number();
  for (const double margin : {0.0, 0.1, tandem::no_contact}) check_lanes(a, b, margin);
  return 0;
}
