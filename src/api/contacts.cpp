// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact_solve.hpp"
#include "core/at.hpp"
#include "core/text.hpp"
#include "tandem/error.hpp"

namespace tandem {

namespace {

/// Rows of [R | p] of a frame, then the shape in it.
ShapePose<double> placed(const double* frame, const Pose& shape) {
  const auto row = [&](int k) { return Vec3<double>{frame[4 * k], frame[4 * k + 1], frame[4 * k + 2]}; };
  const Mat3<double> R = {row(0), row(1), row(2)};
  const std::array<double, 9>& S = shape.rotation;
  const std::array<double, 3>& p = shape.position;
  const Mat3<double> own = {{S[0], S[1], S[2]}, {S[3], S[4], S[5]}, {S[6], S[7], S[8]}};
  return {R * own, R * Vec3<double>{p[0], p[1], p[2]} + Vec3<double>{frame[3], frame[7], frame[11]}};
}

PlacedShape<double> placed(const ContactShape& shape, const std::vector<double>& frames) {
  return {shape.type, placed(frames.data() + 12 * at(shape.frame), shape.placement),
          Vec3<double>{shape.size[0], shape.size[1], shape.size[2]}, static_cast<int>(shape.vertices.size()),
          shape.vertices.empty() ? nullptr : shape.vertices.front().data()};
}

Contact contact_of(const ContactPoint<double>& point) {
  if (!(point.distance < no_contact)) return {};
  const auto& [n, t, s] = contact_frame(point);
  return {point.distance,
          {point.position.x, point.position.y, point.position.z},
          {n.x, n.y, n.z, t.x, t.y, t.z, s.x, s.y, s.z}};
}

double radius_of(const ContactShape& shape) {
  const auto& [x, y, z] = shape.size;
  switch (shape.type) {
    case ShapeType::plane: return std::numeric_limits<double>::infinity();
    case ShapeType::sphere: return x;
    case ShapeType::capsule: return x + y;
    case ShapeType::ellipsoid: return std::max({x, y, z});
    case ShapeType::cylinder: return std::hypot(x, y);
    case ShapeType::box: return std::hypot(x, y, z);
    default: break;  // a mesh
  }
  double most = 0;
  for (const auto& p : shape.vertices) most = std::max(most, std::hypot(p[0], p[1], p[2]));
  return most;
}

/// Whether the spheres about two shapes are farther apart than a margin; false for NaN.
bool are_apart(const PlacedShape<double>& one, double radius_1, const PlacedShape<double>& two, double radius_2,
               double margin) {
  const Vec3<double> between = two.pose.p - one.pose.p;
  if (one.type == ShapeType::plane) return radius_2 + margin < dot(one.pose.axis_z(), between);
  const double reach = radius_1 + radius_2 + margin;
  return 0 < reach && reach * reach < dot(between, between);
}

}  // namespace

void find_contacts(const ContactSet& set, std::span<const double> q, bool near, std::span<Contact> found,
                   ContactFinderWork& work) {
  const Model& model = set.model();
  work.frames.resize(12 * at(model.n_frames()));
  forward_kinematics<double>(model, q, work.frames, work.kinematics);
  work.shapes.clear();
  for (const ContactShape& shape : contact_shapes(model)) work.shapes.push_back(placed(shape, work.frames));
  if (near && work.radii.empty())
    for (const ContactShape& shape : contact_shapes(model)) work.radii.push_back(radius_of(shape));
  for (const ContactPair& pair : set.pairs()) {
    const PlacedShape<double>&one = work.shapes[at(pair.shape_1)], &two = work.shapes[at(pair.shape_2)];
    if (near && are_apart(one, work.radii[at(pair.shape_1)], two, work.radii[at(pair.shape_2)], pair.softness.margin)) {
      std::fill_n(found.begin() + pair.first_slot, pair.slots, Contact{});
      continue;
    }
    ContactPoint<double> points[most_contact_slots];
    pair_contacts(one, two, points);
    for (int k = 0; k < pair.slots; ++k) found[at(pair.first_slot + k)] = contact_of(points[k]);
  }
}

std::vector<Contact> contacts(const ContactSet& set, std::span<const double> q) {
  const Model& model = set.model();
  if (q.size() != at(model.nq()))
    throw Error(sentence("contacts: q has ", q.size(), " numbers, expected ", model.nq(),
                         ": this robot has nq = ", model.nq()));
  std::vector<Contact> all(at(set.n_slots()));
  ContactFinderWork work;
  find_contacts(set, q, false, all, work);
  return all;
}

}  // namespace tandem
