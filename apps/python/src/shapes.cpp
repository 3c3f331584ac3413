// SPDX-License-Identifier: Apache-2.0
/// Shapes that touch: described, and of a model to read.
#include "shapes.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <vector>

#include "description.hpp"
#include "values.hpp"

namespace tandem::python {
namespace {

/// As many numbers as the type has; one may stand alone.
std::array<double, 3> size_from(nb::handle given, ShapeType type, const std::string& what) {
  std::vector<double> all;
  double one = 0;
  const bool alone = nb::try_cast(given, one);
  if (alone) all = {one};
  const auto n = static_cast<std::size_t>(size_count(type));
  if ((!alone && !nb::try_cast(given, all)) || all.size() != n)
    throw Error(what + ": size is " + nb::cast<std::string>(nb::repr(given)) + ", expected " + std::to_string(n) +
                " numbers of a " + to_string(type));
  std::array<double, 3> size{};
  std::copy(all.begin(), all.end(), size.begin());
  return size;
}

std::vector<std::array<double, 3>> vertices_from(nb::handle given, const std::string& what) {
  std::vector<std::array<double, 3>> vertices;
  if (given.is_none()) return vertices;
  const nb::object rows = nb::hasattr(given, "tolist") ? given.attr("tolist")() : nb::borrow(given);
  if (!nb::try_cast(rows, vertices)) throw Error(what + ": vertices are not rows of three numbers");
  return vertices;
}

ContactSoftness softness_from(nb::handle solref, nb::handle solimp, double margin, double gap,
                              const std::string& what) {
  return {numbers<2>(solref, what + ": solref"), numbers<5>(solimp, what + ": solimp"), margin, gap};
}

ModelBuilder& add_shape(ModelBuilder& self, const std::string& name, std::string_view type, const std::string& link,
                        nb::any size, nb::any position, nb::any rpy, nb::any quaternion, nb::any vertices, int condim,
                        nb::any friction, int contype, int conaffinity, int priority, double solmix, nb::any solref,
                        nb::any solimp, double margin, double gap) {
  const std::string what = "shape \"" + name + "\"";
  ShapeDescription shape;
  shape.name = name;
  shape.link = link;
  shape.type = from_name<ShapeType>(type);
  shape.placement = pose_from(position, rpy, quaternion, what);
  shape.size = size_from(size, shape.type, what);
  shape.vertices = vertices_from(vertices, what);
  shape.condim = condim;
  shape.friction = numbers<3>(friction, what + ": friction");
  shape.contype = contype;
  shape.conaffinity = conaffinity;
  shape.priority = priority;
  shape.solmix = solmix;
  shape.softness = softness_from(solref, solimp, margin, gap, what);
  return self.shape(std::move(shape));
}

/// A number that was given by its key, of the type of the member.
template <class T>
void set_number(T& member, nb::handle value, const std::string& what) {
  if (!nb::try_cast(value, member))
    throw Error(what + " is " + nb::cast<std::string>(nb::repr(value)) + ", expected a number");
}

ModelBuilder& change_shape(ModelBuilder& self, std::string_view name, const nb::kwargs& given) {
  const std::string what = "shape \"" + std::string(name) + "\"";
  return self.change_shape(name, [&](auto& shape) {
    nb::object position = nb::none(), rpy = nb::none(), quaternion = nb::none(), size = nb::none();
    for (const auto& [key_, value] : given) {
      const auto key = nb::cast<std::string>(key_);
      const std::string label = what + ": " + key;
      if (key == "rename")
        shape.name = nb::cast<std::string>(value);
      else if (key == "link")
        shape.link = nb::cast<std::string>(value);
      else if (key == "type")
        shape.type = from_name<ShapeType>(nb::cast<std::string>(value));
      else if (key == "size")
        size = nb::borrow(value);
      else if (key == "position")
        position = nb::borrow(value);
      else if (key == "rpy")
        rpy = nb::borrow(value);
      else if (key == "quaternion")
        quaternion = nb::borrow(value);
      else if (key == "vertices")
        shape.vertices = vertices_from(value, what);
      else if (key == "friction")
        shape.friction = numbers<3>(value, label);
      else if (key == "solref")
        shape.softness.solref = numbers<2>(value, label);
      else if (key == "solimp")
        shape.softness.solimp = numbers<5>(value, label);
      else if (key == "condim")
        set_number(shape.condim, value, label);
      else if (key == "contype")
        set_number(shape.contype, value, label);
      else if (key == "conaffinity")
        set_number(shape.conaffinity, value, label);
      else if (key == "priority")
        set_number(shape.priority, value, label);
      else if (key == "solmix")
        set_number(shape.solmix, value, label);
      else if (key == "margin")
        set_number(shape.softness.margin, value, label);
      else if (key == "gap")
        set_number(shape.softness.gap, value, label);
      else
        throw Error(what + ": change_shape has no argument " + key);
    }
    if (!size.is_none()) shape.size = size_from(size, shape.type, what);
    if (!size.is_none() || !shape.vertices.empty()) shape.unread.clear();
    place(shape.placement, position, rpy, quaternion, what);
  });
}

nb::dict get_shape(const ModelBuilder& b, std::string_view name) {
  const ShapeDescription* found = b.find_shape(name);
  if (!found) throw Error("robot \"" + b.name() + "\" has no shape \"" + std::string(name) + "\"");
  nb::list size;
  for (int k = 0; k < size_count(found->type); ++k) size.append(found->size[static_cast<std::size_t>(k)]);
  nb::dict d;
  d["name"] = found->name;
  d["type"] = to_string(found->type);
  d["link"] = found->link;
  d["size"] = nb::tuple(size);
  d["position"] = tuple_of(found->placement.position);
  d["quaternion"] = quaternion_of(found->placement);
  d["vertices"] = found->vertices;
  d["condim"] = found->condim;
  d["friction"] = tuple_of(found->friction);
  d["contype"] = found->contype;
  d["conaffinity"] = found->conaffinity;
  d["priority"] = found->priority;
  d["solmix"] = found->solmix;
  d["solref"] = tuple_of(found->softness.solref);
  d["solimp"] = tuple_of(found->softness.solimp);
  d["margin"] = found->softness.margin;
  d["gap"] = found->softness.gap;
  return d;
}

ModelBuilder& add_pair(ModelBuilder& self, const std::string& name, const std::string& shape_1,
                       const std::string& shape_2, int condim, nb::any friction, nb::any solref, nb::any solreffriction,
                       nb::any solimp, double margin, double gap) {
  const std::string what = "contact pair \"" + name + "\"";
  ContactPairDescription pair;
  pair.name = name;
  pair.shape_1 = shape_1;
  pair.shape_2 = shape_2;
  pair.condim = condim;
  pair.friction = numbers<5>(friction, what + ": friction");
  pair.solreffriction = numbers<2>(solreffriction, what + ": solreffriction");
  pair.softness = softness_from(solref, solimp, margin, gap, what);
  return self.contact_pair(std::move(pair));
}

ModelBuilder& set_settings(ModelBuilder& self, std::optional<std::string> cone, std::optional<double> impratio,
                           std::optional<double> timestep, std::optional<std::string> integrator,
                           std::optional<bool> enabled, std::optional<bool> filter_parent) {
  ContactSettings settings = self.contact_settings();
  if (cone) settings.cone = from_name<FrictionCone>(*cone);
  if (impratio) settings.impratio = *impratio;
  if (timestep) settings.timestep = *timestep;
  if (integrator) settings.integrator = *integrator;
  if (enabled) settings.enabled = *enabled;
  if (filter_parent) settings.filter_parent = *filter_parent;
  return self.contact_settings(std::move(settings));
}

nb::dict settings_of(const ContactSettings& settings) {
  nb::dict d;
  d["cone"] = to_string(settings.cone);
  d["impratio"] = settings.impratio;
  d["timestep"] = settings.timestep;
  d["integrator"] = settings.integrator;
  d["enabled"] = settings.enabled;
  d["filter_parent"] = settings.filter_parent;
  return d;
}

std::string shape_repr(const OneShape& s) {
  return "<tandem.ContactShape " + std::to_string(s.index) + " \"" + s.shape().name +
         "\": " + to_string(s.shape().type) + " on link \"" + std::string(s.model.link_name(s.shape().link)) + "\">";
}

constexpr const char* shape_doc = R"(A collision shape of a model.

Parameters have the meanings and names of MuJoCo. Lengths are in m.)";

constexpr const char* add_shape_doc = R"(Add a collision shape to a link.

type: 'plane' (infinite, z is its normal), 'sphere' (size: radius), 'capsule' and 'cylinder' (about z; size: radius,
half length of the cylinder), 'ellipsoid' (size: half axes), 'box' (size: half lengths of the edges) or 'mesh' (vertices
[n, 3] of its convex hull). size [m]; position [m], and rpy [rad, about fixed axes] or quaternion (x, y, z, w): in the
link's frame. condim: 1 (no friction), 3, 4 or 6; friction: sliding, torsional [m], rolling [m]. Two shapes can touch if
contype of one and conaffinity of the other have a common bit. priority, solmix, solref, solimp, margin [m], gap [m]: as
in MuJoCo.

>>> b = tandem.describe("arm7").shape("floor", "plane", "base_link").shape("tip", "sphere", "link7", size=0.05))";

