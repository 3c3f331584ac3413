// SPDX-License-Identifier: Apache-2.0
/// The parts that make up the extension module tandem._core.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "tandem/tandem.hpp"

namespace tandem::python {

namespace nb = nanobind;

/// Text as Python has it; bytes that are no UTF-8 become replacement characters.
inline nb::str text(std::string_view s) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace"));
}

/// A fixed number of numbers from any sequence. `what` names it in the message of the Error.
template <std::size_t n>
std::array<double, n> numbers(nb::handle given, const std::string& what) {
  std::array<double, n> result{};
  if (!nb::try_cast(given, result))
    throw Error(what + " must be " + std::to_string(n) + " numbers, not " + nb::cast<std::string>(nb::repr(given)));
  return result;
}

/// The same, none of them NaN or infinite.
template <std::size_t n>
std::array<double, n> finite_numbers(nb::handle given, const std::string& what) {
  const std::array<double, n> result = numbers<n>(given, what);
  for (const double x : result)
    if (!std::isfinite(x))
      throw Error(what + " is " + nb::cast<std::string>(nb::repr(given)) + ", expected finite numbers");
  return result;
}

/// Numbers as Python's tuple.
template <std::size_t n>
nb::tuple tuple_of(const std::array<double, n>& numbers) {
  return nb::tuple(nb::cast(numbers));
}

/// "'revolute', 'prismatic', ...": the types of joints, those that move or all, for docstrings.
inline std::string joint_type_names(bool all) {
  std::string names;
  for (const JointKind& kind : NamesOf<JointType>::table)
    if (all || kind.nv > 0) names += (names.empty() ? "'" : ", '") + std::string(kind.name) + "'";
  return names;
}

/// Options by their names in struct Options: a dict.
Options options_from(const Algorithm& algorithm, const Model& model, nb::handle given);

/// What the options of simulations and rollouts have in common, as `stepper_options` in Python gives it.
template <class StepperOptions>
StepperOptions stepper_options(const Model& model, nb::dict given) {
  StepperOptions options;
  const auto name = [&](const char* of) { return nb::cast<std::string_view>(given[of]); };
  options.dt = nb::cast<double>(given["dt"]);
  options.integrator = from_name<Integrator>(name("integrator"));
  options.gravity_compensation = nb::cast<bool>(given["gravity_compensation"]);
  options.effort_limits = nb::cast<bool>(given["effort_limits"]);
  options.limits = nb::cast<bool>(given["limits"]);
  options.max_speed = nb::cast<double>(given["max_speed"]);
  options.specialise = from_name<Specialise>(name("specialise"));
  options.dynamics = options_from(find_algorithm("forward_dynamics"), model, given["dynamics"]);
  if (const nb::object contacts = given["contacts"]; !contacts.is_none()) {
    const auto& dynamics = nb::cast<const ContactDynamics&>(contacts);
    options.contacts = dynamics.set();
    options.contact_dynamics = dynamics.options();
  }
  if (!given["contact_damping"].is_none())
    options.contact_damping = from_name<ContactDamping>(name("contact_damping"));
  return options;
}

void bind_errors();
void bind_model(nb::module_& m);
void bind_actuators(nb::module_& m);
void bind_tendons(nb::module_& m);
void bind_couplers(nb::module_& m);
void bind_shapes(nb::module_& m);
void bind_meshes(nb::module_& m);
void bind_contacts(nb::module_& m);
void bind_builder(nb::module_& m);
void bind_edits(nb::module_& m);
void bind_algorithms(nb::module_& m);
void bind_plan(nb::module_& m);
void bind_simulation(nb::module_& m);
void bind_rollout(nb::module_& m);
void bind_check(nb::module_& m);
void bind_macroparallel(nb::module_& m);
void bind_schedule(nb::module_& m);
void bind_mjcf(nb::module_& m);
void bind_xla_calls(nb::module_& m);

}  // namespace tandem::python
