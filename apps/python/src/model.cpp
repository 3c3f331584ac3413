// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "parts.hpp"
#include "recipe.hpp"
#include "urdf_text.hpp"
#include "values.hpp"

namespace tandem::python {
namespace {

using ModelHandle = nb::handle_t<Model>;
const Model& get(nb::handle self) { return *nb::inst_ptr<Model>(self); }

/// An array of the model's, which cannot be written to and keeps the model alive.
template <class T>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig>;
template <auto field, auto rows, class T = double>
View<T> view_of(ModelHandle self) {
  const auto& m = get(self).view<double>();
  return View<T>(m.*field, {static_cast<std::size_t>(m.*rows)}, self);
}

/// What the model has for a parameter that may differ from state to state.
Values parameter_of(const Model& model, std::string_view name) {
  const Parameter parameter = from_name<Parameter>(name);
  const auto& m = model.view<double>();
  auto values = std::make_unique<std::vector<double>>(parameter_values(model, parameter));
  const Shape sizes = shape(parameters()[static_cast<std::size_t>(parameter)].rows, m);
  std::size_t lengths[3];
  for (int k = 0; k < sizes.rank; ++k) lengths[k] = static_cast<std::size_t>(sizes.sizes[k]);
  double* const data = values->data();
  const nb::capsule owner(values.release(), [](void* v) noexcept { delete static_cast<std::vector<double>*>(v); });
  return Values(data, static_cast<std::size_t>(sizes.rank), lengths, owner);
}

template <class Name>
std::vector<std::string> names(int begin, int end, Name name) {
  std::vector<std::string> all;
  for (int i = begin; i < end; ++i) all.emplace_back(name(i));
  return all;
}

/// Fills rows [batch][nq]: row k with the configuration of the seed `first` + k 2^32.
void random_configurations(const Model& model, std::uint64_t first,
                           nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> rows) {
  constexpr std::size_t rows_between_signals = 256;
  for (std::size_t k = 0; k < rows.shape(0); ++k) {
    const std::vector<double> q = random_configuration(model, first + (std::uint64_t{k} << 32));
    std::copy(q.begin(), q.end(), rows.data() + k * rows.shape(1));
    if (k % rows_between_signals == 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

/// Entries for the joints 1 .. n_joints, to be read by these indices.
template <class T>
nb::object per_joint(const std::vector<T>& entries) {
  return nb::module_::import_("tandem._common.per_joint").attr("PerJoint")(entries);
}

std::string model_repr(const Model& m) {
  char mass[32];
  std::snprintf(mass, sizeof mass, "%.6g", m.mass());
  return "<tandem.Model \"" + m.name() + "\": " + std::to_string(m.n_joints()) + " joints, nq " +
         std::to_string(m.nq()) + ", nv " + std::to_string(m.nv()) + ", " + mass + " kg>";
}

/// What a pickle has of a model: what it was made from, gravity and the acceleration of its base.
nb::tuple state_of(const Model& m) {
  const Recipe& r = recipe_of(m);
  return nb::make_tuple(static_cast<int>(r.kind), nb::bytes(r.text.data(), r.text.size()),
                        nb::bytes(r.name.data(), r.name.size()), r.floating, r.seed, m.gravity(),
                        m.base_acceleration(), nb::bytes(r.meshes.data(), r.meshes.size()));
}

Model model_from(const nb::tuple& state) {
  return made_from({.kind = static_cast<Recipe::Kind>(nb::cast<int>(state[0])),
                    .text = std::string(content_of(nb::cast<nb::bytes>(state[1]))),
                    .name = std::string(content_of(nb::cast<nb::bytes>(state[2]))),
                    .floating = nb::cast<bool>(state[3]),
                    .seed = nb::cast<std::uint64_t>(state[4]),
                    .meshes = state.size() > 7 ? std::string(content_of(nb::cast<nb::bytes>(state[7]))) : ""})
      .with_gravity(nb::cast<std::array<double, 3>>(state[5]))
      .with_base_acceleration(nb::cast<std::array<double, 6>>(state[6]));
}

void bind_names(nb::class_<Model>& c) {
  c.def_prop_ro(
       "link_names", [](const Model& m) { return names(0, m.n_links(), [&](int i) { return m.link_name(i); }); },
       "Names of the links; link 0 is the base.")
      .def_prop_ro(
          "joint_names",
          [](const Model& m) { return per_joint(names(1, m.n_links(), [&](int i) { return m.joint_name(i); })); },
          nb::sig("def joint_names(self) -> PerJoint[str]"),
          "Names of the joints: joint_names[i] is that of joint i, 1 .. n_joints; joint i moves link i.")
      .def_prop_ro(
          "frame_names", [](const Model& m) { return names(0, m.n_frames(), [&](int i) { return m.frame_name(i); }); },
          "Names of the frames: links, then merged links, then added frames.")
      .def(
          "link_index", [](const Model& m, std::string_view name) { return m.link_index(name); }, nb::arg("name"),
          "Index of a link. Raises Error with the nearest names.")
      .def(
          "joint_index", [](const Model& m, std::string_view name) { return m.joint_index(name); }, nb::arg("name"),
          "Index of a joint, 1 .. n_joints, which is that of its child link. Raises Error.")
      .def(
          "frame_index", [](const Model& m, std::string_view name) { return m.frame_index(name); }, nb::arg("name"),
          "Index of a frame, by its name, that of its link or of its fixed joint. Raises Error.")
      .def(
          "joint", [](const Model& m, std::string_view name) { return joint_of(m, m.joint_index(name)); },
          nb::arg("name"), "A joint by its name.")
      .def(
          "joint", [](const Model& m, int index) { return joint_of(m, index); }, nb::arg("index"),
          "A joint by its index, 1 .. n_joints.")
      .def_prop_ro(
          "joints",
          [](const Model& m) {
            std::vector<Joint> all;
            for (int i = 1; i <= m.n_joints(); ++i) all.push_back({m, i});
            return per_joint(all);
          },
          nb::sig("def joints(self) -> PerJoint[Joint]"),
          "The joints: joints[i] is joint i, 1 .. n_joints, which moves link i.")
      .def(
          "link", [](const Model& m, std::string_view name) { return link_of(m, m.link_index(name)); }, nb::arg("name"),
          "A link by its name.")
      .def(
          "link", [](const Model& m, int index) { return link_of(m, index); }, nb::arg("index"),
          "A link by its index, 0 .. n_links - 1.")
      .def_prop_ro(
          "links",
          [](const Model& m) {
            std::vector<Link> all;
            for (int i = 0; i < m.n_links(); ++i) all.push_back({m, i});
            return all;
          },
          "The links: links[0] is the base, links[i] is moved by joint i.")
      .def_prop_ro(
          "loop_names", [](const Model& m) { return names(0, m.n_loops(), [&](int i) { return m.loop_name(i); }); },
          "Names of the loop joints.")
      .def(
          "loop", [](const Model& m, std::string_view name) { return loop_of(m, m.loop_index(name)); }, nb::arg("name"),
          "A loop joint by its name.")
      .def(
          "loop", [](const Model& m, int index) { return loop_of(m, index); }, nb::arg("index"),
          "A loop joint by its index, 0 .. n_loops - 1.")
      .def_prop_ro(
          "configuration_names",
          [](const Model& m) { return names(0, m.n_configurations(), [&](int i) { return m.configuration_name(i); }); },
          "Names of the named configurations of the description, such as the keyframes of MJCF.")
      .def(
          "configuration",
          [](const Model& m, std::string_view name) {
            const auto q = m.configuration(name);
            return new_array<NewValues>({q.begin(), q.end()});
          },
          nb::arg("name"), nb::rv_policy::automatic,
          "[nq] A named configuration, as a new array. Raises Error with the nearest names.")
      .def_prop_ro(
          "loops",
          [](const Model& m) {
            std::vector<Loop> all;
            for (int i = 0; i < m.n_loops(); ++i) all.push_back({m, i});
            return all;
          },
          "The loop joints; empty for a tree.")
      .def(
          "link_mass", [](const Model& m, std::string_view link) { return m.link_mass(m.link_index(link)); },
          nb::arg("link"), "Mass of a link including merged links, kg.");
}

void bind_arrays(nb::class_<Model>& c) {
  using V = ModelView<double>;
  c.def_prop_ro("parents", &view_of<&V::parent, &V::n_links, std::int32_t>,
                "[n_links] Index of the parent of each link; -1 for the base.")
      .def_prop_ro("frame_links", &view_of<&V::frame_link, &V::n_frames, std::int32_t>,
                   "[n_frames] Index of the link of each frame.")
      .def_prop_ro("q_lower", &view_of<&V::q_lower, &V::nq>, "[nq] Lower limits, rad|m; -inf if unlimited.")
      .def_prop_ro("q_upper", &view_of<&V::q_upper, &V::nq>, "[nq] Upper limits, rad|m; inf if unlimited.")
      .def_prop_ro("q_rest", &view_of<&V::q_rest, &V::nq>, "[nq] Rest positions of the joint springs, rad|m.")
      .def_prop_ro("v_limit", &view_of<&V::v_limit, &V::nv>, "[nv] Largest speeds, rad/s|m/s; inf if unlimited.")
      .def_prop_ro("tau_limit", &view_of<&V::tau_limit, &V::nv>, "[nv] Effort limits, N m|N; inf if unlimited.")
      .def_prop_ro("armature", &view_of<&V::armature, &V::nv>, "[nv] Rotor inertias seen at the joints, kg m^2|kg.")
      .def_prop_ro("damping", &view_of<&V::damping, &V::nv>, "[nv] Viscous damping, N m s/rad|N s/m.")
      .def_prop_ro("friction", &view_of<&V::friction, &V::nv>, "[nv] Coulomb friction, N m|N.")
      .def_prop_ro("stiffness", &view_of<&V::stiffness, &V::nv>, "[nv] Joint springs towards q_rest, N m/rad|N/m.");
}

}  // namespace

void bind_model(nb::module_& m) {
  bind_parts(m);
  nb::class_<Model> c(m, "Model", R"(One robot: immutable, and safe to use from any number of threads.

Made by tandem.load(), Model.from_urdf_string() or ModelBuilder.build(). Link 0 is the base, which does not
move; joint i carries link i.

A configuration q [nq] and a velocity v [nv] have the rows of joint 1, then those of joint 2, and so on; joint(name)
says where each begins. Accelerations and joint torques are ordered like v. Mimic joints have no rows.

============================== ==== =============================== ==== ==========================================
joint                           nq  q                                nv  v
============================== ==== =============================== ==== ==========================================
revolute, continuous, helical    1  angle, rad, with its turns        1  rad/s
prismatic                        1  m                                 1  m/s
universal                        2  angles about x, then turned y     2  rad/s
planar                           3  x y in m, angle                   3  vx vy wz along the child's axes
spherical                        4  quaternion x y z w                3  angular, along the child's axes
free (a floating base)           7  x y z in m, quaternion x y z w    6  linear, then angular, along the body's axes
============================== ==== =============================== ==== ==========================================

The position of a free joint is that of the origin of the body in the parent frame of the joint; its quaternion is the
rotation from the body's axes to that frame. Units are SI. Quaternions need not be normalised; integrate() returns
normalised ones. Poses [3, 4] are rows of [R | p], R from the frame's axes to the world's; motions and forces [6] are
linear first.

A pickle contains the source of the model, such as the text of its file, and restores a bit-identical model.)");
  c.def_static(
       "from_urdf_string",
       [](std::string_view urdf, bool floating, const std::string& name, nb::handle packages, bool meshes) {
         return told_of(
             made_from({.kind = Recipe::urdf, .text = document_of(urdf), .name = name, .floating = floating},
                       mesh_options(packages, meshes)));
       },
       nb::arg("urdf"), nb::kw_only(), nb::arg("floating") = false, nb::arg("name") = "<string>",
       nb::arg("packages") = nb::tuple(), nb::arg("meshes") = true,
       nb::sig("def from_urdf_string(urdf: str, *, floating: bool = False, name: str = '<string>', "
               "packages: collections.abc.Sequence[str | os.PathLike[str]] = (), meshes: bool = True) -> Model"),
       R"(A robot from URDF text. Raises ModelError, which lists every problem.

floating: hang the root link from the world by a free joint. name: stands for the file in messages; if it is one, paths
of meshes are relative to its folder, otherwise to the current one. packages, meshes: as in load().)")
      .def_prop_ro(
          "name", [](const Model& x) { return x.name(); }, "Name of the robot.")
      .def_prop_ro("n_links", &Model::n_links, "Number of links with the base.")
      .def_prop_ro("n_joints", &Model::n_joints, "Number of joints, n_links - 1, without merged fixed joints.")
      .def_prop_ro("n_frames", &Model::n_frames, "Number of frames: links, merged links, added frames.")
      .def_prop_ro("n_loops", &Model::n_loops, "Number of loop joints, not included in n_joints.")
      .def_prop_ro("nq", &Model::nq, "Length of a configuration q.")
      .def_prop_ro("nv", &Model::nv, "Length of a velocity v, an acceleration a, joint torques tau.")
      .def_prop_ro("mass", &Model::mass, "Mass of all links including the base, kg.")
      .def_prop_ro("depth", &Model::depth, "Number of joints on the longest path from the base.")
      .def_prop_ro(
          "warnings", [](const Model& x) { return x.warnings(); }, "Warnings about the description.")
      .def_prop_ro(
          "gravity", [](const Model& x) { return x.gravity(); }, "Gravity in base axes, m/s^2.")
      .def_prop_ro(
          "base_acceleration", [](const Model& x) { return x.base_acceleration(); },
          "Acceleration of the base, linear first, base axes, m/s^2 and rad/s^2.")
      .def(
          "with_gravity",
          [](const Model& x, nb::any gravity) { return x.with_gravity(finite_numbers<3>(gravity, "gravity")); },
          nb::arg("gravity"), "The same robot with another gravity, m/s^2 in base axes. Shares all other data.")
      .def(
          "with_base_acceleration",
          [](const Model& x, nb::any a) { return x.with_base_acceleration(finite_numbers<6>(a, "acceleration")); },
          nb::arg("acceleration"),
          "The same robot on an accelerating base: linear first, base axes, m/s^2 and rad/s^2.")
      .def("without_loops", &Model::without_loops,
           "The same robot with its loops open: the tree that its joints span. Shares all other data.")
      .def("parameter", &parameter_of, nb::arg("name"),
           R"(Read-only values of one of tandem.parameters(): masses [n_links] for "mass".

Of links with what was folded into them. A copy of it may be changed and given to a call as parameters={name: array}.)")
      .def_prop_ro(
          "inertial_parameters", [](const Model& x) { return new_array(inertial_parameters(x)); },
          nb::rv_policy::automatic,
          "[10 n_joints] The parameters pi of tandem.inverse_dynamics_regressor, as a new array: for each moving link, "
          "including "
          "merged links, m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz along the axes of its frame, "
          "moments about its origin; kg, kg m, kg m^2.")
      .def("__copy__", [](ModelHandle self) { return self; })
      .def(
          "__deepcopy__", [](ModelHandle self, nb::handle) { return self; }, nb::arg("memo"))
      .def("__getstate__", &state_of)
      .def("__setstate__", [](Model& m, const nb::tuple& state) { new (&m) Model(model_from(state)); })
      .def("__repr__", model_repr);
  bind_names(c);
  bind_arrays(c);
  m.def(
      "load",
      [](const std::filesystem::path& robot, bool floating, std::uint64_t seed, nb::handle packages, bool meshes) {
        return load_and_note(robot.string(), floating, seed, mesh_options(packages, meshes));
      },
      nb::arg("robot"), nb::kw_only(), nb::arg("floating") = false, nb::arg("seed") = 0,
      nb::arg("packages") = nb::tuple(), nb::arg("meshes") = true,
      nb::sig("def load(robot: str | os.PathLike[str], *, floating: bool = False, seed: int = 0, "
              "packages: collections.abc.Sequence[str | os.PathLike[str]] = (), meshes: bool = True) -> Model"),
      R"(A robot by what one would type: a .urdf file, a file of MJCF, which the package mujoco
reads, a generator ("chain:100"), or a shipped robot ("arm7").

floating: hang the root link from the world by a free joint. seed: for generators. packages: folders in which
package:// names of meshes in URDF are searched first, then in ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, and from the folder
of the file upwards. meshes: read the meshes of collision shapes in URDF; False leaves them as contact problems.

Of a mesh in STL or OBJ, and, with the packages trimesh and pycollada, in DAE or PLY, the corners of the convex hull are
read. Meshes are for contacts only: one that is not found or cannot be read is an error of tandem.ContactSet, which names
the file. Raises Error or ModelError.)");
  m.def("shipped_robots", &shipped_robots, "Names of the shipped robots.");
  m.def("shipped_robot", &shipped_robot, nb::arg("name"), "URDF text of a shipped robot.");
  m.def("neutral_configuration", &neutral_configuration, nb::arg("model"));
  m.def(
      "start_configuration",
      [](const Model& model) {
        const StartConfiguration start = start_configuration(model);
        return nb::make_tuple(start.q, start.what);
      },
      nb::arg("model"));
  m.def("random_configuration", &random_configuration, nb::arg("model"), nb::arg("seed"));
  m.def("random_configurations", &random_configurations, nb::arg("model"), nb::arg("first"), nb::arg("rows"));
}

}  // namespace tandem::python