constexpr const char* pair_doc =
    R"(Add an explicit contact pair: two shapes that can touch regardless of their links and bits, with own parameters.

friction: two sliding, torsional [m], two rolling [m]. solreffriction: solref of friction; (0, 0): that of the
normal.)";

void bind_builder_of_shapes(nb::module_& m) {
  using namespace nb::literals;
  const auto zero = nb::make_tuple(0.0, 0.0, 0.0);
  const auto solref = nb::make_tuple(0.02, 1.0), solimp = nb::make_tuple(0.9, 0.95, 0.001, 0.5, 2.0);
  const auto itself = nb::rv_policy::none;
  auto builder = nb::borrow<nb::class_<ModelBuilder>>(m.attr("ModelBuilder"));
  builder
      .def("shape", &add_shape, "name"_a, "type"_a, "link"_a, nb::kw_only(), "size"_a = nb::make_tuple(),
           "position"_a = zero, "rpy"_a = nb::none(), "quaternion"_a = nb::none(), "vertices"_a = nb::none(),
           "condim"_a = 3, "friction"_a = nb::make_tuple(1.0, 0.005, 0.0001), "contype"_a = 1, "conaffinity"_a = 1,
           "priority"_a = 0, "solmix"_a = 1.0, "solref"_a = solref, "solimp"_a = solimp, "margin"_a = 0.0,
           "gap"_a = 0.0, itself, add_shape_doc)
      .def("change_shape", &change_shape, "name"_a, "changes"_a, itself,
           "Change the given properties of a shape, with the names of shape(); `rename` is its new name.")
      .def("get_shape", &get_shape, "name"_a, "A shape as the arguments of shape().")
      .def("remove_shape", &ModelBuilder::remove_shape, "name"_a, itself,
           "Remove a shape and its explicit contact pairs.")
      .def_prop_ro(
          "shape_names", [](const ModelBuilder& b) { return names_of(b.shapes()); }, "Names of the shapes.")
      .def("contact_pair", &add_pair, "name"_a, "shape_1"_a, "shape_2"_a, nb::kw_only(), "condim"_a = 3,
           "friction"_a = nb::make_tuple(1.0, 1.0, 0.005, 0.0001, 0.0001), "solref"_a = solref,
           "solreffriction"_a = nb::make_tuple(0.0, 0.0), "solimp"_a = solimp, "margin"_a = 0.0, "gap"_a = 0.0, itself,
           pair_doc)
      .def("remove_contact_pair", &ModelBuilder::remove_contact_pair, "name"_a, itself, "Removes an explicit pair.")
      .def_prop_ro(
          "contact_pair_names", [](const ModelBuilder& b) { return names_of(b.contact_pairs()); },
          "Names of the explicit contact pairs.")
      .def(
          "contact_exclude",
          [](ModelBuilder& b, const std::string& link_1, const std::string& link_2,
             const std::string& name) -> ModelBuilder& {
            return b.contact_exclude({.name = name, .link_1 = link_1, .link_2 = link_2, .source = {}});
          },
          "link_1"_a, "link_2"_a, nb::kw_only(), "name"_a = "", itself,
          "Exclude contacts between the shapes of two links.")
      .def("remove_contact_exclude", &ModelBuilder::remove_contact_exclude, "link_1"_a, "link_2"_a, itself,
           "Remove all excludes of two links.")
      .def("contact_settings", &set_settings, nb::kw_only(), "cone"_a = nb::none(), "impratio"_a = nb::none(),
           "timestep"_a = nb::none(), "integrator"_a = nb::none(), "enabled"_a = nb::none(),
           "filter_parent"_a = nb::none(), itself,
           "Set the given options of contacts: cone ('elliptic' or 'pyramidal'), impratio, timestep [s] and "
           "integrator for which the parameters were chosen, whether contacts are enabled, and whether contacts "
           "between a link and its moving parent are excluded.");
}

