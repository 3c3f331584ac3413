// SPDX-License-Identifier: Apache-2.0
/// Descriptions of models: the way back from build(), and models made of models.
#include <algorithm>

#include "core/at.hpp"
#include "core/text.hpp"
#include "description.hpp"
#include "edit.hpp"
#include "shapes.hpp"
#include "tandem/model/contact.hpp"
#include "tandem/error.hpp"
#include "tandem/model/actuators.hpp"

namespace tandem {

using namespace model_detail;

namespace {

/// The frames that were links of their own come first of all that are no links.
int end_of_folded(const Model& m) {
  int f = m.n_links();
  while (f < m.n_frames() && !m.fixed_joint_name(f).empty()) ++f;
  return f;
}

LinkDescription link_of(const Model& m, int i) {
  const MassProperties of_mass = m.mass_properties(i);
  LinkDescription link = {
      .name = std::string(m.link_name(i)), .mass = of_mass.mass, .com = of_mass.com, .inertia = of_mass.inertia};
  for (const CarriedMass& carried : carried_masses(m)) {
    if (carried.link != i) continue;
    link.carried_mass = carried.mass;
    const double *const E = m.view<double>().frame_placement + 12 * std::int64_t{i}, *const r = E + 9;
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t k = 0; k < 3; ++k) link.carried_com[row] += E[3 * row + k] * (carried.position[k] - r[k]);
  }
  return link;
}

JointDescription joint_of(const Model& m, int i) {
  JointDescription joint;
  joint.name = m.joint_name(i);
  joint.type = m.joint_type(i);
  joint.parent = m.link_name(m.parent(i));
  joint.child = m.link_name(i);
  joint.placement = m.joint_placement(i);
  if (joint_kind(joint.type).has_axis) joint.axis = m.joint_axis(i);
  joint.pitch = m.joint_pitch(i);
  if (const MimicRule rule = m.mimic_rule(i); rule.joint) {  // the rows are the other joint's
    joint.mimic = m.joint_name(rule.joint);
    joint.multiplier = rule.multiplier;
    joint.offset = rule.offset;
    return joint;
  }
  const JointLimits limits = m.joint_limits(i);
  joint.lower = limits.lower;
  joint.upper = limits.upper;
  joint.velocity = limits.velocity;
  joint.effort = limits.effort;
  const JointDynamics own = m.joint_dynamics(i);
  joint.damping = own.damping;
  joint.friction = own.friction;
  joint.armature = own.armature;
  joint.stiffness = own.stiffness;
  joint.rest = own.rest;
  const auto row = static_cast<std::size_t>(m.v_index(i));
  if (const auto rows = limit_softness(m); !rows.empty() && joint_nv(joint.type) > 0) joint.limit_softness = rows[row];
  if (const auto rows = friction_softness(m); !rows.empty() && joint_nv(joint.type) > 0)
    joint.friction_softness = rows[row];
  return joint;
}

/// Joints and folded frames in an order in which build() numbers both as they are numbered: siblings as their first
/// folded frames come.
std::vector<int> order_of(const Model& m, int folded) {
  std::vector<int> first(at(m.n_links()), folded);  // the first folded frame on a link or behind it
  for (int f = folded; f-- > m.n_links();) first[at(m.frame_link(f))] = f;
  for (int i = m.n_links(); i-- > 1;) first[at(m.parent(i))] = std::min(first[at(m.parent(i))], first[at(i)]);
  std::vector<int> before(at(m.n_links()), -1);  // the key of the sibling before
  std::vector<std::pair<int, int>> keys;
  for (int i = 1; i < m.n_links(); ++i) {
    int& key = before[at(m.parent(i))];
    if (first[at(i)] < folded) key = first[at(i)];
    keys.emplace_back(key, i);
  }
  for (int f = m.n_links(); f < folded; ++f) keys.emplace_back(f, f);
  std::ranges::sort(keys);
  std::vector<int> order;
  for (const auto& [key, index] : keys) order.push_back(index);
  return order;
}

}  // namespace

