// SPDX-License-Identifier: Apache-2.0
/// Actuators of a model, to read, and the joint forces of their controls.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "description.hpp"
#include "values.hpp"

namespace tandem::python {
namespace {

struct NamedActuator {
  Actuator actuator;
  std::optional<std::string> joint, tendon, frame;
};

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NewRows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::span<const double> row(const Rows& rows, std::size_t k) {
  return {rows.data() + k * rows.shape(1), rows.shape(1)};
}
std::span<double> row(const NewRows& rows, std::size_t k) { return {rows.data() + k * rows.shape(1), rows.shape(1)}; }

void forces(const Model& model, const Rows& q, const Rows& v, const Rows& ctrl, const Rows& act, const NewRows& tau) {
  for (std::size_t k = 0; k < tau.shape(0); ++k)
    actuator_forces(model, row(q, k), row(v, k), row(ctrl, k), row(tau, k), row(act, k));
}

void advance(const Model& model, const Rows& ctrl, double dt, const NewRows& act) {
  for (std::size_t k = 0; k < act.shape(0); ++k) advance_activations(model, row(ctrl, k), dt, row(act, k));
}

void drive(const Model& model, const Rows& ctrl, const NewRows& tau, const std::array<NewRows, 3>& controller) {
  for (std::size_t k = 0; k < tau.shape(0); ++k) {
    const ActuatorDrive of = actuator_drive(model, row(ctrl, k));
    std::ranges::copy(of.tau, row(tau, k).begin());
    std::size_t n = 0;
    for_each_controller_input(
        [&](const Argument&, const auto& values) { std::ranges::copy(values, row(controller[n++], k).begin()); },
        of.controller);
  }
}

ModelBuilder& add_actuator(ModelBuilder& self, const std::string& name, const std::string& joint,
                           const std::string& tendon, const std::string& frame, nb::any wrench, double gear,
                           nb::any gain, nb::any bias, nb::any ctrl_range, nb::any force_range,
                           std::string_view dynamics, double time_constant, nb::any act_range) {
  const std::string what = "actuator \"" + name + "\"";
  self.actuator({.name = name,
                 .joint = joint,
                 .gear = gear,
                 .gain = numbers<3>(gain, what + ": gain"),
                 .bias = numbers<3>(bias, what + ": bias"),
                 .ctrl_range = numbers<2>(ctrl_range, what + ": ctrl_range"),
                 .force_range = numbers<2>(force_range, what + ": force_range"),
                 .source = {},
                 .dynamics = from_name<ActivationDynamics>(dynamics),
                 .time_constant = time_constant,
                 .act_range = numbers<2>(act_range, what + ": act_range"),
                 .tendon = tendon,
                 .frame = frame,
                 .wrench = numbers<6>(wrench, what + ": wrench")});
  return self;
}

constexpr const char* class_doc = R"(An actuator, such as a motor or a servo, of a joint, a fixed tendon or a frame, as in MJCF.

With q the position of a joint with one degree of freedom or the length of a tendon, v its rate, l = gear q and dl = gear
v::

    f = clip((gain[0] + gain[1] l + gain[2] dl) clip(ctrl) + bias[0] + bias[1] l + bias[2] dl)

It acts on a joint with the torque gear f, on the joints of a tendon with coefficient gear f, and on a frame, where l = 0,
with f times a wrench along the axes of the frame, like a rotor of a drone. The control is clipped to ctrl_range and the force f to force_range. A motor has the gain (1, 0, 0) and no bias; a
position servo has the gain (kp, 0, 0) and the bias (0, -kp, -kv); a velocity servo has the gain (kv, 0, 0) and the bias
(0, 0, -kv).)";

constexpr const char* add_doc = R"(Add an actuator of a joint with one degree of freedom, a tendon or a frame, see tandem.Actuator.

tendon, frame: its name, in place of that of a joint. wrench: of a frame, force and torque in m per unit of f. gear: 1 for angles, 1/m for lengths. gain, bias: three numbers each, N m|N, the last two also per l and per dl.
ctrl_range, force_range: limits of the control and of the force f. dynamics: "none", or that of an activation, which acts
in place of the control: "integrator", "filter" or "filter_exact" (a lag with the time constant [s]); act_range: its
limits.)";

}  // namespace

