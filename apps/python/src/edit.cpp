// SPDX-License-Identifier: Apache-2.0
/// Descriptions that are edited, and models made of models.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>

#include "description.hpp"
#include "recipe.hpp"
#include "softness.hpp"

namespace tandem::python {
namespace {

/// Writes what was given.
template <class T>
void set(T& member, const std::optional<T>& given) {
  if (given) member = *given;
}

ModelBuilder& change_link(ModelBuilder& self, std::string_view name, const std::optional<std::string>& rename,
                          std::optional<double> mass, nb::handle com, nb::handle inertia) {
  const std::string what = "link \"" + std::string(name) + "\"";
  return self.change_link(name, [&](auto& link) {
    set(link.name, rename);
    set(link.mass, mass);
    if (!com.is_none()) link.com = numbers<3>(com, what + ": com");
    if (!inertia.is_none()) link.inertia = inertia_from(inertia, what + ": inertia");
  });
}

/// Numbers and texts of a joint by their names in joint().
constexpr std::pair<const char*, double JointDescription::*> joint_numbers[] = {
    {"pitch", &JointDescription::pitch},           {"lower", &JointDescription::lower},
    {"upper", &JointDescription::upper},           {"velocity", &JointDescription::velocity},
    {"effort", &JointDescription::effort},         {"damping", &JointDescription::damping},
    {"friction", &JointDescription::friction},     {"armature", &JointDescription::armature},
    {"stiffness", &JointDescription::stiffness},   {"rest", &JointDescription::rest},
    {"multiplier", &JointDescription::multiplier}, {"offset", &JointDescription::offset}};
constexpr std::pair<const char*, std::string JointDescription::*> joint_texts[] = {
    {"parent", &JointDescription::parent}, {"child", &JointDescription::child}, {"mimic", &JointDescription::mimic}};

ModelBuilder& change_joint(ModelBuilder& self, std::string_view name, const nb::kwargs& given) {
  const std::string what = "joint \"" + std::string(name) + "\"";
  return self.change_joint(name, [&](auto& joint) {
    nb::object position = nb::none(), rpy = nb::none(), quaternion = nb::none();
    const auto number = [&](const std::string& key, nb::handle value) {
      double x = 0;
      if (!nb::try_cast(value, x))
        throw Error(what + ": " + key + " is " + nb::cast<std::string>(nb::repr(value)) + ", expected a number");
      return x;
    };
    const auto word = [&](const std::string& key, nb::handle value) {
      std::string x;
      if (!nb::try_cast(value, x))
        throw Error(what + ": " + key + " is " + nb::cast<std::string>(nb::repr(value)) + ", expected text");
      return x;
    };
    for (const auto& [key_, value] : given) {
      const auto key = nb::cast<std::string>(key_);
      bool known = true;
      if (key == "rename")
        joint.name = word(key, value);
      else if (key == "type")
        joint.type = joint_type_from(word(key, value), joint.name);
      else if (key == "axis")
        joint.axis = numbers<3>(value, what + ": axis");
      else if (key == "position")
        position = nb::borrow(value);
      else if (key == "rpy")
        rpy = nb::borrow(value);
      else if (key == "quaternion")
        quaternion = nb::borrow(value);
      else
        known = false;
      for (const auto& [member_name, member] : joint_numbers)
        if (key == member_name) joint.*member = number(key, value), known = true;
      for (const auto& [member_name, member] : joint_texts)
        if (key == member_name) joint.*member = word(key, value), known = true;
      if (!known) throw Error(what + ": change_joint has no argument " + key);
    }
    place(joint.placement, position, rpy, quaternion, what);
  });
}

ModelBuilder& change_frame(ModelBuilder& self, std::string_view name, const std::optional<std::string>& rename,
                           const std::optional<std::string>& link, nb::handle position, nb::handle rpy,
                           nb::handle quaternion) {
  return self.change_frame(name, [&](auto& frame) {
    set(frame.name, rename);
    set(frame.link, link);
    place(frame.placement, position, rpy, quaternion, "frame \"" + std::string(name) + "\"");
  });
}

ModelBuilder& change_loop(ModelBuilder& self, std::string_view name, const std::optional<std::string>& rename,
                          const std::optional<std::string>& type, const std::optional<std::string>& link_1,
                          const std::optional<std::string>& link_2, nb::handle position_1, nb::handle rpy_1,
                          nb::handle quaternion_1, nb::handle position_2, nb::handle rpy_2, nb::handle quaternion_2,
                          nb::handle axis, nb::handle softness, std::optional<double> torque_scale) {
  const std::string what = "loop joint \"" + std::string(name) + "\"";
  return self.change_loop(name, [&](auto& loop) {
    set(loop.name, rename);
    if (type) loop.type = joint_type_from(*type, loop.name);
    set(loop.link_1, link_1);
    set(loop.link_2, link_2);
    place(loop.placement_1, position_1, rpy_1, quaternion_1, what);
    place(loop.placement_2, position_2, rpy_2, quaternion_2, what);
    if (!axis.is_none()) loop.axis = numbers<3>(axis, what + ": axis");
    if (!softness.is_none()) loop.softness = softness_from(softness, 0, what + ": softness");
    if (torque_scale) loop.torque_scale = *torque_scale;
  });
}

template <class T>
const T& existing(const ModelBuilder& b, const T* found, const char* kind, std::string_view name) {
  if (found) return *found;
  throw Error("robot \"" + b.name() + "\" has no " + kind + " \"" + std::string(name) + "\"");
}

nb::dict get_link(const ModelBuilder& b, std::string_view name) {
  const LinkDescription& link = existing(b, b.find_link(name), "link", name);
  nb::dict d;
  d["name"] = link.name;
  d["mass"] = link.mass;
  d["com"] = tuple_of(link.com);
  d["inertia"] = tuple_of(link.inertia);
  d["carried_mass"] = link.carried_mass;
  d["carried_com"] = tuple_of(link.carried_com);
  return d;
}

nb::dict get_joint(const ModelBuilder& b, std::string_view name) {
  const JointDescription& joint = existing(b, b.find_joint(name), "joint", name);
  nb::dict d;
  d["name"] = joint.name;
  d["type"] = to_string(joint.type);
  d["position"] = tuple_of(joint.placement.position);
  d["quaternion"] = quaternion_of(joint.placement);
  d["axis"] = tuple_of(joint.axis);
  for (const auto& [key, member] : joint_texts) d[key] = joint.*member;
  for (const auto& [key, member] : joint_numbers) d[key] = joint.*member;
  return d;
}

nb::dict get_frame(const ModelBuilder& b, std::string_view name) {
  const FrameDescription& frame = existing(b, b.find_frame(name), "frame", name);
  nb::dict d;
  d["name"] = frame.name;
  d["link"] = frame.link;
  d["position"] = tuple_of(frame.placement.position);
  d["quaternion"] = quaternion_of(frame.placement);
  return d;
}

nb::dict get_loop(const ModelBuilder& b, std::string_view name) {
  const LoopDescription& loop = existing(b, b.find_loop(name), "loop joint", name);
  nb::dict d;
  d["name"] = loop.name;
  d["type"] = to_string(loop.type);
  d["link_1"] = loop.link_1;
  d["link_2"] = loop.link_2;
  d["position_1"] = tuple_of(loop.placement_1.position);
  d["quaternion_1"] = quaternion_of(loop.placement_1);
  d["position_2"] = tuple_of(loop.placement_2.position);
  d["quaternion_2"] = quaternion_of(loop.placement_2);
  d["axis"] = tuple_of(loop.axis);
  d["softness"] = numbers_of(loop.softness);
  d["torque_scale"] = loop.torque_scale;
  return d;
}

ModelBuilder description_of(const Model& model) { return describe(model.with_base_acceleration({})); }

/// A builder, or the description of a model.
ModelBuilder other_robot(nb::handle other) {
  if (nb::isinstance<ModelBuilder>(other)) return nb::cast<const ModelBuilder&>(other);
  if (nb::isinstance<Model>(other)) return describe(nb::cast<const Model&>(other));
  throw Error("append: the other robot is " + nb::cast<std::string>(nb::repr(other)) +
              ", expected a Model or a ModelBuilder");
}

ModelBuilder& append_to(ModelBuilder& self, nb::handle other, std::string_view to, const std::string& prefix,
                        const std::string& joint, nb::handle position, nb::handle rpy, nb::handle quaternion) {
  JointDescription mount;
  mount.name = joint;
  mount.placement = pose_from(position, rpy, quaternion, "append");
  return self.append(other_robot(other), to, std::move(mount), prefix);
}

ModelBuilder describe_model(nb::handle robot, std::uint64_t seed, nb::handle packages, bool meshes) {
  if (nb::isinstance<Model>(robot)) return describe(nb::cast<const Model&>(robot));
  std::filesystem::path path;
  if (!nb::try_cast(robot, path))
    throw Error("describe: robot is " + nb::cast<std::string>(nb::repr(robot)) +
                ", expected a Model, a name or a file");
  if (const std::optional<ModelBuilder> mjcf = read_if_mjcf(path.string())) return *mjcf;
  return describe(path.string(), seed, mesh_options(packages, meshes));
}

/// The model of a description, on the base of another model, with what it was made from.
Model built(const ModelBuilder& description, const Model& base) {
  return noted(description.build(), {.kind = Recipe::description, .text = to_bytes(description), .name = {}})
      .with_base_acceleration(base.base_acceleration());
}

Model reduced_model(const Model& model, const std::vector<std::string>& joints,
                    const std::optional<std::vector<double>>& q) {
  return built(describe_reduced(model, joints, q ? *q : neutral_configuration(model)), model);
}

Model appended(const Model& model, nb::handle other, std::string_view to, const std::string& prefix,
               const std::string& joint, nb::handle position, nb::handle rpy, nb::handle quaternion) {
  ModelBuilder both = description_of(model);
  return built(append_to(both, other, to, prefix, joint, position, rpy, quaternion), model);
}

constexpr const char* change_link_doc = R"(Change the given properties of a link, see link(); `rename` is its new name.

References of joints and frames to the link are updated.)";

constexpr const char* change_joint_doc =
    R"(Change the given properties of a joint, with the names of joint(); `rename` is its new name.

>>> b = tandem.describe("arm7").change_joint("joint2", effort=50.0, damping=0.5))";

