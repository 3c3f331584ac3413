// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/contacts.hpp"

#include "backends/cpu/near_shapes.hpp"
#include "contact_solve.hpp"
#include "core/at.hpp"
#include "core/text.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/detail/contact/pair.hpp"
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

std::vector<PlacedShape<double>> placed_shapes(const char* function, const Model& model, std::span<const double> q) {
  if (q.size() != at(model.nq()))
    throw Error(sentence(function, ": q has ", q.size(), " numbers, expected ", model.nq(),
                         ": this robot has nq = ", model.nq()));
  std::vector<double> frames(12 * at(model.n_frames()));
  Workspace<double> work;
  forward_kinematics<double>(model, q, frames, work);
  std::vector<PlacedShape<double>> shapes;
  for (const ContactShape& shape : contact_shapes(model)) shapes.push_back(placed(shape, frames));
  return shapes;
}

}  // namespace

std::vector<Contact> contacts(const ContactSet& set, std::span<const double> q) {
  const auto shapes = placed_shapes("contacts", set.model(), q);
  std::vector<Contact> all(at(set.n_slots()));
  for (const ContactPair& pair : set.pairs()) {
    ContactPoint<double> points[most_contact_slots];
    pair_contacts(shapes[at(pair.shape_1)], shapes[at(pair.shape_2)], points);
    for (int k = 0; k < pair.slots; ++k) all[at(pair.first_slot + k)] = contact_of(points[k]);
  }
  return all;
}

std::vector<FoundContact> found_contacts(const ContactSet& set, std::span<const double> q) {
  const auto shapes = placed_shapes("found_contacts", set.model(), q);
  if (!set.finds_pairs()) return {};
  std::vector<double> origins, reach;
  for (const PlacedShape<double>& shape : shapes)
    origins.insert(origins.end(), {shape.pose.p.x, shape.pose.p.y, shape.pose.p.z});
  for (const ContactShape& shape : contact_shapes(set.model())) reach.push_back(reach_of(shape));
  NearShapes near(set, reach);
  near.add(origins.data());
  near.close();
  std::vector<FoundContact> all;
  for (const auto& [later, other] : std::span(near.pairs(), static_cast<std::size_t>(near.n()))) {
    const ContactPair pair = set.found_pair(later, other);
    const PlacedShape<double>&one = shapes[at(pair.shape_1)], &two = shapes[at(pair.shape_2)];
    ContactPoint<double> points[most_contact_slots];
    pair_contacts(one, two, points, pair.softness.margin);
    for (int slot = 0; slot < contact_slots(one.type, two.type); ++slot)
      if (points[slot].distance < pair.softness.margin)
        all.push_back({pair.shape_1, pair.shape_2, slot, contact_of(points[slot])});
  }
  return all;
}

}  // namespace tandem