ModelBuilder describe(const Model& m) {
  for (const double x : m.base_acceleration())
    if (x != 0)
      throw Error(
          sentence("describe: the base of ", element("robot", m.name()),
                   " accelerates, which a description cannot represent; remove it by with_base_acceleration({})"));
  const int folded = end_of_folded(m);
  ModelBuilder robot(m.name());
  robot.gravity(m.gravity());
  robot.reserve(static_cast<std::size_t>(folded));
  for (int i = 0; i < m.n_links(); ++i) robot.link(link_of(m, i));
  for (int f = m.n_links(); f < folded; ++f) robot.link({.name = std::string(m.frame_name(f))});
  for (const int k : order_of(m, folded)) {
    if (k < m.n_links()) {
      robot.joint(joint_of(m, k));
      continue;
    }
    JointDescription fixed = {.name = std::string(m.fixed_joint_name(k)),
                              .parent = std::string(m.link_name(m.frame_link(k))),
                              .child = std::string(m.frame_name(k))};
    fixed.placement = m.frame_placement(k);
    robot.joint(std::move(fixed));
  }
  for (int f = folded; f < m.n_frames(); ++f)
    robot.frame({std::string(m.frame_name(f)), std::string(m.link_name(m.frame_link(f))), m.frame_placement(f), {}});
  for (int l = 0; l < m.n_loops(); ++l) {
    const LoopJoint loop = m.loop(l);
    LoopDescription described = {.name = std::string(m.loop_name(l)),
                                 .type = loop.type,
                                 .link_1 = std::string(m.link_name(loop.link_1)),
                                 .link_2 = std::string(m.link_name(loop.link_2)),
                                 .placement_1 = loop.placement_1,
                                 .placement_2 = loop.placement_2,
                                 .softness = loop.softness,
                                 .torque_scale = loop.torque_scale};
    if (joint_kind(loop.type).has_axis) described.axis = loop.axis;
    robot.loop(std::move(described));
  }
  describe_shapes(m, robot);
  for (const Actuator& actuator : actuators(m))
    robot.actuator({.name = actuator.name,
                    .joint = actuator.joint == 0 ? std::string() : std::string(m.joint_name(actuator.joint)),
                    .gear = actuator.gear,
                    .gain = actuator.gain,
                    .bias = actuator.bias,
                    .ctrl_range = actuator.ctrl_range,
                    .force_range = actuator.force_range,
                    .dynamics = actuator.dynamics,
                    .time_constant = actuator.time_constant,
                    .act_range = actuator.act_range,
                    .tendon = actuator.tendon < 0 ? std::string() : tendons(m)[at(actuator.tendon)].name,
                    .frame = actuator.frame < 0 ? std::string() : std::string(m.frame_name(actuator.frame)),
                    .wrench = actuator.wrench});
  describe_tendons(m, robot);
  describe_couplers(m, robot);
  for (int c = 0; c < m.n_configurations(); ++c) {
    ConfigurationDescription described = {.name = std::string(m.configuration_name(c))};
    const std::span<const double> q = m.configuration(c);
    for (int i = 1; i < m.n_links(); ++i) {
      if (m.is_mimic(i)) continue;
      const auto own = q.subspan(at(m.q_index(i)), at(joint_nq(m.joint_type(i))));
      described.positions.push_back({std::string(m.joint_name(i)), {own.begin(), own.end()}});
    }
    const std::span<const double> ctrl = controls(m, c);
    for (std::size_t k = 0; k < ctrl.size(); ++k) described.controls.push_back({actuators(m)[k].name, ctrl[k]});
    robot.configuration(std::move(described));
  }
  return robot;
}

ModelBuilder describe_reduced(const Model& model, const std::vector<std::string>& joints, std::span<const double> q) {
  if (q.size() != static_cast<std::size_t>(model.nq()))
    throw Error(sentence("reduced: q has ", q.size(), " numbers, expected ", model.nq()));
  std::vector<char> is_locked(at(model.n_links()), 0);
  for (const std::string& name : joints) {
    const int i = model.joint_index(name);
    if (const MimicRule rule = model.mimic_rule(i); rule.joint)
      throw Error(sentence("reduced: ", element("joint", name), " follows ",
                           element("joint", model.joint_name(rule.joint)), ": lock that joint"));
    is_locked[at(i)] = 1;
  }
  const ModelBuilder whole = describe(model.with_base_acceleration({}));
  std::vector<std::pair<std::string, double>> held;  // joints and their positions
  ModelBuilder robot(whole.name());
  robot.gravity(whole.gravity()).reserve(whole.links().size());
  for (const LinkDescription& link : whole.links()) robot.link(link);
  for (const JointDescription& joint : whole.joints()) {
    const int i = model.find_joint(joint.name);
    const MimicRule rule = i < 0 || joint.type == JointType::fixed ? MimicRule{} : model.mimic_rule(i);
    if (joint.type == JointType::fixed || !is_locked[at(rule.joint ? rule.joint : i)]) {
      robot.joint(joint);
      continue;
    }
    std::vector<double> position(q.begin() + model.q_index(i), q.begin() + model.q_index(i) + joint_nq(joint.type));
    if (rule.joint) position[0] = rule.multiplier * position[0] + rule.offset;
    if (lies_outside(joint, position)) robot.warning({}, locked_outside(joint, position[0]));
    robot.joint(locked(joint, position));
    held.emplace_back(joint.name, position[0]);
  }
  std::vector<CouplerDescription> coupled = whole.couplers();
  std::vector<TendonDescription> remaining = whole.tendons();
  std::vector<ActuatorDescription> driving = whole.actuators();
  for (const auto& [name, position] : held) {
    for (const std::string& ended : hold(coupled, remaining, name, position))
      robot.warning({{}, 0, element("coupler", ended)}, std::string(coupler_ends));
    hold(driving, remaining, name, position);
    for (TendonDescription& tendon : remaining) hold(tendon, name, position);
  }
  for (CouplerDescription& coupler : coupled) robot.coupler(std::move(coupler));
  for (TendonDescription& tendon : remaining)
    if (!tendon.joints.empty()) robot.tendon(std::move(tendon));
  for (const FrameDescription& frame : whole.frames()) robot.frame(frame);
  for (const LoopDescription& loop : whole.loops()) robot.loop(loop);
  copy_shapes(whole, robot);
  for (ActuatorDescription& actuator : driving) robot.actuator(std::move(actuator));
  for (ConfigurationDescription configuration : whole.configurations()) {
    std::erase_if(configuration.positions,
                  [&](const JointPosition& position) { return is_locked[at(model.find_joint(position.joint))] != 0; });
    std::erase_if(configuration.controls,
                  [&](const ActuatorControl& control) { return robot.find_actuator(control.actuator) == nullptr; });
    robot.configuration(std::move(configuration));
  }
  return robot;
}

Model reduced(const Model& model, const std::vector<std::string>& joints, std::span<const double> q) {
  return describe_reduced(model, joints, q).build().with_base_acceleration(model.base_acceleration());
}

}  // namespace tandem
