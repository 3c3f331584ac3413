// SPDX-License-Identifier: Apache-2.0
/// Shapes that touch, from a description to a model and back.
#include "shapes.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/text.hpp"
#include "description.hpp"
#include "storage.hpp"

namespace tandem {

using model_detail::storage_of;

std::span<const ContactShape> contact_shapes(const Model& model) { return storage_of(model).shapes; }

int find_contact_shape(const Model& model, std::string_view name) { return storage_of(model).shape_names.find(name); }

int contact_shape_index(const Model& model, std::string_view name) {
  if (const int shape = find_contact_shape(model, name); shape >= 0) return shape;
  const model_detail::Names& names = storage_of(model).shape_names;
  throw Error(sentence(element("robot", model.name()), " has no shape ", in_quotes(name),
                       model_detail::suggestion(name, {{&names, names.size()}})));
}

const ContactSettings& contact_settings(const Model& model) { return storage_of(model).contact_settings; }
std::span<const ContactSoftness> limit_softness(const Model& model) { return storage_of(model).limit_softness; }
std::span<const ContactSoftness> friction_softness(const Model& model) { return storage_of(model).friction_softness; }
std::span<const CarriedMass> carried_masses(const Model& model) { return storage_of(model).carried_masses; }
std::span<const AngleLimit> angle_limits(const Model& model) { return storage_of(model).angle_limits; }

}  // namespace tandem

namespace tandem::model_detail {

namespace {

/// Checks of one element, which is named in every problem.
class ShapeCheck {
 public:
  ShapeCheck(Findings& findings, Source where) : findings_(findings), where_(std::move(where)) {}

  template <class... Part>
  void problem(const Part&... parts) {
    findings_.problem(where_, parts...);
  }
  void name(const std::string& given, const char* kind, Names& taken) {
    if (given.empty())
      problem(kind, " without a name");
    else if (const int before = taken.size(); taken.add(given) != before)
      problem("duplicate ", kind, " name ", in_quotes(given));
  }
  void exists(const char* kind, const std::string& given, const Names& names) {
    if (names.find(given) < 0) problem(element(kind, given), " does not exist", findings_.suggestion(given, names));
  }
  void condim(int given) {
    if (given != 1 && given != 3 && given != 4 && given != 6) problem("condim is ", given, ", expected 1, 3, 4 or 6");
  }
  void at_least_zero(const char* what, std::span<const double> given) {
    for (const double x : given)
      if (!(x >= 0) || std::isinf(x)) return problem(what, " is ", x, ", expected a finite number of 0 or more");
  }
  void softness(const ContactSoftness& given) {
    if (!finite(given.solref)) problem("solref is not finite");
    if (!finite(given.solimp)) problem("solimp is not finite");
    if (!std::isfinite(given.margin) || !std::isfinite(given.gap)) problem("margin or gap is not finite");
  }

