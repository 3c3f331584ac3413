// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "description.hpp"
#include "recipe.hpp"
#include "softness.hpp"
#include "urdf_text.hpp"

namespace tandem::python {
namespace {

ModelBuilder& add_link(ModelBuilder& self, const std::string& name, double mass, nb::any com, nb::any inertia,
                       double carried_mass, nb::any carried_com) {
  const std::string what = "link \"" + name + "\"";
  self.link({.name = name,
             .mass = mass,
             .com = numbers<3>(com, what + ": com"),
             .inertia = inertia_from(inertia, what + ": inertia"),
             .source = {},
             .carried_mass = carried_mass,
             .carried_com = numbers<3>(carried_com, what + ": carried_com")});
  return self;
}

ModelBuilder& add_joint(ModelBuilder& self, const std::string& name, std::string_view type, const std::string& parent,
                        const std::string& child, nb::any position, nb::any rpy, nb::any quaternion, nb::any axis,
                        double pitch, double lower, double upper, double velocity, double effort, double damping,
                        double friction, double armature, double stiffness, double rest, const std::string& mimic,
                        double multiplier, double offset) {
  const std::string what = "joint \"" + name + "\"";
  self.joint({.name = name,
              .type = joint_type_from(type, name),
              .parent = parent,
              .child = child,
              .placement = pose_from(position, rpy, quaternion, what),
              .axis = numbers<3>(axis, what + ": axis"),
              .pitch = pitch,
              .lower = lower,
              .upper = upper,
              .velocity = velocity,
              .effort = effort,
              .damping = damping,
              .friction = friction,
              .armature = armature,
              .stiffness = stiffness,
              .rest = rest,
              .mimic = mimic,
              .multiplier = multiplier,
              .offset = offset,
              .source = {}});
  return self;
}

ModelBuilder& add_frame(ModelBuilder& self, const std::string& name, const std::string& link, nb::any position,
                        nb::any rpy, nb::any quaternion) {
  self.frame({name, link, pose_from(position, rpy, quaternion, "frame \"" + name + "\""), {}});
  return self;
}

ModelBuilder& add_loop(ModelBuilder& self, const std::string& name, std::string_view type, const std::string& link_1,
                       const std::string& link_2, nb::any position_1, nb::any rpy_1, nb::any quaternion_1,
                       nb::any position_2, nb::any rpy_2, nb::any quaternion_2, nb::any axis, nb::any softness,
                       double torque_scale) {
  const std::string what = "loop joint \"" + name + "\"";
  self.loop({.name = name,
             .type = joint_type_from(type, name),
             .link_1 = link_1,
             .link_2 = link_2,
             .placement_1 = pose_from(position_1, rpy_1, quaternion_1, what),
             .placement_2 = pose_from(position_2, rpy_2, quaternion_2, what),
             .axis = numbers<3>(axis, what + ": axis"),
             .source = {},
             .softness = softness_from(softness, 0, what + ": softness"),
             .torque_scale = torque_scale});
  return self;
}

ModelBuilder& add_configuration(ModelBuilder& self, const std::string& name, const nb::dict& positions) {
  ConfigurationDescription configuration;
  configuration.name = name;
  for (const auto& [joint, q] : positions) {
    JointPosition position;
    double one = 0;
    const bool is_text = nb::try_cast(joint, position.joint);
    if (is_text && nb::try_cast(q, one))
      position.q = {one};
    else if (!is_text || !nb::try_cast(q, position.q))
      throw Error("configuration \"" + name + "\": " + nb::cast<std::string>(nb::repr(joint)) + " is at " +
                  nb::cast<std::string>(nb::repr(q)) + ", expected a joint's name, and a number or its rows of q");
    configuration.positions.push_back(std::move(position));
  }
  return self.configuration(std::move(configuration));
}

ModelBuilder& set_gravity(ModelBuilder& self, nb::any gravity) {
  self.gravity(numbers<3>(gravity, "gravity"));
  return self;
}

constexpr const char* class_doc =
    R"(A robot description: links, joints and frames, added in any order. build() makes the model.

Each method returns the builder. Links on fixed joints are merged: the child becomes a frame of its parent.)";

constexpr const char* link_doc = R"(Add a rigid link.

mass [kg]; com [m], the center of mass in the link's frame; inertia [kg m^2] about the center of mass along
the link's axes, a 3 x 3 matrix or the 6 numbers xx xy xz yy yz zz.
carried_mass [kg]: its weight is carried by a force at carried_com [m] in the link's frame, in simulations with contacts
and in contact dynamics (gravcomp of MuJoCo).)";

std::string joint_doc() {
  return R"(Add a joint from link `parent` to link `child`.

type: )" +
         joint_type_names(true) + R"(.
position [m], and rpy [rad, about fixed axes] or quaternion (x, y, z, w): pose of the child's frame in the parent's
frame at zero q. axis: direction of the joint, normal of a planar one, in the child's frame. pitch [m per turn]: of a
helical joint. A universal joint rotates about x of its frame, then about the rotated y.
lower, upper [rad|m], velocity [rad/s|m/s], effort [N m|N]: limits.
damping [N m s/rad|N s/m], friction [N m|N], armature [kg m^2|kg], stiffness [N m/rad|N/m], rest [rad|m]: of
each degree of freedom.
mimic: name of the source of a mimic joint; position = multiplier * position of the source + offset.)";
}

constexpr const char* frame_doc = R"(Add a frame to a link, such as a sensor or a tool. It is placed like a joint.)";

constexpr const char* loop_doc =
    R"(Add a loop joint, which constrains a frame on one link relative to a frame on another link.