void bind_shape(nb::module_& m) {
  nb::class_<OneShape>(m, "ContactShape", shape_doc)
      .def_prop_ro(
          "index", [](const OneShape& s) { return s.index; }, "Its index, 0 .. len(model.shapes) - 1.")
      .def_prop_ro(
          "name", [](const OneShape& s) { return s.shape().name; }, "Its name.")
      .def_prop_ro(
          "link", [](const OneShape& s) { return std::string(s.model.link_name(s.shape().link)); },
          "Name of its link, after merging over fixed joints.")
      .def_prop_ro(
          "frame", [](const OneShape& s) { return std::string(s.model.frame_name(s.shape().frame)); },
          "Name of the frame of its link in the description.")
      .def_prop_ro(
          "type", [](const OneShape& s) { return to_string(s.shape().type); },
          "plane, height_field, sphere, capsule, ellipsoid, cylinder, box, mesh or sdf.")
      .def_prop_ro(
          "placement",
          [](const OneShape& s) {
            const auto& [p, R] = s.shape().placement;
            return new_array({R[0], R[1], R[2], p[0], R[3], R[4], R[5], p[1], R[6], R[7], R[8], p[2]}, {3, 4});
          },
          nb::rv_policy::automatic, "[3, 4] Pose [R | p] in its frame, m.")
      .def_prop_ro(
          "size",
          [](const OneShape& s) {
            const auto& size = s.shape().size;
            return new_array({size.begin(), size.begin() + size_count(s.shape().type)});
          },
          nb::rv_policy::automatic, "Its size, m: as many numbers as its type has, see ModelBuilder.shape.")
      .def_prop_ro(
          "vertices",
          [](const OneShape& s) {
            std::vector<double> all;
            for (const auto& vertex : s.shape().vertices) all.insert(all.end(), vertex.begin(), vertex.end());
            return new_array(std::move(all), {s.shape().vertices.size(), 3});
          },
          nb::rv_policy::automatic, "[n, 3] Of a mesh: the corners of its convex hull, m.")
      .def_prop_ro(
          "unread", [](const OneShape& s) { return s.shape().unread; }, "Why its form is not known; empty: it is.")
      .def_prop_ro(
          "condim", [](const OneShape& s) { return s.shape().condim; }, "Dimensions of a contact: 1, 3, 4 or 6.")
      .def_prop_ro(
          "friction", [](const OneShape& s) { return tuple_of(s.shape().friction); },
          nb::sig("def friction(self) -> tuple[float, float, float]"), "Sliding; torsional, m; rolling, m.")
      .def_prop_ro(
          "contype", [](const OneShape& s) { return s.shape().contype; },
          "Contact type, bits; see ContactSet.")
      .def_prop_ro(
          "conaffinity", [](const OneShape& s) { return s.shape().conaffinity; }, "Bits, see contype.")
      .def_prop_ro(
          "priority", [](const OneShape& s) { return s.shape().priority; },
          "Of a pair, the shape with the higher priority sets the parameters.")
      .def_prop_ro(
          "solmix", [](const OneShape& s) { return s.shape().solmix; }, "Its weight where softness is averaged.")
      .def_prop_ro(
          "solref", [](const OneShape& s) { return tuple_of(s.shape().softness.solref); },
          nb::sig("def solref(self) -> tuple[float, float]"),
          "Time constant [s] and damping ratio, or, if negative, stiffness and damping.")
      .def_prop_ro(
          "solimp", [](const OneShape& s) { return tuple_of(s.shape().softness.solimp); },
          nb::sig("def solimp(self) -> tuple[float, float, float, float, float]"),
          "Impedance at zero depth and at full width, width [m], midpoint, power.")
      .def_prop_ro(
          "margin", [](const OneShape& s) { return s.shape().softness.margin; }, "It is thicker by this much, m.")
      .def_prop_ro(
          "gap", [](const OneShape& s) { return s.shape().softness.gap; },
          "Distance at which a contact is detected before its force begins, m.")
      .def("__getstate__", [](const OneShape& s) { return nb::make_tuple(s.model, s.index); })
      .def("__setstate__",
           [](OneShape& s, const nb::tuple& state) {
             new (&s) OneShape{nb::cast<const Model&>(state[0]), nb::cast<int>(state[1])};
           })
      .def("__repr__", &shape_repr);
}

}  // namespace

