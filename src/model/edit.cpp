// SPDX-License-Identifier: Apache-2.0
/// Changes to a description that is there.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/text.hpp"
#include "description.hpp"
#include "edit.hpp"
#include "names.hpp"
#include "tandem/error.hpp"

namespace tandem {

using namespace model_detail;

namespace {

void check_scaling(const std::string& what, const Scaling& s) {
  for (const auto& [name, x] : {std::pair{"length", s.length}, {"mass", s.mass}})
    if (!std::isfinite(x) || x <= 0)
      throw Error(sentence("scale ", what, ": ", name, " is ", x, ", expected a finite positive number"));
}

template <std::size_t n>
void multiply(std::array<double, n>& numbers, double factor) {
  for (double& x : numbers) x *= factor;
}

void scale(LinkDescription& link, const Scaling& s) {
  link.mass *= s.mass;
  multiply(link.com, s.length);
  multiply(link.inertia, s.mass * s.length * s.length);
  link.carried_mass *= s.mass;
  multiply(link.carried_com, s.length);
}

/// Whatever is in metres.
void scale(ContactSoftness& softness, double length) {
  for (double* x : {&softness.solimp[2], &softness.margin, &softness.gap}) *x *= length;
}
void scale(ShapeDescription& shape, double length) {
  multiply(shape.placement.position, length);
  multiply(shape.size, length);
  for (auto& vertex : shape.vertices) multiply(vertex, length);
  for (std::size_t k = 1; k < 3; ++k) shape.friction[k] *= length;
  scale(shape.softness, length);
}

}  // namespace

const LinkDescription* ModelBuilder::find_link(std::string_view name) const { return find(links_, name); }
const JointDescription* ModelBuilder::find_joint(std::string_view name) const { return find(joints_, name); }
const FrameDescription* ModelBuilder::find_frame(std::string_view name) const { return find(frames_, name); }
const ConfigurationDescription* ModelBuilder::find_configuration(std::string_view name) const {
  return find(configurations_, name);
}
const ActuatorDescription* ModelBuilder::find_actuator(std::string_view name) const { return find(actuators_, name); }
const TendonDescription* ModelBuilder::find_tendon(std::string_view name) const { return find(tendons_, name); }
const ShapeDescription* ModelBuilder::find_shape(std::string_view name) const { return find(shapes_, name); }
const LoopDescription* ModelBuilder::find_loop(std::string_view name) const { return find(loops_, name); }

const LinkDescription& ModelBuilder::existing_link(std::string_view name) const {
  return existing(*this, links_, "link", name);
}
const JointDescription& ModelBuilder::existing_joint(std::string_view name) const {
  return existing(*this, joints_, "joint", name);
}
const FrameDescription& ModelBuilder::existing_frame(std::string_view name) const {
  return existing(*this, frames_, "frame", name);
}

const LoopDescription& ModelBuilder::existing_loop(std::string_view name) const {
  return existing(*this, loops_, "loop joint", name);
}

void ModelBuilder::forget_positions(std::string_view joint) {
  for (ConfigurationDescription& configuration : configurations_)
    std::erase_if(configuration.positions, [&](const JointPosition& position) { return position.joint == joint; });
}

void ModelBuilder::forget_actuators(std::string ActuatorDescription::* on, std::string_view name) {
  for (std::size_t k = actuators_.size(); k-- > 0;)
    if (actuators_[k].*on == name) remove_actuator(std::string(actuators_[k].name));
}

ModelBuilder& ModelBuilder::remove_actuator(std::string_view name) {
  const std::string removed = existing(*this, actuators_, "actuator", name).name;
  for (ConfigurationDescription& configuration : configurations_)
    std::erase_if(configuration.controls, [&](const ActuatorControl& control) { return control.actuator == removed; });
  std::erase_if(actuators_, [&](const ActuatorDescription& actuator) { return actuator.name == removed; });
  return *this;
}

void ModelBuilder::forget_tendons(std::string_view joint) {
  forget_couplers(CoupledElement::joint, joint);
  std::erase_if(tendons_, [&](const TendonDescription& tendon) {
    if (std::ranges::none_of(tendon.joints, [&](const TendonJoint& part) { return part.joint == joint; })) return false;
    forget_couplers(CoupledElement::tendon, tendon.name);
    forget_actuators(&ActuatorDescription::tendon, tendon.name);
    return true;
  });
}

ModelBuilder& ModelBuilder::remove_tendon(std::string_view name) {
  const std::string removed = existing(*this, tendons_, "tendon", name).name;
  forget_couplers(CoupledElement::tendon, removed);
  forget_actuators(&ActuatorDescription::tendon, removed);
  std::erase_if(tendons_, [&](const TendonDescription& tendon) { return tendon.name == removed; });
  return *this;
}

ModelBuilder& ModelBuilder::rename(std::string name) {
  name_ = std::move(name);
  return *this;
}

ModelBuilder& ModelBuilder::replace_link(std::string_view name, LinkDescription link) {
  LinkDescription& old = mine(links_, existing_link(name));
  refuse_taken(links_, "link", name, link.name);
  const std::string before = std::exchange(old, std::move(link)).name;
  if (old.name == before) return *this;
  for (JointDescription& joint : joints_) {
    lead_on(joint.parent, before, old.name);
    lead_on(joint.child, before, old.name);
  }
  for (FrameDescription& frame : frames_) lead_on(frame.link, before, old.name);
  for (LoopDescription& loop : loops_) {
    lead_on(loop.link_1, before, old.name);
    lead_on(loop.link_2, before, old.name);
  }
  for (ShapeDescription& shape : shapes_) lead_on(shape.link, before, old.name);
  for (ActuatorDescription& actuator : actuators_) lead_on(actuator.frame, before, old.name);
  for (ContactExcludeDescription& exclude : contact_excludes_) {
    lead_on(exclude.link_1, before, old.name);
    lead_on(exclude.link_2, before, old.name);
  }
  return *this;
}

ModelBuilder& ModelBuilder::replace_joint(std::string_view name, JointDescription joint) {
  JointDescription& old = mine(joints_, existing_joint(name));
  model_detail::check_type(joint);
  refuse_taken(joints_, "joint", name, joint.name);
  if (!joint.mimic.empty() || joint_nq(joint.type) != joint_nq(old.type)) forget_positions(old.name);
  const std::string before = std::exchange(old, std::move(joint)).name;
  if (old.name == before) return *this;
  const std::string after = old.name;
  for (ConfigurationDescription& configuration : configurations_)
    for (JointPosition& position : configuration.positions) lead_on(position.joint, before, after);
  for (JointDescription& other : joints_) lead_on(other.mimic, before, after);
  for (ActuatorDescription& actuator : actuators_) lead_on(actuator.joint, before, after);
  for (TendonDescription& tendon : tendons_)
    for (TendonJoint& part : tendon.joints) lead_on(part.joint, before, after);
  for (CouplerDescription& coupler : couplers_)
    if (coupler.element == CoupledElement::joint)
      for (std::string* end : {&coupler.first, &coupler.second}) lead_on(*end, before, after);
  return *this;
}

ModelBuilder& ModelBuilder::replace_frame(std::string_view name, FrameDescription frame) {
  FrameDescription& old = mine(frames_, existing_frame(name));
  refuse_taken(frames_, "frame", name, frame.name);
  const std::string before = std::exchange(old, std::move(frame)).name;
  for (ActuatorDescription& actuator : actuators_) lead_on(actuator.frame, before, old.name);
  return *this;
}

ModelBuilder& ModelBuilder::replace_loop(std::string_view name, LoopDescription loop) {
  LoopDescription& old = mine(loops_, existing_loop(name));
  model_detail::check_type(loop);
  refuse_taken(loops_, "loop joint", name, loop.name);
  old = std::move(loop);
  return *this;
}

ModelBuilder& ModelBuilder::remove_link(std::string_view name) {
  std::set<std::string, std::less<>> links{existing_link(name).name}, joints;
  for (bool grew = true; grew;) {  // a description in the order of a walk outwards is gone through twice
    grew = false;
    for (const JointDescription& joint : joints_)
      if (links.contains(joint.parent)) grew |= links.insert(joint.child).second;
  }
  for (const JointDescription& joint : joints_)
    if (links.contains(joint.child)) joints.insert(joint.name);
  for (const JointDescription& joint : joints_)
    if (!joints.contains(joint.name) && joints.contains(joint.mimic))
      throw Error(sentence(element("link", name), " cannot be removed: ", element("joint", joint.name), " follows ",
                           element("joint", joint.mimic), ", which would be removed, too"));
  for (const std::string& joint : joints) {
    forget_positions(joint);
    forget_actuators(&ActuatorDescription::joint, joint);
    forget_tendons(joint);
  }
  for (const std::string& link : links) forget_actuators(&ActuatorDescription::frame, link);
  for (const FrameDescription& frame : frames_)
    if (links.contains(frame.link)) forget_actuators(&ActuatorDescription::frame, frame.name);
  std::erase_if(links_, [&](const auto& link) { return links.contains(link.name); });
  std::erase_if(joints_, [&](const auto& joint) { return joints.contains(joint.name); });
  std::erase_if(frames_, [&](const auto& frame) { return links.contains(frame.link); });
  const auto connects_one = [&](const auto& both) {
    return links.contains(both.link_1) || links.contains(both.link_2);
  };
  std::erase_if(loops_, connects_one);
  std::erase_if(contact_excludes_, connects_one);
  std::erase_if(shapes_, [&](const auto& shape) { return links.contains(shape.link); });
  forget_contact_pairs();
  return *this;
}

ModelBuilder& ModelBuilder::remove_joint(std::string_view name) {
  const JointDescription& removed = existing_joint(name);
  for (const JointDescription& joint : joints_)
    if (&joint != &removed && joint.mimic == removed.name)
      throw Error(
          sentence(element("joint", name), " cannot be removed: ", element("joint", joint.name), " follows it"));
  forget_positions(removed.name);
  forget_actuators(&ActuatorDescription::joint, removed.name);
  forget_tendons(removed.name);
  joints_.erase(joints_.begin() + (&removed - joints_.data()));
  return *this;
}

ModelBuilder& ModelBuilder::remove_frame(std::string_view name) {
  const FrameDescription& removed = existing_frame(name);
  forget_actuators(&ActuatorDescription::frame, removed.name);
  frames_.erase(frames_.begin() + (&removed - frames_.data()));
  return *this;
}

ModelBuilder& ModelBuilder::remove_loop(std::string_view name) {
  loops_.erase(loops_.begin() + (&existing_loop(name) - loops_.data()));
  return *this;
}

ModelBuilder& ModelBuilder::remove_configuration(std::string_view name) {
  configurations_.erase(configurations_.begin() +
                        (&existing(*this, configurations_, "configuration", name) - configurations_.data()));
  return *this;
}

ModelBuilder& ModelBuilder::lock_joint(std::string_view name, const std::vector<double>& position) {
  std::vector<std::pair<std::size_t, JointDescription>> changes;
  std::vector<Problem> outside;
  std::vector<TendonDescription> held = tendons_;
  std::vector<CouplerDescription> coupled = couplers_;
  std::vector<ActuatorDescription> driving = actuators_;
  const auto lock = [&](const auto& self, const JointDescription& joint, std::span<const double> q) -> void {
    if (lies_outside(joint, q)) outside.push_back({joint.source, locked_outside(joint, q[0])});
    changes.emplace_back(static_cast<std::size_t>(&joint - joints_.data()), locked(joint, q));
    if (joint_nq(joint.type) == 1)
      for (const std::string& ended : model_detail::hold(coupled, held, joint.name, q[0]))
        outside.push_back({{joint.source.file, 0, element("coupler", ended)}, std::string(coupler_ends)});
    hold(driving, held, joint.name, q[0]);
    for (TendonDescription& tendon : held) hold(tendon, joint.name, q[0]);
    for (const JointDescription& follower : joints_) {
      if (follower.mimic != joint.name || joint_nq(follower.type) != 1) continue;
      const double followed = follower.multiplier * q[0] + follower.offset;
      self(self, follower, {&followed, 1});
    }
  };
  const JointDescription& joint = existing_joint(name);
  if (joint.type == JointType::fixed) throw Error(sentence(element("joint", name), " is already fixed"));
  if (!joint.mimic.empty())
    throw Error(sentence(element("joint", name), " follows ", element("joint", joint.mimic), ": lock that joint"));
  lock(lock, joint, position);
  for (auto& [index, description] : changes) {
    forget_positions(description.name);
    joints_[index] = std::move(description);
  }
  for (std::size_t k = actuators_.size(); k-- > 0;)  // with their controls
    if (std::ranges::find(driving, actuators_[k].name, &ActuatorDescription::name) == driving.end())
      remove_actuator(std::string(actuators_[k].name));
  actuators_ = std::move(driving);
  std::erase_if(held, [](const TendonDescription& tendon) { return tendon.joints.empty(); });
  tendons_ = std::move(held);
  couplers_ = std::move(coupled);
  warnings_.insert(warnings_.end(), outside.begin(), outside.end());
  return *this;
}

ModelBuilder& ModelBuilder::scale(const Scaling& s) {
  check_scaling(element("robot", name_), s);
  std::set<std::string, std::less<>> slides;  // joints whose position is in metres
  for (ConfigurationDescription& configuration : configurations_)
    for (JointPosition& position : configuration.positions) {
      const JointDescription* joint = find_joint(position.joint);
      const auto lengths = static_cast<std::size_t>(joint ? joint_kind(joint->type).lengths : 0);
      for (std::size_t k = 0; k < std::min(lengths, position.q.size()); ++k) position.q[k] *= s.length;
    }
  for (const JointDescription& joint : joints_)
    if (joint.type == JointType::prismatic) slides.insert(joint.name);
  for (LinkDescription& link : links_) tandem::scale(link, s);
  for (FrameDescription& frame : frames_) multiply(frame.placement.position, s.length);
  for (LoopDescription& loop : loops_) {
    multiply(loop.placement_1.position, s.length);
    multiply(loop.placement_2.position, s.length);
    tandem::scale(loop.softness, s.length);
    loop.torque_scale *= s.length;
  }
  for (CouplerDescription& coupler : couplers_) {
    if (coupler.element != CoupledElement::joint) continue;
    const double own = slides.contains(coupler.first) ? s.length : 1,
                 other = slides.contains(coupler.second) ? 1 / s.length : 1;
    tandem::scale(coupler.softness, own);
    double factor = own;
    for (double& p : coupler.polynomial) p *= std::exchange(factor, factor * other);
  }
  for (ShapeDescription& shape : shapes_) tandem::scale(shape, s.length);
  for (ContactPairDescription& pair : contact_pairs_) {
    tandem::scale(pair.softness, s.length);
    for (std::size_t k = 2; k < 5; ++k) pair.friction[k] *= s.length;
  }
  for (JointDescription& joint : joints_) {
    multiply(joint.placement.position, s.length);
    joint.pitch *= s.length;
    const bool in_metres = slides.contains(joint.name);
    if (in_metres)
      for (ContactSoftness* soft : {&joint.limit_softness, &joint.friction_softness, &joint.mimic_softness})
        tandem::scale(*soft, s.length);
    if (in_metres)
      for (double* x : {&joint.lower, &joint.upper, &joint.velocity, &joint.rest, &joint.offset}) *x *= s.length;
    if (in_metres)
      for (TendonDescription& tendon : tendons_)  // lengths of tendons stay
        for (TendonJoint& part : tendon.joints)
          if (part.joint == joint.name) part.coefficient /= s.length;
    if (joint.mimic.empty()) continue;
    if (in_metres) joint.multiplier *= s.length;
    if (slides.contains(joint.mimic)) joint.multiplier /= s.length;
  }
  return *this;
}

ModelBuilder& ModelBuilder::scale_link(std::string_view name, const Scaling& s) {
  LinkDescription& link = mine(links_, existing_link(name));
  check_scaling(element("link", name), s);
  tandem::scale(link, s);
  for (JointDescription& joint : joints_)
    if (joint.parent == link.name) multiply(joint.placement.position, s.length);
  for (FrameDescription& frame : frames_)
    if (frame.link == link.name) multiply(frame.placement.position, s.length);
  for (ShapeDescription& shape : shapes_)
    if (shape.link == link.name) tandem::scale(shape, s.length);
  for (LoopDescription& loop : loops_) {
    if (loop.link_1 == link.name) multiply(loop.placement_1.position, s.length);
    if (loop.link_2 == link.name) multiply(loop.placement_2.position, s.length);
  }
  return *this;
}

}  // namespace tandem
