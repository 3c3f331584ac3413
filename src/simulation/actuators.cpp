// SPDX-License-Identifier: Apache-2.0
/// Joint forces of actuators, and controllers that are the same.
#include "tandem/api/actuators.hpp"

#include <algorithm>
#include <cmath>

#include "actuate.hpp"
#include "core/at.hpp"
#include "core/text.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/error.hpp"
#include "tandem/model/tendons.hpp"

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
  check_controls(function, model, ctrl);
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

/// Calls f(row of q, row of v, c, o) for joints on which an actuator acts: its length is the sum of c q + o over them.
template <class F>
void for_each_joint(const Model& model, const Actuator& actuator, F&& f) {
  const auto part = [&](int joint, double gear) {
    const MimicRule rule = model.mimic_rule(joint);
    f(at(model.q_index(joint)), at(model.v_index(joint)), gear * (rule.joint ? rule.multiplier : 1),
      gear * (rule.joint ? rule.offset : 0));
  };
  if (actuator.joint != 0) part(actuator.joint, actuator.gear);
  if (actuator.tendon >= 0)
    for (const Tendon::Part& each : tendons(model)[at(actuator.tendon)].joints)
      part(each.joint, actuator.gear * each.coefficient);
}

/// tau += J^T (wrench f) of the actuator's frame.
void push_frame(const Model& model, std::span<const double> q, const Actuator& actuator, double f,
                std::span<double> tau) {
  thread_local Workspace<double> work;
  std::vector<double> J(6 * tau.size());
  jacobian<double>(model, q, actuator.frame, Reference::local, J, work);
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t row = 0; row < tau.size(); ++row) tau[row] += actuator.wrench[k] * f * J[k * tau.size() + row];
}

}  // namespace

void check_controls(std::string_view function, const Model& model, std::span<const double> ctrl,
                    std::string_view where) {
  for (std::size_t k = 0; k < ctrl.size(); ++k)
    if (!std::isfinite(ctrl[k]))
      throw Error(sentence(function, ": ctrl[", k, "], of actuator ", in_quotes(actuators(model)[k].name),
                           ", is not finite", where));
}

bool depends_on_state(const Actuator& actuator) {
  return has_dynamics(actuator) || actuator.frame >= 0 || actuator.gain[1] != 0 || actuator.gain[2] != 0 ||
         actuator.bias[1] != 0 || actuator.bias[2] != 0;
}

void actuate(const Model& model, const ActuatorState& state, std::span<double> tau, std::span<double> damping) {
  std::ranges::fill(tau, 0.0);
  std::ranges::fill(damping, 0.0);
  std::size_t next = 0;
  for (std::size_t k = 0; k < state.ctrl.size(); ++k) {
    const Actuator& actuator = actuators(model)[k];
    const double input = has_dynamics(actuator) ? state.act[next++] : clipped(state.ctrl[k], actuator.ctrl_range);
    if (!actuator.acts()) continue;
    const Line f = line_of(actuator, input);
    double length = 0, speed = 0;
    int joints = 0;
    for_each_joint(model, actuator, [&](std::size_t iq, std::size_t iv, double c, double o) {
      length += c * state.q[iq] + o;
      speed += c * state.v[iv];
      ++joints;
    });
    const double force = f.offset + f.slope * length + f.rate * speed, held = clipped(force, actuator.force_range);
    for_each_joint(model, actuator, [&](std::size_t, std::size_t iv, double c, double) {
      tau[iv] += c * held;
      if (!damping.empty() && joints == 1 && f.rate < 0 && held == force) damping[iv] -= c * c * f.rate;
    });
    if (actuator.frame >= 0) push_frame(model, state.q, actuator, held, tau);
  }
  const double* limit = model.view<double>().tau_limit;
  for (std::size_t row = 0; row < tau.size(); ++row) tau[row] = std::clamp(tau[row], -limit[row], limit[row]);
}

void actuator_forces(const Model& model, std::span<const double> q, std::span<const double> v,
                     std::span<const double> ctrl, std::span<double> tau, std::span<const double> act) {
  require("actuator_forces", "q", q.size(), model.nq(), "nq");
  require("actuator_forces", "v", v.size(), model.nv(), "nv");
  require("actuator_forces", "tau", tau.size(), model.nv(), "nv");
  require_controls(model, "actuator_forces", ctrl);
  require_activations(model, "actuator_forces", act);
  actuate(model, {q, v, ctrl, act}, tau);
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
  std::vector<double> tau(nv), target = neutral_configuration(model), kp(nv), kd(nv);
  for (std::size_t k = 0; k < ctrl.size(); ++k) {
    const Actuator& actuator = actuators(model)[k];
    const auto refuse = [&](const char* why) {
      throw Error(sentence("actuator_drive: actuator ", in_quotes(actuator.name), why,
                           ", which a controller cannot represent; give ctrl to the simulation"));
    };
    if (has_dynamics(actuator)) refuse(" has an activation");
    if (actuator.frame >= 0) refuse(" acts on a frame");
    const Line f = line_of(actuator, clipped(ctrl[k], actuator.ctrl_range));
    if (f.slope > 0) refuse(" has a force that grows with the position of its joint");
    if (f.rate > 0) refuse(" has a force that grows with the velocity of its joint");
    int joints = 0;
    for_each_joint(model, actuator, [&](std::size_t, std::size_t, double, double) { ++joints; });
    if (joints > 1 && (f.slope != 0 || f.rate != 0)) refuse(" is a servo of a tendon of several joints");
    for_each_joint(model, actuator, [&](std::size_t, std::size_t row, double c, double o) {
      tau[row] += c * (f.offset + f.slope * o);
      kp[row] -= c * c * f.slope;
      kd[row] -= c * c * f.rate;
    });
  }
  for (int joint = 1; joint <= model.n_joints(); ++joint) {  // what servos hold is where they lead to
    if (joint_nv(model.joint_type(joint)) != 1 || model.is_mimic(joint)) continue;
    const std::size_t row = at(model.v_index(joint));
    if (!(kp[row] > 0)) continue;
    target[at(model.q_index(joint))] = tau[row] / kp[row];
    tau[row] = 0;
  }
  return {std::move(tau), {std::move(target), std::move(kp), std::move(kd)}};
}

}  // namespace tandem