void bind_shapes(nb::module_& m) {
  using namespace nb::literals;
  bind_shape(m);
  bind_builder_of_shapes(m);
  auto model = nb::borrow<nb::class_<Model>>(m.attr("Model"));
  model
      .def_prop_ro(
          "shapes",
          [](const Model& x) {
            std::vector<OneShape> all;
            for (int k = 0; k < static_cast<int>(contact_shapes(x).size()); ++k) all.push_back({x, k});
            return all;
          },
          "The collision shapes of MJCF, of <collision> in URDF, and those added by a builder.")
      .def(
          "shape",
          [](const Model& x, std::string_view name) {
            return OneShape{x, contact_shape_index(x, name)};
          },
          "name"_a, "A shape by its name. Raises Error, which suggests the nearest names.")
      .def_prop_ro(
          "contact_settings", [](const Model& x) { return settings_of(contact_settings(x)); },
          nb::sig("def contact_settings(self) -> dict[str, object]"),
          "Options of contacts in the description, with the names of ModelBuilder.contact_settings.")
      .def(
          "contact_problems",
          [](const Model& x, bool self_contact) { return contact_problems(x, {.self_contact = self_contact}); },
          nb::kw_only(), "self_contact"_a = true,
          "Problems of the contacts of the robot, one sentence for each kind; empty if all are supported.\n\n"
          "self_contact: whether pairs of two moving links are included.");
}

}  // namespace tandem::python