type: remaining motion: fixed (none), revolute or continuous (rotation about the axis), prismatic (translation along
it), planar (translation normal to it and rotation about it), spherical (any rotation). position_1, rpy_1 or
quaternion_1: pose of the frame on link_1 in the frame of the link; similarly for link_2. axis: direction or normal, in
both frames. softness: solref (2) and solimp (5), and torque_scale: length by which angles count beside distances [m],
in simulations with contacts.)";

constexpr const char* build_doc =
    R"(Check the description and build the model. Raises ModelError, which lists every problem.

floating: connect the root link to the world by a free joint.)";

std::string builder_repr(const ModelBuilder& b) {
  return "<tandem.ModelBuilder \"" + b.name() + "\": " + std::to_string(b.links().size()) + " links, " +
         std::to_string(b.joints().size()) + " joints>";
}

}  // namespace

void bind_builder(nb::module_& m) {
  using namespace nb::literals;
  const auto zero = nb::make_tuple(0.0, 0.0, 0.0), x = nb::make_tuple(1.0, 0.0, 0.0);
  const auto massless = nb::make_tuple(0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
  const auto itself = nb::rv_policy::none;
  nb::class_<ModelBuilder>(m, "ModelBuilder", class_doc)
      .def(nb::init<std::string>(), "name"_a)
      .def("link", &add_link, "name"_a, "mass"_a = 0.0, nb::kw_only(), "com"_a = zero, "inertia"_a = massless,
           "carried_mass"_a = 0.0, "carried_com"_a = zero, itself, link_doc)
      .def("joint", &add_joint, "name"_a, "type"_a, "parent"_a, "child"_a, nb::kw_only(), "position"_a = zero,
           "rpy"_a = nb::none(), "quaternion"_a = nb::none(), "axis"_a = x, "pitch"_a = 0.0, "lower"_a = -unlimited,
           "upper"_a = unlimited, "velocity"_a = unlimited, "effort"_a = unlimited, "damping"_a = 0.0,
           "friction"_a = 0.0, "armature"_a = 0.0, "stiffness"_a = 0.0, "rest"_a = 0.0, "mimic"_a = "",
           "multiplier"_a = 1.0, "offset"_a = 0.0, itself, joint_doc().c_str())
      .def("frame", &add_frame, "name"_a, "link"_a, nb::kw_only(), "position"_a = zero, "rpy"_a = nb::none(),
           "quaternion"_a = nb::none(), itself, frame_doc)
      .def("loop", &add_loop, "name"_a, "type"_a, "link_1"_a, "link_2"_a, nb::kw_only(), "position_1"_a = zero,
           "rpy_1"_a = nb::none(), "quaternion_1"_a = nb::none(), "position_2"_a = zero, "rpy_2"_a = nb::none(),
           "quaternion_2"_a = nb::none(), "axis"_a = x, "softness"_a = numbers_of(ContactSoftness{}),
           "torque_scale"_a = 1.0, itself, loop_doc)
      .def("configuration", &add_configuration, "name"_a, "positions"_a, itself,
           "Add a named configuration {joint: number, or its rows of q}. Other joints are in their neutral "
           "position.")
      .def("gravity", &set_gravity, "gravity"_a, itself, "Sets gravity [m/s^2] in base axes; (0, 0, -9.81) unless set.")
      .def(
          "build",
          [](const ModelBuilder& b, bool floating) {
            return told_of(noted(b.build({.floating = floating}),
                                 {.kind = Recipe::description, .text = to_bytes(b), .name = {}, .floating = floating}));
          },
          nb::kw_only(), "floating"_a = false, build_doc)
      .def(
          "write_urdf", [](const ModelBuilder& b) { return write_urdf(b); }, "The description as URDF text.")
      .def(
          "write_mjcf", [](const ModelBuilder& b) { return write_mjcf(b); },
          "The description as MJCF text, MuJoCo's format. Raises ModelError, which lists what MJCF cannot represent.")
      .def_prop_ro(
          "name", [](const ModelBuilder& b) { return b.name(); }, "Name of the robot.")
      .def("__getstate__",
           [](const ModelBuilder& b) {
             const std::string bytes = to_bytes(b);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__", [](ModelBuilder& b,
                              const nb::bytes& state) { new (&b) ModelBuilder(builder_from_bytes(content_of(state))); })
      .def("__repr__", builder_repr);
  m.def(
      "read_urdf",
      [](std::string_view urdf, const std::string& name, nb::handle packages, bool meshes) {
        return read_urdf(document_of(urdf), name, mesh_options(packages, meshes));
      },
      "urdf"_a, nb::kw_only(), "name"_a = "<string>", "packages"_a = nb::tuple(), "meshes"_a = true,
      nb::sig("def read_urdf(urdf: str, *, name: str = '<string>', "
              "packages: collections.abc.Sequence[str | os.PathLike[str]] = (), meshes: bool = True) -> ModelBuilder"),
      R"(Read the description of URDF text, for editing. Messages use `name` for the file.

packages, meshes: as in load(). If `name` is a file, paths of meshes are relative to its folder, otherwise to the
current one.

Raises Error for text without any element, such as the name of a file, which describe() reads.)");
  m.def(
      "generate", [](std::string_view spec, std::uint64_t seed) { return generate(spec, seed); }, "spec"_a,
      nb::kw_only(), "seed"_a = 0,
      R"(Description of a generated robot: "chain:N", "rope:N", "rope:N:bending", "tree:N" or "snake:N".)");
}

}  // namespace tandem::python