constexpr const char* remove_link_doc =
    R"(Remove a link, its joint and its descendants.

Raises Error if a remaining joint mimics a removed one.)";

constexpr const char* remove_joint_doc =
    R"(Remove a joint, but not its child: build() raises an error until another joint connects it.)";

constexpr const char* lock_doc =
    R"(Fix a joint at `position`, one number or its rows of q.

Joints that mimic it are locked with it. A position outside its limits is a warning.)";

constexpr const char* scale_doc =
    R"(Scale the robot. Masses scale with `mass`, inertias with `mass` and the square of `length`.

Positions, centers of mass, pitches, and limits, speeds, rest positions and offsets in metres scale with `length`.
Effort limits, armature, damping, friction and stiffness do not change.)";

constexpr const char* scale_link_doc =
    R"(Scale one link: mass, center of mass, inertia, and positions of its joints and frames.)";

constexpr const char* append_doc =
    R"(Attach another robot, a Model or a ModelBuilder, to a link or frame of this one, such as a tool to an arm.

position [m], and rpy [rad] or quaternion (x, y, z, w): pose of its root link in this link or frame. The two are
connected by a fixed joint `joint`, by default with the name of the root link. prefix: added to all names of the other
robot. Its gravity is ignored, with a warning if it differs. Raises Error that lists duplicate names.)";

