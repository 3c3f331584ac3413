// SPDX-License-Identifier: Apache-2.0
/// Shapes of a model that MuJoCo has compiled, and what it says of their contacts.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/at.hpp"
#include "mjcf_parts.hpp"

namespace tandem::io {

namespace {

constexpr const char* integrators[] = {"Euler", "RK4", "implicit", "implicitfast", "discrete"};

bool any_of(const auto& numbers) {
  return std::ranges::any_of(numbers, [](double x) { return x != 0; });
}

}  // namespace

/// Shapes that have a bit, or that an explicit pair names.
std::vector<bool> MujocoReader::touching_shapes() const {
  std::vector<bool> touches(m_.geom_bodyid.size());
  for (std::size_t g = 0; g < touches.size(); ++g)
    touches[g] = of(m_.geom_contype, static_cast<int>(g)) != 0 || of(m_.geom_conaffinity, static_cast<int>(g)) != 0;
  for (const std::vector<int>* ends : {&m_.pair_geom1, &m_.pair_geom2})
    for (const int g : *ends) touches[at(g)] = true;
  return touches;
}

/// The corners of the convex hull; all vertices where MuJoCo has made none.
std::vector<std::array<double, 3>> MujocoReader::hull_of(int mesh) const {
  const int first = of(m_.mesh_vertadr, mesh), graph = of(m_.mesh_graphadr, mesh, -1);
  std::vector<std::array<double, 3>> corners;
  if (graph < 0) {
    for (int k = 0; k < of(m_.mesh_vertnum, mesh); ++k) corners.push_back(row<3>(m_.mesh_vert, first + k));
    return corners;
  }
  const int n = of(m_.mesh_graph, graph), vertices = graph + 2 + n;
  for (int k = 0; k < n; ++k) corners.push_back(row<3>(m_.mesh_vert, first + of(m_.mesh_graph, vertices + k)));
  return corners;
}

ShapeDescription MujocoReader::shape_of(int g, const std::string& name) const {
  ShapeDescription shape;
  shape.name = name;
  shape.source = source("geom", name);
  shape.link = body_names_[at(of(m_.geom_bodyid, g))];
  shape.placement = pose(row<3>(m_.geom_pos, g), row<4>(m_.geom_quat, g));
  shape.type = static_cast<ShapeType>(of(m_.geom_type, g));
  shape.unread = of(m_.geom_unread, g);
  const auto size = row<3>(m_.geom_size, g);
  for (int k = 0; k < size_count(shape.type) && shape.unread.empty(); ++k) shape.size[at(k)] = size[at(k)];
  if (shape.type == ShapeType::mesh && shape.unread.empty()) shape.vertices = hull_of(of(m_.geom_dataid, g));
  shape.condim = of(m_.geom_condim, g, 3);
  shape.contype = of(m_.geom_contype, g);
  shape.conaffinity = of(m_.geom_conaffinity, g);
  shape.priority = of(m_.geom_priority, g);
  shape.solmix = of(m_.geom_solmix, g, 1.0);
  shape.friction = row<3>(m_.geom_friction, g);
  shape.softness.solref = row<2>(m_.geom_solref, g);
  shape.softness.solimp = row<5>(m_.geom_solimp, g);
  shape.softness.margin = of(m_.geom_margin, g);
  shape.softness.gap = of(m_.geom_gap, g);
  return shape;
}

void MujocoReader::add_shapes() {
  const int n = static_cast<int>(m_.geom_bodyid.size());
  if (n > 0 && m_.geom_type.empty()) {
    robot_.contact_problem({file_, 0, {}}, "the types of shapes were not given");
    return;
  }
  const std::vector<bool> touches = touching_shapes();
  Taken taken;
  std::vector<std::string> names = names_of(m_.name_geomadr, "geom", n, taken);
  bool margins = false;
  for (int g = 0; g < n; ++g) {
    if (!touches[at(g)]) continue;
    ShapeDescription shape = shape_of(g, names[at(g)]);
    margins = margins || shape.softness.margin != 0 || shape.softness.gap != 0;
    if (any_of(row<6>(m_.geom_surfacevel, g)))
      robot_.contact_problem(shape.source, "the velocity of its surface is left out");
    if (of(m_.geom_adhesion, g) != 0) robot_.contact_problem(shape.source, "its adhesion is left out");
    robot_.shape(std::move(shape));
  }
  Taken pair_names;
  for (int k = 0; k < static_cast<int>(m_.pair_geom1.size()); ++k) {
    ContactPairDescription pair;
    pair.name = pair_names.take(name_of(m_.name_pairadr, "pair", k), "_");
    pair.source = source("pair", pair.name);
    pair.shape_1 = names[at(of(m_.pair_geom1, k))];
    pair.shape_2 = names[at(of(m_.pair_geom2, k))];
    pair.condim = of(m_.pair_dim, k, 3);
    pair.friction = row<5>(m_.pair_friction, k);
    pair.solreffriction = row<2>(m_.pair_solreffriction, k);
    pair.softness.solref = row<2>(m_.pair_solref, k);
    pair.softness.solimp = row<5>(m_.pair_solimp, k);
    pair.softness.margin = of(m_.pair_margin, k);
    pair.softness.gap = of(m_.pair_gap, k);
    margins = margins || pair.softness.margin != 0 || pair.softness.gap != 0;
    if (of(m_.pair_adhesion, k) != 0) robot_.contact_problem(pair.source, "its adhesion is left out");
    robot_.contact_pair(std::move(pair));
  }
  for (int k = 0; k < static_cast<int>(m_.exclude_signature.size()); ++k) {
    const int both = of(m_.exclude_signature, k);
    const std::string name = given_name(m_.name_excludeadr, k);
    robot_.contact_exclude({.name = name,
                            .link_1 = body_names_[at(both >> 16)],
                            .link_2 = body_names_[at(both & 0xFFFF)],
                            .source = source("exclude", name)});
  }
  if (margins && !m_.margins_add)
    robot_.contact_problem({file_, 0, {}},
                           "margins of shapes are those of a MuJoCo before 4.0, which had the larger "
                           "one count; they are read as those of 4.0, which adds both");
  if (m_.overrides)
    robot_.contact_problem({file_, 0, {}}, "the option that overrides the parameters of contacts is left out");
  for (int k = 0; k < static_cast<int>(m_.name_flexadr.size()); ++k) {
    const std::string name = name_of(m_.name_flexadr, "flex", k);
    robot_.contact_problem(source("flex", name), "is left out");
  }
  for (std::size_t k = 0; k < m_.text_adr.size(); ++k)
    if (given_name(m_.name_textadr, static_cast<int>(k)).starts_with(contact_problem_field))
      robot_.contact_problem({file_, 0, {}}, m_.text_data.c_str() + std::min(at(m_.text_adr[k]), m_.text_data.size()));
  ContactSettings settings;
  settings.cone = m_.cone == 1 ? FrictionCone::elliptic : FrictionCone::pyramidal;
  settings.impratio = m_.impratio;
  settings.timestep = m_.timestep;
  if (m_.integrator >= 0 && at(m_.integrator) < std::size(integrators))
    settings.integrator = integrators[m_.integrator];
  settings.enabled = m_.contacts;
  settings.filter_parent = m_.filter_parent;
  robot_.contact_settings(std::move(settings));
}

}  // namespace tandem::io
