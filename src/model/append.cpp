// SPDX-License-Identifier: Apache-2.0
/// One robot hung from another.
#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "names.hpp"
#include "tandem/error.hpp"
#include "tandem/model/builder.hpp"

namespace tandem {

using namespace model_detail;

namespace {

using NameSet = std::set<std::string, std::less<>>;

template <class T>
void add_names(NameSet& names, const std::vector<T>& all) {
  for (const T& each : all) names.insert(each.name);
}

/// The link that no joint carries. Throws Error unless there is one.
const std::string& root_of(const ModelBuilder& robot) {
  NameSet children;
  for (const JointDescription& joint : robot.joints()) children.insert(joint.child);
  const std::string* root = nullptr;
  for (const LinkDescription& link : robot.links()) {
    if (children.contains(link.name)) continue;
    if (root)
      throw Error(sentence("append: ", element("robot", robot.name()), " has several root links, ", in_quotes(*root),
                           " and ", in_quotes(link.name), ", expected one"));
    root = &link.name;
  }
  if (!root) throw Error(sentence("append: ", element("robot", robot.name()), " has no root link"));
  return *root;
}

void refuse_shared(const char* kind, const NameSet& mine, const NameSet& others, const std::string& prefix) {
  constexpr std::size_t most = 5;
  std::string shared;
  std::size_t count = 0;
  for (const std::string& name : others)
    if (mine.contains(prefix + name) && ++count <= most) shared += (count == 1 ? "" : ", ") + in_quotes(prefix + name);
  if (count == 0) return;
  if (count > most) shared += sentence(" and ", count - most, " more");
  throw Error(sentence("append: both robots have ", kind, "s named ", shared, "; give a prefix"));
}

}  // namespace

ModelBuilder& ModelBuilder::append(const ModelBuilder& given, std::string_view to, JointDescription joint,
                                   const std::string& prefix) {
  const ModelBuilder other = given;  // it may be this one
  const auto named = [&](const std::string& name) { return prefix + name; };
  const FrameDescription* frame = find_frame(to);
  const LinkDescription* link = frame ? nullptr : find_link(to);
  if (!frame && !link) {
    Nearest nearest(to);
    for (const LinkDescription& each : links_) nearest.offer(each.name);
    for (const FrameDescription& each : frames_) nearest.offer(each.name);
    throw Error(
        sentence("append: ", element("robot", name_), " has no link or frame ", in_quotes(to), nearest.suggestion()));
  }
  if (!joint.parent.empty() || !joint.child.empty())
    throw Error("append: parent and child of the joint must be empty; append sets them");
  if (frame) joint.placement = frame->placement * joint.placement;
  joint.parent = frame ? frame->link : link->name;
  joint.child = named(root_of(other));

  NameSet frames, joints, other_frames, other_joints;
  add_names(frames, links_);
  add_names(frames, frames_);
  add_names(joints, joints_);
  add_names(other_frames, other.links_);
  add_names(other_frames, other.frames_);
  add_names(other_joints, other.joints_);
  refuse_shared("link", frames, other_frames, prefix);
  refuse_shared("joint", joints, other_joints, prefix);
  NameSet loops, other_loops;
  add_names(loops, loops_);
  add_names(other_loops, other.loops_);
  refuse_shared("loop joint", loops, other_loops, prefix);
  NameSet actuators, other_actuators;
  add_names(actuators, actuators_);
  add_names(other_actuators, other.actuators_);
  refuse_shared("actuator", actuators, other_actuators, prefix);
  NameSet tendons, other_tendons;
  add_names(tendons, tendons_);
  add_names(other_tendons, other.tendons_);
  refuse_shared("tendon", tendons, other_tendons, prefix);
  NameSet couplers, other_couplers;
  add_names(couplers, couplers_);
  add_names(other_couplers, other.couplers_);
  refuse_shared("coupler", couplers, other_couplers, prefix);
  const auto taken = [&](const std::string& name) {
    return joints.contains(name) || (name.starts_with(prefix) && other_joints.contains(name.substr(prefix.size())));
  };
  if (!joint.name.empty() && taken(joint.name))
    throw Error(sentence("append: the joint that connects ", element("link", joint.child), " cannot be named ",
                         in_quotes(joint.name), ": a joint has this name"));
  if (joint.name.empty())
    for (joint.name = joint.child; taken(joint.name);) joint.name += "_mount";

  if (other.gravity_ != gravity_)
    warning({}, sentence("the gravity of ", element("robot", other.name_),
                         ", which was appended, differs; the gravity of ", element("robot", name_), " is used"));
  joints_.push_back(std::move(joint));
  for (LinkDescription each : other.links_) {
    each.name = named(each.name);
    links_.push_back(std::move(each));
  }
  for (JointDescription each : other.joints_) {
    for (std::string* name : {&each.name, &each.parent, &each.child}) *name = named(*name);
    if (!each.mimic.empty()) each.mimic = named(each.mimic);
    joints_.push_back(std::move(each));
  }
  for (FrameDescription each : other.frames_) {
    for (std::string* name : {&each.name, &each.link}) *name = named(*name);
    frames_.push_back(std::move(each));
  }
  for (LoopDescription each : other.loops_) {
    for (std::string* name : {&each.name, &each.link_1, &each.link_2}) *name = named(*name);
    loops_.push_back(std::move(each));
  }
  for (ActuatorDescription each : other.actuators_) {
    each.name = named(each.name);
    for (std::string* on : {&each.joint, &each.tendon, &each.frame})
      if (!on->empty()) *on = named(*on);
    actuators_.push_back(std::move(each));
  }
  for (TendonDescription each : other.tendons_) {
    each.name = named(each.name);
    for (TendonJoint& part : each.joints) part.joint = named(part.joint);
    tendons_.push_back(std::move(each));
  }
  for (CouplerDescription each : other.couplers_) {
    each.name = named(each.name);
    each.first = named(each.first);
    if (!each.second.empty()) each.second = named(each.second);
    couplers_.push_back(std::move(each));
  }
  for (const ConfigurationDescription& each : other.configurations_) {
    const auto same = std::ranges::find(configurations_, named(each.name), &ConfigurationDescription::name);
    ConfigurationDescription& into =
        same != configurations_.end()
            ? *same
            : configurations_.emplace_back(named(each.name), std::vector<JointPosition>{}, each.source);
    for (const JointPosition& position : each.positions) into.positions.push_back({named(position.joint), position.q});
    for (const ActuatorControl& control : each.controls)
      into.controls.push_back({named(control.actuator), control.ctrl});
  }
  append_contacts(other, prefix);
  problems_.insert(problems_.end(), other.problems_.begin(), other.problems_.end());
  warnings_.insert(warnings_.end(), other.warnings_.begin(), other.warnings_.end());
  return *this;
}

Model append(const Model& model, const Model& other, std::string_view to, const JointDescription& joint,
             const std::string& prefix) {
  return describe(model.with_base_acceleration({}))
      .append(describe(other), to, joint, prefix)
      .build()
      .with_base_acceleration(model.base_acceleration());
}

}  // namespace tandem
