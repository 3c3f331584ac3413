// SPDX-License-Identifier: Apache-2.0
#include "mjcf_write_shapes.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>

#include "core/text.hpp"

namespace tandem::io {

namespace {

/// A type that MJCF can be written with.
const char* mjcf_type(ShapeType type) {
  switch (type) {
    case ShapeType::plane:
    case ShapeType::sphere:
    case ShapeType::capsule:
    case ShapeType::ellipsoid:
    case ShapeType::cylinder:
    case ShapeType::box:
    case ShapeType::mesh: return to_string(type);
    default: return nullptr;
  }
}

bool can_be_written(const ShapeDescription& shape) { return shape.unread.empty() && mjcf_type(shape.type) != nullptr; }

}  // namespace

void MjcfShapeWriter::write_options() {
  const ContactSettings& settings = d_.contact_settings();
  const bool flags = !settings.enabled || !settings.filter_parent;
  if (flags)
    xml_.open("option");
  else
    xml_.leaf("option");
  xml_.attribute("gravity", d_.gravity());
  if (!d_.shapes().empty() || settings != ContactSettings{}) {
    const bool is_disc = settings.cone == FrictionCone::disc;  // which is a problem of the robot
    xml_.attribute("cone", is_disc ? "elliptic" : to_string(settings.cone)).attribute("impratio", settings.impratio);
    if (settings.timestep > 0) xml_.attribute("timestep", settings.timestep);
    if (!settings.integrator.empty()) xml_.attribute("integrator", settings.integrator);
  }
  if (!flags) return;
  xml_.leaf("flag");
  if (!settings.enabled) xml_.attribute("contact", "disable");
  if (!settings.filter_parent) xml_.attribute("filterparent", "disable");
  xml_.close("option");
}

void MjcfShapeWriter::write_meshes() {
  const auto has_vertices = [](const ShapeDescription& shape) {
    return can_be_written(shape) && shape.type == ShapeType::mesh;
  };
  if (std::ranges::none_of(d_.shapes(), has_vertices)) return;
  xml_.open("asset");
  for (const ShapeDescription& shape : d_.shapes()) {
    if (!has_vertices(shape)) continue;
    std::vector<double> numbers;
    for (const auto& vertex : shape.vertices) numbers.insert(numbers.end(), vertex.begin(), vertex.end());
    xml_.leaf("mesh").attribute("name", shape.name).attribute("vertex", numbers);
  }
  xml_.close("asset");
}

/// Those that differ from MuJoCo's defaults.
void MjcfShapeWriter::write_parameters(const ContactSoftness& softness) {
  const ContactSoftness usual;
  if (softness.solref != usual.solref) xml_.attribute("solref", softness.solref);
  if (softness.solimp != usual.solimp) xml_.attribute("solimp", softness.solimp);
  if (softness.margin != 0) xml_.attribute("margin", softness.margin);
  if (softness.gap != 0) xml_.attribute("gap", softness.gap);
}

void MjcfShapeWriter::write_shapes(const std::string& link) {
  const ShapeDescription usual;
  for (const ShapeDescription& shape : d_.shapes()) {
    if (shape.link != link || !can_be_written(shape)) continue;
    xml_.leaf("geom").attribute("name", shape.name).attribute("type", mjcf_type(shape.type));
    if (shape.type == ShapeType::mesh)
      xml_.attribute("mesh", shape.name);
    else if (shape.type == ShapeType::plane)
      xml_.attribute("size", std::array<double, 3>{0, 0, 1});  // infinite; the last is for the picture
    else
      xml_.attribute("size",
                     std::span<const double>(shape.size).first(static_cast<std::size_t>(size_count(shape.type))));
    write_place(xml_, shape.placement);
    xml_.attribute("mass", 0);
    for (const auto& [name, given, otherwise] : {std::tuple{"contype", shape.contype, usual.contype},
                                                 {"conaffinity", shape.conaffinity, usual.conaffinity},
                                                 {"condim", shape.condim, usual.condim},
                                                 {"priority", shape.priority, usual.priority}})
      if (given != otherwise) xml_.attribute(name, std::to_string(given));
    if (shape.friction != usual.friction) xml_.attribute("friction", shape.friction);
    if (shape.solmix != usual.solmix) xml_.attribute("solmix", shape.solmix);
    write_parameters(shape.softness);
  }
}

bool MjcfShapeWriter::is_written(const std::string& shape, const BodiesOfLinks& bodies) const {
  const ShapeDescription* found = d_.find_shape(shape);
  return found != nullptr && can_be_written(*found) && bodies.contains(found->link);
}

void MjcfShapeWriter::write_pairs(const BodiesOfLinks& bodies) {
  if (d_.contact_pairs().empty() && d_.contact_excludes().empty()) return;
  xml_.open("contact");
  for (const ContactPairDescription& pair : d_.contact_pairs()) {
    if (!is_written(pair.shape_1, bodies) || !is_written(pair.shape_2, bodies)) continue;
    xml_.leaf("pair").attribute("name", pair.name).attribute("geom1", pair.shape_1).attribute("geom2", pair.shape_2);
    xml_.attribute("condim", std::to_string(pair.condim)).attribute("friction", pair.friction);
    if (pair.solreffriction != std::array<double, 2>{}) xml_.attribute("solreffriction", pair.solreffriction);
    xml_.attribute("solref", pair.softness.solref).attribute("solimp", pair.softness.solimp);
    xml_.attribute("margin", pair.softness.margin).attribute("gap", pair.softness.gap);
  }
  for (const ContactExcludeDescription& exclude : d_.contact_excludes()) {
    const auto body_1 = bodies.find(exclude.link_1), body_2 = bodies.find(exclude.link_2);
    if (body_1 == bodies.end() || body_2 == bodies.end() || body_1 == body_2) continue;
    xml_.leaf("exclude");
    if (!exclude.name.empty()) xml_.attribute("name", exclude.name);
    xml_.attribute("body1", body_1->second).attribute("body2", body_2->second);
  }
  xml_.close("contact");
}

bool MjcfShapeWriter::has_some_on(const std::string& link) const {
  return std::ranges::any_of(d_.shapes(), [&](const ShapeDescription& shape) { return shape.link == link; });
}

std::vector<std::string> MjcfShapeWriter::left_out(const BodiesOfLinks& bodies) const {
  std::vector<std::string> all;
  for (const Problem& problem : d_.contact_problems()) all.push_back(to_string(problem));
  for (const ShapeDescription& shape : d_.shapes())
    if (!can_be_written(shape))
      all.push_back(sentence(element("shape", shape.name), ": ",
                             shape.unread.empty() ? sentence("is a ", to_string(shape.type)) : shape.unread));
    else if (!bodies.contains(shape.link))
      all.push_back(sentence(element("shape", shape.name), ": is on ", element("link", shape.link),
                             ", which has no mass and became a joint"));
  for (const ContactPairDescription& pair : d_.contact_pairs())
    if (!is_written(pair.shape_1, bodies) || !is_written(pair.shape_2, bodies))
      all.push_back(sentence(element("contact pair", pair.name), ": one of its shapes is not written"));
  return all;
}

}  // namespace tandem::io
