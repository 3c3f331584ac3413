// SPDX-License-Identifier: Apache-2.0
/// The joints and links of a model, to read.
#include "parts.hpp"

#include <cmath>
#include <cstdio>

#include "softness.hpp"
#include "values.hpp"

namespace tandem::python {
namespace {

const ModelView<double>& view(const Joint& j) { return j.model.view<double>(); }

std::string joint_repr(const Joint& j) {
  return "<tandem.Joint " + std::to_string(j.index) + " \"" + std::string(j.model.joint_name(j.index)) +
         "\": " + to_string(j.model.joint_type(j.index)) + ">";
}

std::string link_repr(const Link& l) {
  char mass[32];
  std::snprintf(mass, sizeof mass, "%.6g", l.properties().mass);
  return "<tandem.Link " + std::to_string(l.index) + " \"" + std::string(l.model.link_name(l.index)) + "\": " + mass +
         " kg>";
}

template <std::size_t n>
Values array_of(const std::array<double, n>& numbers) {
  return new_array(std::vector<double>(numbers.begin(), numbers.end()));
}

/// Rows of [R | p].
Values pose_rows(const Pose& pose) {
  std::vector<double> rows;
  for (std::size_t k = 0; k < 3; ++k) {
    rows.insert(rows.end(), pose.rotation.begin() + 3 * static_cast<std::ptrdiff_t>(k),
                pose.rotation.begin() + 3 * static_cast<std::ptrdiff_t>(k + 1));
    rows.push_back(pose.position[k]);
  }
  return new_array(std::move(rows), {3, 4});
}

void bind_joint(nb::module_& m) {
  static const std::string joint_types = joint_type_names(false) + ".";
  const auto limit = [](auto member) {
    return [member](const Joint& j) { return j.model.joint_limits(j.index).*member; };
  };
  const auto force = [](auto member) {
    return [member](const Joint& j) { return j.model.joint_dynamics(j.index).*member; };
  };
  nb::class_<Joint>(m, "Joint", R"(One joint of a model: joint i connects link i to its parent.

Its rows in a configuration are q[q_index : q_index + nq], in a velocity v[v_index : v_index + nv]; see Model for their
meaning, units and axes. Limits and forces apply to each degree of freedom. For a mimic joint they are those of its
source, whose forces include its own.)")
      .def_prop_ro(
          "index", [](const Joint& j) { return j.index; }, "Its index, 1 .. n_joints, which is that of its child link.")
      .def_prop_ro(
          "name", [](const Joint& j) { return std::string(j.model.joint_name(j.index)); }, "Its name.")
      .def_prop_ro(
          "type", [](const Joint& j) { return to_string(j.model.joint_type(j.index)); }, joint_types.c_str())
      .def_prop_ro(
          "parent", [](const Joint& j) { return std::string(j.model.link_name(view(j).parent[j.index])); },
          "Name of its parent link.")
      .def_prop_ro(
          "child", [](const Joint& j) { return std::string(j.model.link_name(j.index)); }, "Name of its child link.")
      .def_prop_ro(
          "axis", [](const Joint& j) { return array_of(j.model.joint_axis(j.index)); }, nb::rv_policy::automatic,
          "[3] Axis of a revolute, continuous, prismatic or helical joint, or normal of a planar joint, in the child "
          "frame; zeros for other types.")
      .def_prop_ro(
          "placement", [](const Joint& j) { return pose_rows(j.model.joint_placement(j.index)); },
          nb::rv_policy::automatic,
          "[3, 4] Pose [R | p] of the child frame in the parent frame at joint position 0, including merged fixed "
          "joints, m.")
      .def_prop_ro(
          "pitch", [](const Joint& j) { return j.model.joint_pitch(j.index); },
          "Pitch of a helical joint, m per turn; 0 for other types.")
      .def_prop_ro(
          "lower", limit(&JointLimits::lower),
          "Lower limit of its position, rad|m; -inf if unlimited, and for joints with several degrees of freedom.")
      .def_prop_ro("upper", limit(&JointLimits::upper), "Upper limit of its position, rad|m; inf if unlimited.")
      .def_prop_ro("velocity", limit(&JointLimits::velocity), "Largest speed, rad/s|m/s; inf if unlimited.")
      .def_prop_ro("effort", limit(&JointLimits::effort), "Effort limit, N m|N; inf if unlimited.")
      .def_prop_ro("armature", force(&JointDynamics::armature), "Rotor inertia seen at the joint, kg m^2|kg.")
      .def_prop_ro("damping", force(&JointDynamics::damping), "Viscous damping, N m s/rad|N s/m.")
      .def_prop_ro("friction", force(&JointDynamics::friction), "Coulomb friction, N m|N.")
      .def_prop_ro("stiffness", force(&JointDynamics::stiffness), "Spring towards rest, N m/rad|N/m.")
      .def_prop_ro("rest", force(&JointDynamics::rest), "Rest position of its spring, rad|m.")
      .def_prop_ro(
          "q_index", [](const Joint& j) { return view(j).q_index[j.index]; },
          "First index in q; for a mimic joint, that of the joint it follows.")
      .def_prop_ro(
          "v_index", [](const Joint& j) { return view(j).v_index[j.index]; },
          "First index in v; for a mimic joint, that of the joint it follows.")
      .def_prop_ro(
          "nq", [](const Joint& j) { return j.model.is_mimic(j.index) ? 0 : joint_nq(j.model.joint_type(j.index)); },
          "Number of its elements in q; 0 for a mimic joint.")
      .def_prop_ro(
          "nv", [](const Joint& j) { return j.model.is_mimic(j.index) ? 0 : joint_nv(j.model.joint_type(j.index)); },
          "Number of its elements in v; 0 for a mimic joint.")
      .def_prop_ro(
          "mimics",
          [](const Joint& j) {
            return std::string(j.model.is_mimic(j.index) ? j.model.joint_name(view(j).mimics[j.index]) : "");
          },
          "Name of the joint it follows, or ''.")
      .def_prop_ro(
          "multiplier", [](const Joint& j) { return view(j).multiplier[j.index]; },
          "For a mimic joint: position = multiplier * position of the other joint + offset.")
      .def_prop_ro(
          "offset", [](const Joint& j) { return view(j).offset[j.index]; }, "See multiplier; rad or m.")
      .def("__getstate__", [](const Joint& j) { return nb::make_tuple(j.model, j.index); })
      .def("__setstate__",
           [](Joint& j, const nb::tuple& state) {
             new (&j) Joint(joint_of(nb::cast<const Model&>(state[0]), nb::cast<int>(state[1])));
           })
      .def("__repr__", joint_repr);
}

void bind_link(nb::module_& m) {
  nb::class_<Link>(m, "Link",
                   R"(One link of a model, including the links that were merged over fixed joints; link 0 is the base.

Joint i connects link i to its parent. Properties are in the link's frame of the description, which is that of the
joint's axis and of external wrenches.)")
      .def_prop_ro(
          "index", [](const Link& l) { return l.index; }, "Its index, 0 .. n_links - 1.")
      .def_prop_ro(
          "name", [](const Link& l) { return std::string(l.model.link_name(l.index)); }, "Its name.")
      .def_prop_ro(
          "parent",
          [](const Link& l) {
            return std::string(l.index > 0 ? l.model.link_name(l.model.parent(l.index)) : std::string_view());
          },
          "Name of its parent link; '' for the base.")
      .def_prop_ro(
          "mass", [](const Link& l) { return l.properties().mass; }, "Its mass, kg.")
      .def_prop_ro(
          "centre_of_mass", [](const Link& l) { return array_of(l.properties().com); }, nb::rv_policy::automatic,
          "[3] Its center of mass, m; zeros without mass.")
      .def_prop_ro(
          "inertia",
          [](const Link& l) {
            const auto [xx, xy, xz, yy, yz, zz] = l.properties().inertia;
            return new_array({xx, xy, xz, xy, yy, yz, xz, yz, zz}, {3, 3});
          },
          nb::rv_policy::automatic,
          "[3, 3] Its rotational inertia about its center of mass, along the axes of its frame, kg m^2.")
      .def("__getstate__", [](const Link& l) { return nb::make_tuple(l.model, l.index); })
      .def("__setstate__",
           [](Link& l, const nb::tuple& state) {
             new (&l) Link(link_of(nb::cast<const Model&>(state[0]), nb::cast<int>(state[1])));
           })
      .def("__repr__", link_repr);
}

void bind_loop(nb::module_& m) {
  nb::class_<Loop>(m, "Loop", R"(One joint of a model that closes a loop.

It holds a frame on one link to a frame on another one; what its type lets move may still move.)")
      .def_prop_ro(
          "index", [](const Loop& l) { return l.index; }, "Its index, 0 .. n_loops - 1.")
      .def_prop_ro(
          "name", [](const Loop& l) { return std::string(l.model.loop_name(l.index)); }, "Its name.")
      .def_prop_ro(
          "type", [](const Loop& l) { return to_string(l.joint().type); },
          "fixed, revolute, continuous, prismatic, planar or spherical.")
      .def_prop_ro(
          "link_1", [](const Loop& l) { return std::string(l.model.link_name(l.joint().link_1)); },
          "Name of the first link.")
      .def_prop_ro(
          "link_2", [](const Loop& l) { return std::string(l.model.link_name(l.joint().link_2)); },
          "Name of the second link.")
      .def_prop_ro(
          "placement_1", [](const Loop& l) { return pose_rows(l.joint().placement_1); }, nb::rv_policy::automatic,
          "[3, 4] Pose [R | p] of its frame on link_1 in the frame of that link, m.")
      .def_prop_ro(
          "placement_2", [](const Loop& l) { return pose_rows(l.joint().placement_2); }, nb::rv_policy::automatic,
          "[3, 4] Pose [R | p] of its frame on link_2 in the frame of that link, m.")
      .def_prop_ro(
          "axis", [](const Loop& l) { return array_of(l.joint().axis); }, nb::rv_policy::automatic,
          "[3] Axis or normal in both frames; zeros for a fixed or spherical joint.")
      .def_prop_ro(
          "softness", [](const Loop& l) { return numbers_of(l.joint().softness); },
          nb::sig("def softness(self) -> tuple[float, ...]"),
          "solref (2) and solimp (5), in simulations with contacts.")
      .def_prop_ro(
          "torque_scale", [](const Loop& l) { return l.joint().torque_scale; },
          "Length by which angles count beside distances there, m.")
      .def("__getstate__", [](const Loop& l) { return nb::make_tuple(l.model, l.index); })
      .def("__setstate__",
           [](Loop& l, const nb::tuple& state) {
             new (&l) Loop(loop_of(nb::cast<const Model&>(state[0]), nb::cast<int>(state[1])));
           })
      .def("__repr__", [](const Loop& l) {
        return "<tandem.Loop " + std::to_string(l.index) + " \"" + std::string(l.model.loop_name(l.index)) +
               "\": " + to_string(l.joint().type) + ">";
      });
}

}  // namespace

Loop loop_of(const Model& model, int index) {
  model.loop(index);
  return {model, index};
}

Joint joint_of(const Model& model, int index) {
  if (index < 1 || index > model.n_joints())
    throw Error("joint " + std::to_string(index) + " does not exist; " + model.name() + " has the joints 1 to " +
                std::to_string(model.n_joints()));
  return {model, index};
}

Link link_of(const Model& model, int index) {
  if (index < 0 || index >= model.n_links())
    throw Error("link " + std::to_string(index) + " does not exist; " + model.name() + " has the links 0 to " +
                std::to_string(model.n_links() - 1));
  return {model, index};
}

void bind_parts(nb::module_& m) {
  bind_joint(m);
  bind_link(m);
  bind_loop(m);
}

}  // namespace tandem::python
