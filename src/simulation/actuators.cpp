// SPDX-License-Identifier: Apache-2.0
/// Joint forces of actuators, and controllers that are the same.
#include "tandem/api/actuators.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/text.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/error.hpp"

namespace tandem {

namespace {

void require(const char* function, const char* name, std::size_t given, int expected, const char* why) {
  if (given != at(expected))
    throw Error(sentence(function, ": ", name, " has ", given, " numbers, expected ", expected, ": this robot has ",
                         why, " = ", expected));
}

constexpr double least_time_constant = 1e-15;  // MuJoCo's mjMINVAL, s

/// f = offset + slope l + rate dl/dt of an actuator with a control, before f is clipped.
struct Line {
  double offset, slope, rate;
};

double clipped(double x, const std::array<double, 2>& range) { return std::clamp(x, range[0], range[1]); }

/// `input`: the clipped control, or the activation.
Line line_of(const Actuator& actuator, double input) {
  const auto number = [&](std::size_t k) { return actuator.gain[k] * input + actuator.bias[k]; };
  return {number(0), number(1), number(2)};
}

void require_controls(const Model& model, const char* function, std::span<const double> ctrl) {
  require(function, "ctrl", ctrl.size(), static_cast<int>(actuators(model).size()), "actuators");
  for (std::size_t k = 0; k < ctrl.size(); ++k)
    if (!std::isfinite(ctrl[k]))
      throw Error(
          sentence(function, ": ctrl[", k, "], of actuator ", in_quotes(actuators(model)[k].name), ", is not finite"));
}

bool has_dynamics(const Actuator& actuator) { return actuator.dynamics != ActivationDynamics::none; }

void require_activations(const Model& model, const char* function, std::span<const double> act) {
  if (act.size() == at(activations(model))) return;
  const auto first = std::ranges::find_if(actuators(model), has_dynamics);
  throw Error(sentence(function, ": act has ", act.size(), " numbers, expected ", activations(model),
                       first == actuators(model).end()
                           ? std::string(": this robot has no actuators with activations")
                           : sentence(", of the actuators with activations; the first is ", in_quotes(first->name))));
}

/// The joint's own position by that of its row: position = multiplier q + offset.
MimicRule rule_of(const Model& model, int joint) {
  const MimicRule rule = model.mimic_rule(joint);
  return rule.joint ? rule : MimicRule{joint, 1, 0};
}

}  // namespace

void actuator_forces(const Model& model, std::span<const double> q, std::span<const double> v,
                     std::span<const double> ctrl, std::span<double> tau, std::span<const double> act) {
  require("actuator_forces", "q", q.size(), model.nq(), "nq");
  require("actuator_forces", "v", v.size(), model.nv(), "nv");
  require("actuator_forces", "tau", tau.size(), model.nv(), "nv");
  require_controls(model, "actuator_forces", ctrl);
  require_activations(model, "actuator_forces", act);
  std::ranges::fill(tau, 0.0);
  std::size_t next = 0;
  for (std::size_t k = 0; k < ctrl.size(); ++k) {
    const Actuator& actuator = actuators(model)[k];
    const double input = has_dynamics(actuator) ? act[next++] : clipped(ctrl[k], actuator.ctrl_range);
    if (actuator.joint == 0) continue;
    const MimicRule rule = rule_of(model, actuator.joint);
    const Line f = line_of(actuator, input);
    const std::size_t row = at(model.v_index(actuator.joint));
    const double length = actuator.gear * (rule.multiplier * q[at(model.q_index(actuator.joint))] + rule.offset);
    const double speed = actuator.gear * rule.multiplier * v[row];
    const double force =
        std::clamp(f.offset + f.slope * length + f.rate * speed, actuator.force_range[0], actuator.force_range[1]);
    tau[row] += rule.multiplier * actuator.gear * force;
  }
  const double* limit = model.view<double>().tau_limit;
  for (std::size_t row = 0; row < tau.size(); ++row) tau[row] = std::clamp(tau[row], -limit[row], limit[row]);
}

void advance_activations(const Model& model, std::span<const double> ctrl, double dt, std::span<double> act) {
  require_controls(model, "advance_activations", ctrl);
  require_activations(model, "advance_activations", act);
  if (!(dt > 0) || !std::isfinite(dt))
    throw Error(sentence("advance_activations: dt is ", dt, ", expected a positive number"));
  std::size_t next = 0;
  for (std::size_t k = 0; k < ctrl.size(); ++k) {
    const Actuator& actuator = actuators(model)[k];
    if (!has_dynamics(actuator)) continue;
    double& a = act[next++];
    const double u = clipped(ctrl[k], actuator.ctrl_range), T = std::max(actuator.time_constant, least_time_constant);
    switch (actuator.dynamics) {
      case ActivationDynamics::integrator: a += dt * u; break;
      case ActivationDynamics::filter: a += dt * (u - a) / T; break;
      default: a += (u - a) * -std::expm1(-dt / T);
    }
    a = clipped(a, actuator.act_range);
  }
}

ActuatorDrive actuator_drive(const Model& model, std::span<const double> ctrl) {
  require_controls(model, "actuator_drive", ctrl);
  const std::size_t nv = at(model.nv());
  ActuatorDrive drive{std::vector<double>(nv),
                      {neutral_configuration(model), std::vector<double>(nv), std::vector<double>(nv)}};
  for (std::size_t k = 0; k < ctrl.size(); ++k) {
    const Actuator& actuator = actuators(model)[k];
    if (has_dynamics(actuator))
      throw Error(sentence("actuator_drive: actuator ", in_quotes(actuator.name), " has an activation, which a "
                           "controller cannot represent; use actuator_forces and advance_activations in every step"));
    if (actuator.joint == 0) continue;
    const MimicRule rule = rule_of(model, actuator.joint);
    const Line f = line_of(actuator, clipped(ctrl[k], actuator.ctrl_range));
    const std::size_t row = at(model.v_index(actuator.joint));
    const double gear = actuator.gear * rule.multiplier;
    if (f.slope > 0 || f.rate > 0)
      throw Error(sentence("actuator_drive: the force of actuator ", in_quotes(actuator.name), " grows with the ",
                           f.slope > 0 ? "position" : "velocity",
                           " of its joint, which a controller cannot represent; use actuator_forces in every step"));
    drive.tau[row] += gear * (f.offset + f.slope * actuator.gear * rule.offset);
    drive.controller.kp[row] -= gear * gear * f.slope;
    drive.controller.kd[row] -= gear * gear * f.rate;
  }
  for (int joint = 1; joint <= model.n_joints(); ++joint) {  // what servos hold is where they lead to
    if (joint_nv(model.joint_type(joint)) != 1 || model.is_mimic(joint)) continue;
    const std::size_t row = at(model.v_index(joint));
    const double kp = drive.controller.kp[row];
    if (!(kp > 0)) continue;
    drive.controller.q_target[at(model.q_index(joint))] = drive.tau[row] / kp;
    drive.tau[row] = 0;
  }
  return drive;
}

}  // namespace tandem