void bind_actuators(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<NamedActuator>(m, "Actuator", class_doc)
      .def_prop_ro(
          "name", [](const NamedActuator& a) { return a.actuator.name; }, "Its name.")
      .def_prop_ro(
          "joint",
          [](const NamedActuator& a) { return a.joint; },
          nb::sig("def joint(self) -> str | None"), "Name of its joint, or None.")
      .def_prop_ro(
          "tendon", [](const NamedActuator& a) { return a.tendon; }, nb::sig("def tendon(self) -> str | None"),
          "Name of its tendon, or None.")
      .def_prop_ro(
          "frame", [](const NamedActuator& a) { return a.frame; }, nb::sig("def frame(self) -> str | None"),
          "Name of its frame, or None. An actuator without joint, tendon and frame is ignored.")
      .def_prop_ro(
          "wrench", [](const NamedActuator& a) { return tuple_of(a.actuator.wrench); },
          nb::sig("def wrench(self) -> tuple[float, float, float, float, float, float]"),
          "Of a frame: force, then torque in m, per unit of f.")
      .def_prop_ro(
          "gear", [](const NamedActuator& a) { return a.actuator.gear; }, "Gear ratio: 1, or 1/m for prismatic joints.")
      .def_prop_ro(
          "gain", [](const NamedActuator& a) { return tuple_of(a.actuator.gain); },
          nb::sig("def gain(self) -> tuple[float, float, float]"),
          "Force gain, N m|N: constant, per length and per velocity, times the control.")
      .def_prop_ro(
          "bias", [](const NamedActuator& a) { return tuple_of(a.actuator.bias); },
          nb::sig("def bias(self) -> tuple[float, float, float]"),
          "Force bias, N m|N: constant, per length and per velocity.")
      .def_prop_ro(
          "ctrl_range", [](const NamedActuator& a) { return tuple_of(a.actuator.ctrl_range); },
          nb::sig("def ctrl_range(self) -> tuple[float, float]"), "Range to which the control is clipped.")
      .def_prop_ro(
          "force_range", [](const NamedActuator& a) { return tuple_of(a.actuator.force_range); },
          nb::sig("def force_range(self) -> tuple[float, float]"), "Range to which the force is clipped, N m|N.")
      .def_prop_ro(
          "dynamics", [](const NamedActuator& a) { return to_string(a.actuator.dynamics); },
          "Dynamics of its activation: \"none\", \"integrator\", \"filter\" or \"filter_exact\".")
      .def_prop_ro(
          "time_constant", [](const NamedActuator& a) { return a.actuator.time_constant; }, "Of a filter, s.")
      .def_prop_ro(
          "act_range", [](const NamedActuator& a) { return tuple_of(a.actuator.act_range); },
          nb::sig("def act_range(self) -> tuple[float, float]"), "Range to which the activation is clipped.")
      .def("__repr__", [](const NamedActuator& a) {
        const std::string on = a.joint    ? "on joint \"" + *a.joint + "\""
                               : a.tendon ? "on tendon \"" + *a.tendon + "\""
                               : a.frame  ? "on frame \"" + *a.frame + "\""
                                          : "ignored";
        return "<tandem.Actuator \"" + a.actuator.name + "\": " + on + ">";
      });
  auto model = nb::borrow<nb::class_<Model>>(m.attr("Model"));
  model
      .def_prop_ro(
          "nu", [](const Model& x) { return actuators(x).size(); },
          "Number of actuators, the length of the controls ctrl.")
      .def_prop_ro("na", &activations, "Number of activations: of actuators with dynamics, in their order.")
      .def_prop_ro(
          "actuators",
          [](const Model& x) {
            std::vector<NamedActuator> all;
            const auto given = [](bool is, auto&& name) {
              return is ? std::optional(std::string(name())) : std::nullopt;
            };
            for (const Actuator& a : actuators(x))
              all.push_back({a, given(a.joint != 0, [&] { return x.joint_name(a.joint); }),
                             given(a.tendon >= 0, [&] { return tendons(x)[static_cast<std::size_t>(a.tendon)].name; }),
                             given(a.frame >= 0, [&] { return x.frame_name(a.frame); })});
            return all;
          },
          "Actuators of an MJCF file, in the order of their controls.")
      .def(
          "controls",
          [](const Model& x, std::string_view name) {
            const auto ctrl = controls(x, name);
            return new_array<NewValues>({ctrl.begin(), ctrl.end()});
          },
          "name"_a, nb::rv_policy::automatic,
          "[nu] Controls of a named configuration, such as a keyframe of MJCF, as a new array; zeros if it has "
          "none.");
  auto builder = nb::borrow<nb::class_<ModelBuilder>>(m.attr("ModelBuilder"));
  const auto everything = nb::make_tuple(-unlimited, unlimited);
  builder
      .def("actuator", &add_actuator, "name"_a, "joint"_a = "", nb::kw_only(), "tendon"_a = "", "frame"_a = "",
           "wrench"_a = nb::make_tuple(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), "gear"_a = 1.0,
           "gain"_a = nb::make_tuple(1.0, 0.0, 0.0), "bias"_a = nb::make_tuple(0.0, 0.0, 0.0),
           "ctrl_range"_a = everything, "force_range"_a = everything, "dynamics"_a = "none", "time_constant"_a = 1.0,
           "act_range"_a = everything, nb::rv_policy::none, add_doc)
      .def_prop_ro(
          "actuator_names", [](const ModelBuilder& b) { return names_of(b.actuators()); },
          "Names of the actuators, in the order of their controls.")
      .def("remove_actuator", &ModelBuilder::remove_actuator, "name"_a, nb::rv_policy::none, "Remove an actuator.");
  m.def("actuator_forces", &forces, "model"_a, "q"_a, "v"_a, "ctrl"_a, "act"_a, "tau"_a, "Rows of all; fills tau.");
  m.def("advance_activations", &advance, "model"_a, "ctrl"_a, "dt"_a, "act"_a, "Rows; changes act.");
  m.def("actuator_drive", &drive, "model"_a, "ctrl"_a, "tau"_a, "controller"_a,
        "Rows; fills all but ctrl.");
}

}  // namespace tandem::python
