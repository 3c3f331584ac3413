// SPDX-License-Identifier: Apache-2.0
/// Actuators of a model that MuJoCo has compiled, and what they limit.
#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "mjcf_parts.hpp"

namespace tandem::io {

namespace {

using Range = std::array<double, 2>;

constexpr Range everything{-unlimited, unlimited};

Range times(double factor, const Range& range) {
  if (factor == 0) return {0, 0};
  return factor > 0 ? Range{factor * range[0], factor * range[1]} : Range{factor * range[1], factor * range[0]};
}

Range within(const Range& a, const Range& b) { return {std::max(a[0], b[0]), std::min(a[1], b[1])}; }

}  // namespace

bool MujocoReader::acts_on_joint(int k) const {
  const int transmission = of(m_.actuator_trntype, k);
  return (transmission == mj_joint_actuator || transmission == mj_joint_in_parent) && of(m_.actuator_trnid, 2 * k) >= 0;
}

/// Why an actuator's transmission is not served; empty if it is.
std::string MujocoReader::left_out_transmission(int k) const {
  const int on = of(m_.actuator_trnid, 2 * k);
  switch (of(m_.actuator_trntype, k)) {
    case mj_joint_actuator:
    case mj_joint_in_parent:
      if (on < 0) return "it does not act on a joint";
      return joint_nv(joints_[joint_at_[at(on)]].type) == 1 ? "" : "it acts on a joint with several degrees of freedom";
    case mj_slider_crank: return "it acts by a slider and crank";
    case mj_tendon_actuator: return tendon_names_[at(on)].empty() ? "it acts on a spatial tendon" : "";
    case mj_site_actuator: return of(m_.actuator_trnid, 2 * k + 1, -1) < 0 ? "" : "it acts between two sites";
    case mj_body_actuator: return "it acts by adhesion";
    default: return "it does not act on a joint, tendon or site";
  }
}

/// Why an actuator's force is left out; empty if it is not.
std::string MujocoReader::left_out(int k) const {
  if (!m_.actuation || (m_.disabled_actuators >> std::clamp(of(m_.actuator_group, k), 0, 30) & 1) != 0)
    return "it is disabled";
  if (std::string why = left_out_transmission(k); !why.empty()) return why;
  if (of(m_.actuator_plugin, k, -1) >= 0) return "its force is computed by a plugin";
  if (of(m_.actuator_dyntype, k) == mj_muscle) return "it is a muscle";
  if (of(m_.actuator_dyntype, k) > mj_filter_exact) return "its activation dynamics is not of first order";
  if (of(m_.actuator_dyntype, k) != 0 && of(m_.actuator_actearly, k) != 0)
    return "its force is that of the activation after the step (actearly)";
  if (of(m_.actuator_delay, k) != 0) return "its control is delayed";
  if (of(m_.actuator_gaintype, k) > mj_affine || of(m_.actuator_biastype, k) > mj_affine)
    return "its force is not a linear function of control, position and velocity";
  if (of(m_.actuator_ctrladr, k, k) < 0) return "it has no control";
  return {};
}

template <class F>
void MujocoReader::for_each_driven(int k, F&& f) const {
  const int on = of(m_.actuator_trnid, 2 * k);
  const double gear = of(m_.actuator_gear, 6 * of(m_.actuator_outadr, k, k));
  if (acts_on_joint(k)) f(on, gear);
  if (of(m_.actuator_trntype, k) != mj_tendon_actuator) return;
  for (int part = of(m_.tendon_adr, on); part < of(m_.tendon_adr, on) + of(m_.tendon_num, on); ++part)
    if (of(m_.wrap_type, part) == mj_joint_of_tendon) f(of(m_.wrap_objid, part), gear * of(m_.wrap_prm, part));
}

/// Gain, bias and ranges; a force range that a joint has for one actuator alone is the actuator's.
ActuatorDescription MujocoReader::actuator_of(int k, const std::string& name) const {
  const int n = static_cast<int>(m_.actuator_trntype.size()), control = of(m_.actuator_ctrladr, k, k);
  const int gains = static_cast<int>(m_.actuator_gainprm.size()) / n;
  const int biases = static_cast<int>(m_.actuator_biasprm.size()) / n;
  ActuatorDescription actuator;
  actuator.name = name;
  actuator.source = source("actuator", name);
  const int on = of(m_.actuator_trnid, 2 * k), gear = of(m_.actuator_outadr, k, k);
  if (of(m_.actuator_trntype, k) == mj_site_actuator) {
    actuator.frame = site_names_[at(on)];
    actuator.wrench = row<6>(m_.actuator_gear, gear);
  } else {
    (acts_on_joint(k) ? actuator.joint : actuator.tendon) =
        acts_on_joint(k) ? jnt_names_[at(on)] : tendon_names_[at(on)];
    actuator.gear = of(m_.actuator_gear, 6 * gear);
  }
  actuator.gain = {of(m_.actuator_gainprm, gains * k), 0, 0};
  if (of(m_.actuator_gaintype, k) == mj_affine) actuator.gain = row<3>(m_.actuator_gainprm, k, 0, gains);
  if (of(m_.actuator_biastype, k) == mj_affine) actuator.bias = row<3>(m_.actuator_biasprm, k, 0, biases);
  if (m_.clamps && of(m_.actuator_ctrllimited, control) != 0)
    actuator.ctrl_range = row<2>(m_.actuator_ctrlrange, control);
  if (of(m_.actuator_forcelimited, k) != 0) actuator.force_range = row<2>(m_.actuator_forcerange, k);
  actuator.dynamics = static_cast<ActivationDynamics>(of(m_.actuator_dyntype, k));
  if (!m_.actuator_dynprm.empty())
    actuator.time_constant = of(m_.actuator_dynprm, static_cast<int>(m_.actuator_dynprm.size()) / n * k, 1.0);
  if (of(m_.actuator_actlimited, k) != 0) actuator.act_range = row<2>(m_.actuator_actrange, k);
  return actuator;
}

/// An entry for every control, in their order: those of actuators that are left out push on nothing. What all actuators
/// of a joint can give it is its limit, unless one pushes on a tendon or site that it moves.
void MujocoReader::add_actuators() {
  const int n = static_cast<int>(m_.actuator_trntype.size());
  const int controls = std::max(static_cast<int>(m_.actuator_ctrllimited.size()), m_.actuator_ctrladr.empty() ? n : 0);
  std::vector<ActuatorDescription> actuators(at(controls));
  Taken names;
  std::vector<Range> sums(at(n_joints()), Range{0, 0});
  std::vector<std::vector<std::size_t>> pushing(at(n_joints()));  // controls; one that is none of an actuator left out
  for (int k = 0; k < n; ++k) {
    const std::string name = names.take(name_of(m_.name_actuatoradr, "actuator", k), "_");
    if (acts_on_joint(k)) add_rotor(k, name);
    const int control = of(m_.actuator_ctrladr, k, k);
    if (const std::string why = left_out(k); !why.empty()) {
      warn("actuator", name, "is ignored: ", why);
      for (int c = control; c >= 0 && c < std::min(controls, control + std::max(of(m_.actuator_ctrlnum, k, 1), 1)); ++c)
        actuators[at(c)] = {.name = c == control ? name : names.take(name + ":" + std::to_string(c - control), "_"),
                            .gain = {0, 0, 0},
                            .source = source("actuator", name)};
      if (why == "it is disabled" || !left_out_transmission(k).empty()) continue;
      for_each_driven(k, [&](int joint, double) {
        pushing[at(joint)].push_back(at(controls));
        sums[at(joint)] = everything;
      });
      continue;
    }
    const ActuatorDescription actuator = actuator_of(k, name);
    Range force = actuator.force_range;
    const bool is_motor = actuator.bias == std::array<double, 3>{} && actuator.gain[1] == 0 && actuator.gain[2] == 0;
    const bool has_state = actuator.dynamics != ActivationDynamics::none;
    if (is_motor) force = within(force, times(actuator.gain[0], has_state ? actuator.act_range : actuator.ctrl_range));
    for_each_driven(k, [&](int joint, double factor) {  // joints of a tendon may follow each other
      const Range given = actuator.joint.empty() ? everything : times(factor, force);
      for (std::size_t end = 0; end < 2; ++end) sums[at(joint)][end] += given[end];
      pushing[at(joint)].push_back(actuator.joint.empty() ? at(controls) : at(control));
    });
    if (!actuator.frame.empty())
      for (int body = of(m_.site_bodyid, of(m_.actuator_trnid, 2 * k)); body > 0; body = of(m_.body_parentid, body))
        for (int j = of(m_.body_jntadr, body); j < of(m_.body_jntadr, body) + of(m_.body_jntnum, body); ++j)
          sums[at(j)] = everything;
    if (control < controls) actuators[at(control)] = actuator;
  }
  for (int c = 0; c < controls; ++c)
    if (actuators[at(c)].name.empty()) {
      actuators[at(c)].name = names.take("control" + std::to_string(c), "_");
      actuators[at(c)].gain = {0, 0, 0};
    }
  for (int j = 0; j < n_joints(); ++j) {
    JointDescription& joint = joints_[joint_at_[at(j)]];
    Range range = of(m_.jnt_actfrclimited, j) != 0 ? row<2>(m_.jnt_actfrcrange, j) : everything;
    const bool is_lopsided = range[0] != -range[1];
    const std::vector<std::size_t>& mine = pushing[at(j)];
    if (is_lopsided && mine.size() == 1 && mine[0] < at(controls) && actuators[mine[0]].gear != 0)
      actuators[mine[0]].force_range =
          within(actuators[mine[0]].force_range, times(1 / actuators[mine[0]].gear, range));
    if (!mine.empty()) range = within(range, sums[at(j)]);
    if (mine.empty() && of(m_.jnt_actfrclimited, j) == 0) continue;
    joint.effort = std::max(std::abs(range[0]), std::abs(range[1]));
    if (range[0] != -range[1])
      warn("joint", joint.name, "takes forces from ", range[0], " to ", range[1],
           "; the larger magnitude is used as the limit in both directions");
  }
  for (ActuatorDescription& actuator : actuators) {
    control_names_.push_back(actuator.name);
    robot_.actuator(std::move(actuator));
  }
}

/// What turns with the motor counts whatever drives it.
void MujocoReader::add_rotor(int k, const std::string& name) {
  JointDescription& driven = joints_[joint_at_[at(of(m_.actuator_trnid, 2 * k))]];
  const double gear = of(m_.actuator_gear, 6 * of(m_.actuator_outadr, k, k));
  driven.armature += gear * gear * of(m_.actuator_armature, k);
  if (m_.damping) driven.damping += gear * gear * of(m_.actuator_damping, k);
  const auto further = row<2>(m_.actuator_dampingpoly, k);
  if (further[0] != 0 || further[1] != 0)
    warn("actuator", name, "has damping with higher powers of the velocity, which are ignored");
}

}  // namespace tandem::io