 private:
  Findings& findings_;
  Source where_;
};

void check_form(const ShapeDescription& shape, ShapeCheck& check) {
  if (*to_string(shape.type) == '\0')
    return check.problem("type is ", static_cast<int>(shape.type), ", expected one of ",
                         comma_separated(NamesOf<ShapeType>::table, [](const Named& kind) { return kind.name; }));
  if (!shape.unread.empty()) return;
  const auto n = static_cast<std::size_t>(size_count(shape.type));
  for (std::size_t k = 0; k < n; ++k)
    if (!(shape.size[k] > 0) || std::isinf(shape.size[k]))
      return check.problem("size of a ", to_string(shape.type), " is ", shape.size[k],
                           ", expected a finite number above 0");
  for (const auto& vertex : shape.vertices)
    if (!finite(vertex)) return check.problem("has a vertex that is not finite");
  if (shape.type == ShapeType::mesh && shape.vertices.empty()) check.problem("is a mesh without vertices");
}

ContactPair pair_of(const ContactPairDescription& pair, const Storage& storage) {
  ContactPair built;
  built.shape_1 = storage.shape_names.find(pair.shape_1);
  built.shape_2 = storage.shape_names.find(pair.shape_2);
  built.name = pair.name;
  built.condim = pair.condim;
  built.friction = pair.friction;
  built.solreffriction = pair.solreffriction;
  built.softness = pair.softness;
  return built;
}

}  // namespace

void check_shapes(const Description& d, const Tree& tree, Findings& findings) {
  Names names, pair_names;
  for (const ShapeDescription& shape : d.shapes()) {
    ShapeCheck check(findings, d.where(shape));
    check.name(shape.name, "shape", names);
    check.exists("link", shape.link, tree.links);
    check_form(shape, check);
    check.condim(shape.condim);
    check.at_least_zero("friction", shape.friction);
    check.at_least_zero("solmix", {&shape.solmix, 1});
    check.softness(shape.softness);
  }
  for (const ContactPairDescription& pair : d.contact_pairs()) {
    ShapeCheck check(findings, d.where(pair));
    check.name(pair.name, "contact pair", pair_names);
    for (const std::string& shape : {pair.shape_1, pair.shape_2}) check.exists("shape", shape, names);
    if (pair.shape_1 == pair.shape_2) check.problem("has one shape twice, expected two");
    check.condim(pair.condim);
    check.at_least_zero("friction", pair.friction);
    if (!finite(pair.solreffriction)) check.problem("solreffriction is not finite");
    check.softness(pair.softness);
  }
  for (const ContactExcludeDescription& exclude : d.contact_excludes()) {
    ShapeCheck check(findings, d.where(exclude));
    for (const std::string& link : {exclude.link_1, exclude.link_2}) check.exists("link", link, tree.links);
  }
  const ContactSettings& settings = d.contact_settings();
  if (!(settings.impratio > 0) || std::isinf(settings.impratio))
    findings.problem(d.where(), "impratio is ", settings.impratio, ", expected a finite number above 0");
  if (!(settings.timestep >= 0) || std::isinf(settings.timestep))
    findings.problem(d.where(), "timestep is ", settings.timestep, ", expected a finite number of 0 or more");
  constexpr std::string_view integrators[] = {"", "Euler", "RK4", "implicit", "implicitfast", "discrete"};
  if (std::ranges::find(integrators, settings.integrator) == std::end(integrators))
    findings.problem(d.where(), "integrator is ", in_quotes(settings.integrator),
                     ", expected Euler, RK4, implicit, implicitfast or discrete");
  if (*to_string(settings.cone) == '\0')
    findings.problem(d.where(), "friction cone is ", static_cast<int>(settings.cone),
                     ", expected pyramidal, elliptic or disc");
}

void store_shapes(const Description& d, const Tree& tree, const std::vector<int>& frame, Storage& storage) {
  const auto frame_of = [&](const std::string& link) { return frame[at(tree.links.find(link))]; };
  for (const ShapeDescription& shape : d.shapes()) {
    ContactShape built;
    built.name = shape.name;
    built.frame = frame_of(shape.link);
    built.link = storage.view.frame_link[built.frame];
    built.type = shape.type;
    built.placement = shape.placement;
    built.size = shape.size;
    built.vertices = shape.vertices;
    built.unread = shape.unread;
    built.condim = shape.condim;
    built.friction = shape.friction;
    built.contype = shape.contype;
    built.conaffinity = shape.conaffinity;
    built.priority = shape.priority;
    built.solmix = shape.solmix;
    built.softness = shape.softness;
    built.com = d.link(tree.links.find(shape.link)).com;
    storage.shape_names.add(shape.name);
    storage.shapes.push_back(std::move(built));
  }
  for (const ContactPairDescription& pair : d.contact_pairs()) storage.contact_pairs.push_back(pair_of(pair, storage));
  for (const ContactExcludeDescription& exclude : d.contact_excludes())
    storage.contact_excludes.push_back({exclude.name, frame_of(exclude.link_1), frame_of(exclude.link_2)});
  storage.contact_settings = d.contact_settings();
  storage.contact_problems = d.contact_problems();
}

void describe_shapes(const Model& m, ModelBuilder& robot) {
  const Storage& storage = storage_of(m);
  const auto link_of = [&](int frame) { return std::string(m.frame_name(frame)); };
  for (const ContactShape& shape : storage.shapes)
    robot.shape({.name = shape.name,
                 .link = link_of(shape.frame),
                 .type = shape.type,
                 .placement = shape.placement,
                 .size = shape.size,
                 .vertices = shape.vertices,
                 .unread = shape.unread,
                 .condim = shape.condim,
                 .friction = shape.friction,
                 .contype = shape.contype,
                 .conaffinity = shape.conaffinity,
                 .priority = shape.priority,
                 .solmix = shape.solmix,
                 .softness = shape.softness});
  for (const ContactPair& pair : storage.contact_pairs)
    robot.contact_pair({.name = pair.name,
                        .shape_1 = storage.shapes[at(pair.shape_1)].name,
                        .shape_2 = storage.shapes[at(pair.shape_2)].name,
                        .condim = pair.condim,
                        .friction = pair.friction,
                        .solreffriction = pair.solreffriction,
                        .softness = pair.softness});
  for (const ContactExclude& exclude : storage.contact_excludes)
    robot.contact_exclude(
        {.name = exclude.name, .link_1 = link_of(exclude.frame_1), .link_2 = link_of(exclude.frame_2)});
  robot.contact_settings(storage.contact_settings);
  for (const Problem& problem : storage.contact_problems) robot.contact_problem(problem.source, problem.message);
}

void copy_shapes(const ModelBuilder& from, ModelBuilder& to) {
  for (const ShapeDescription& shape : from.shapes()) to.shape(shape);
  for (const ContactPairDescription& pair : from.contact_pairs()) to.contact_pair(pair);
  for (const ContactExcludeDescription& exclude : from.contact_excludes()) to.contact_exclude(exclude);
  to.contact_settings(from.contact_settings());
  for (const Problem& problem : from.contact_problems()) to.contact_problem(problem.source, problem.message);
}

}  // namespace tandem::model_detail
