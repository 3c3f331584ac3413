// SPDX-License-Identifier: Apache-2.0
/// Models that MuJoCo has compiled, from the attributes that its Python classes have: of any version.
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "tandem/io/mujoco_arrays.hpp"

namespace tandem::python {
namespace {

template <class T>
std::vector<T> rows(nb::handle array) {
  const char* const type = std::is_same_v<T, int> ? "int32" : "float64";
  return nb::cast<std::vector<T>>(array.attr("ravel")().attr("astype")(type).attr("tolist")());
}

std::string characters(nb::handle bytes) {
  const auto all = nb::cast<nb::bytes>(bytes);
  return {all.c_str(), all.size()};
}

using M = MujocoModel;
using Flag = bool M::*;

/// What flags of MuJoCo switch.
constexpr std::pair<const char*, Flag> flags[] = {
    {"springs", &M::springs},
    {"damping", &M::damping},
    {"friction", &M::friction},
    {"limits", &M::limits},
    {"equalities", &M::equalities},
    {"gravity", &M::falls},
    {"actuation", &M::actuation},
    {"clamps", &M::clamps},
    {"contacts", &M::contacts},
    {"filter_parent", &M::filter_parent},
    {"explicit_damping", &M::explicit_damping},
    {"short_time_constants", &M::short_time_constants},
    {"exact_diagonal", &M::exact_diagonal},
    {"margins_add", &M::margins_add},
    {"overrides", &M::overrides},
};

ModelBuilder read(nb::handle theirs, const nb::dict& enabled, const std::string& name,
                  const std::vector<std::string>& told, const std::vector<std::string>& unread) {
  MujocoModel ours;
  const auto take = [&]<class T>(std::vector<T>& mine, const char* field) {
    const nb::object array = nb::getattr(theirs, field, nb::none());  // not of every version
    if (!array.is_none()) mine = rows<T>(array);
  };
#define TANDEM_TAKE(name, ...) take(ours.name, #name);
  TANDEM_MUJOCO_ARRAYS(TANDEM_TAKE)
#undef TANDEM_TAKE
  ours.names = characters(theirs.attr("names"));
  ours.text_data = characters(theirs.attr("text_data"));
  const nb::object options = theirs.attr("opt");
  const auto three = [&](const char* field) {
    const std::vector<double> all = rows<double>(options.attr(field));
    return std::array<double, 3>{all.at(0), all.at(1), all.at(2)};
  };
  ours.gravity = three("gravity");
  ours.density = nb::cast<double>(options.attr("density"));
  ours.viscosity = nb::cast<double>(options.attr("viscosity"));
  for (const auto& [flag, member] : flags) ours.*member = nb::cast<bool>(enabled[flag]);
  ours.noslip_iterations = nb::cast<int>(nb::getattr(options, "noslip_iterations", nb::int_(0)));
  ours.geom_unread = unread;
  ours.cone = nb::cast<int>(options.attr("cone"));
  ours.integrator = nb::cast<int>(options.attr("integrator"));
  ours.impratio = nb::cast<double>(options.attr("impratio"));
  ours.timestep = nb::cast<double>(options.attr("timestep"));
  ours.disabled_actuators = nb::cast<int>(nb::getattr(options, "disableactuator", nb::int_(0)));
  ours.sensors = nb::cast<int>(theirs.attr("nsensor"));
  ModelBuilder robot = read_mujoco(ours, name);
  for (const std::string& text : told) robot.warning({name, 0, {}}, "MuJoCo: " + text);
  return robot;
}

}  // namespace

void bind_mjcf(nb::module_& m) {
  using namespace nb::literals;
  m.def("read_mujoco", &read, "model"_a, "enabled"_a, "name"_a, "told"_a, "unread"_a,
        "Reads a mujoco.MjModel; flags, see _flags; warnings of MuJoCo; for each shape, why it is not read.");
}

}  // namespace tandem::python