constexpr const char* describe_doc =
    R"(The description of a robot for editing, as a ModelBuilder: of what load() takes, or of a Model.

>>> arm = tandem.describe("arm7").scale_link("link3", length=1.2).lock_joint("joint5", 0.3).build()
>>> arm.nv
6

The description of a model gives the same robot up to rounding. Raises Error for a model with an accelerating base.
seed: for generators. packages, meshes: as in load().)";

constexpr const char* reduced_doc = R"(The robot with some joints locked in the configuration q [nq].

The default of q is the neutral configuration. Joints that mimic locked ones are locked, too. The other joints keep
their order, and thus their rows of q and v.

>>> tandem.load("arm7").reduced(["joint3", "joint5"]).nv
5)";

}  // namespace

void bind_edits(nb::module_& m) {
  using namespace nb::literals;
  const auto zero = nb::make_tuple(0.0, 0.0, 0.0);
  const auto itself = nb::rv_policy::none;
  auto builder = nb::borrow<nb::class_<ModelBuilder>>(m.attr("ModelBuilder"));
  builder
      .def_prop_ro(
          "link_names", [](const ModelBuilder& b) { return names_of(b.links()); }, "Names of the links, as described.")
      .def_prop_ro(
          "joint_names", [](const ModelBuilder& b) { return names_of(b.joints()); },
          "Names of the joints, as described.")
      .def_prop_ro(
          "frame_names", [](const ModelBuilder& b) { return names_of(b.frames()); }, "Names of the added frames.")
      .def("get_link", &get_link, "name"_a, "A link as the arguments of link().")
      .def("get_joint", &get_joint, "name"_a, "A joint as the arguments of joint().")
      .def_prop_ro(
          "loop_names", [](const ModelBuilder& b) { return names_of(b.loops()); }, "Names of the loop joints.")
      .def("get_loop", &get_loop, "name"_a, "A loop joint as the arguments of loop().")
      .def("get_frame", &get_frame, "name"_a, "A frame as the arguments of frame().")
      .def("rename", &ModelBuilder::rename, "name"_a, itself, "Rename the robot.")
      .def("change_link", &change_link, "name"_a, nb::kw_only(), "rename"_a = nb::none(), "mass"_a = nb::none(),
           "com"_a = nb::none(), "inertia"_a = nb::none(), itself, change_link_doc)
      .def("change_joint", &change_joint, "name"_a, "changes"_a, itself, change_joint_doc)
      .def("change_loop", &change_loop, "name"_a, nb::kw_only(), "rename"_a = nb::none(), "type"_a = nb::none(),
           "link_1"_a = nb::none(), "link_2"_a = nb::none(), "position_1"_a = nb::none(), "rpy_1"_a = nb::none(),
           "quaternion_1"_a = nb::none(), "position_2"_a = nb::none(), "rpy_2"_a = nb::none(),
           "quaternion_2"_a = nb::none(), "axis"_a = nb::none(), "softness"_a = nb::none(),
           "torque_scale"_a = nb::none(), itself,
           "Change the given properties of a loop joint, see loop(); `rename` is its new name.")
      .def("remove_loop", &ModelBuilder::remove_loop, "name"_a, itself, "Remove a loop joint.")
      .def_prop_ro(
          "configuration_names", [](const ModelBuilder& b) { return names_of(b.configurations()); },
          "Names of the named configurations.")
      .def("remove_configuration", &ModelBuilder::remove_configuration, "name"_a, itself,
           "Remove a named configuration.")
      .def("change_frame", &change_frame, "name"_a, nb::kw_only(), "rename"_a = nb::none(), "link"_a = nb::none(),
           "position"_a = nb::none(), "rpy"_a = nb::none(), "quaternion"_a = nb::none(), itself,
           "Change the given properties of a frame, see frame(); `rename` is its new name.")
      .def("remove_link", &ModelBuilder::remove_link, "name"_a, itself, remove_link_doc)
      .def("remove_joint", &ModelBuilder::remove_joint, "name"_a, itself, remove_joint_doc)
      .def("remove_frame", &ModelBuilder::remove_frame, "name"_a, itself, "Remove a frame.")
      .def(
          "lock_joint",
          [](ModelBuilder& b, std::string_view name, double position) -> ModelBuilder& {
            return b.lock_joint(name, {position});
          },
          "name"_a, "position"_a, itself, lock_doc)
      .def("lock_joint", &ModelBuilder::lock_joint, "name"_a, "position"_a, itself, lock_doc)
      .def(
          "scale",
          [](ModelBuilder& b, double length, double mass) -> ModelBuilder& {
            return b.scale({length, mass});
          },
          nb::kw_only(), "length"_a = 1.0, "mass"_a = 1.0, itself, scale_doc)
      .def(
          "scale_link",
          [](ModelBuilder& b, std::string_view name, double length, double mass) -> ModelBuilder& {
            return b.scale_link(name, {length, mass});
          },
          "name"_a, nb::kw_only(), "length"_a = 1.0, "mass"_a = 1.0, itself, scale_link_doc)
      .def("append", &append_to, "other"_a, "to"_a, nb::kw_only(), "prefix"_a = "", "joint"_a = "", "position"_a = zero,
           "rpy"_a = nb::none(), "quaternion"_a = nb::none(), itself, append_doc)
      .def("__copy__", [](const ModelBuilder& b) { return b; })
      .def(
          "__deepcopy__", [](const ModelBuilder& b, nb::handle) { return b; }, "memo"_a);
  auto model = nb::borrow<nb::class_<Model>>(m.attr("Model"));
  model
      .def(
          "reduced",
          [](const Model& x, const std::string& joint, const std::optional<std::vector<double>>& q) {
            return reduced_model(x, {joint}, q);
          },
          "joints"_a, "q"_a = nb::none(), reduced_doc)
      .def("reduced", &reduced_model, "joints"_a, "q"_a = nb::none(), reduced_doc)
      .def("append", &appended, "other"_a, "to"_a, nb::kw_only(), "prefix"_a = "", "joint"_a = "", "position"_a = zero,
           "rpy"_a = nb::none(), "quaternion"_a = nb::none(), append_doc);
  m.def("describe", &describe_model, "robot"_a, nb::kw_only(), "seed"_a = 0, "packages"_a = nb::tuple(),
        "meshes"_a = true,
        nb::sig("def describe(robot: Model | str | os.PathLike[str], *, seed: int = 0, "
                "packages: collections.abc.Sequence[str | os.PathLike[str]] = (), meshes: bool = True) "
                "-> ModelBuilder"),
        describe_doc);
}

}  // namespace tandem::python
