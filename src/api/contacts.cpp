// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/contacts.hpp"

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

}  // namespace

std::vector<Contact> contacts(const ContactSet& set, std::span<const double> q) {
  const Model& model = set.model();
  if (q.size() != at(model.nq()))
    throw Error(sentence("contacts: q has ", q.size(), " numbers, expected ", model.nq(),
                         ": this robot has nq = ", model.nq()));
  std::vector<double> frames(12 * at(model.n_frames()));
  Workspace<double> work;
  forward_kinematics<double>(model, q, frames, work);
  std::vector<PlacedShape<double>> shapes;
  for (const ContactShape& shape : contact_shapes(model)) shapes.push_back(placed(shape, frames));
  std::vector<Contact> all(at(set.n_slots()));
  for (const ContactPair& pair : set.pairs()) {
    ContactPoint<double> points[most_contact_slots];
    pair_contacts(shapes[at(pair.shape_1)], shapes[at(pair.shape_2)], points);
    for (int k = 0; k < pair.slots; ++k) all[at(pair.first_slot + k)] = contact_of(points[k]);
  }
  return all;
}

}  // namespace tandem
