// SPDX-License-Identifier: Apache-2.0
#include "robots.hpp"

#include <array>

#include "tandem/error.hpp"
#if defined(TANDEM_READS_URDF)
#include "tandem/io/urdf.hpp"
#endif

namespace tandem::gpu_check {
namespace {

using Axis = std::array<double, 3>;
constexpr Axis x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};

/// A cylinder that hangs down from its joint.
LinkDescription segment(std::string name, double length, double radius, double mass) {
  const double across = mass * (3 * radius * radius + length * length) / 12, along = mass * radius * radius / 2;
  return {
      .name = std::move(name), .mass = mass, .com = {0, 0, -length / 2}, .inertia = {across, 0, 0, across, 0, along}};
}

/// A limb of revolute joints: the first one at `shoulder` on the torso, the others each below the one before it.
void limb(ModelBuilder& robot, const std::string& name, const Axis& shoulder, const std::vector<Axis>& axes,
          double length, double mass) {
  std::string parent = "torso";
  for (std::size_t k = 0; k < axes.size(); ++k) {
    JointDescription joint;
    joint.name = name + "_joint" + std::to_string(k + 1);
    joint.type = JointType::revolute;
    joint.parent = parent;
    joint.child = name + "_link" + std::to_string(k + 1);
    joint.placement.position = k == 0 ? shoulder : Axis{0, 0, -length};
    joint.axis = axes[k];
    joint.lower = -1.5;
    joint.upper = 1.5;
    joint.armature = 0.01;
    robot.link(segment(joint.child, length, 0.05, mass));
    parent = joint.child;
    robot.joint(std::move(joint));
  }
}

/// Two legs, two arms, waist and neck: 28 joints under a floating torso.
Model humanoid() {
  ModelBuilder robot("humanoid28");
  robot.link(segment("torso", 0.5, 0.15, 30));
  limb(robot, "left_leg", {0, 0.1, -0.5}, {z, x, y, y, y, x}, 0.2, 4);
  limb(robot, "right_leg", {0, -0.1, -0.5}, {z, x, y, y, y, x}, 0.2, 4);
  limb(robot, "left_arm", {0, 0.25, 0}, {y, x, z, y, z, y, x}, 0.12, 1.5);
  limb(robot, "right_arm", {0, -0.25, 0}, {y, x, z, y, z, y, x}, 0.12, 1.5);
  limb(robot, "head", {0, 0, 0.1}, {z, y}, 0.1, 2);
  return robot.build({.floating = true});
}

/// Two limbs with a joint of every type each, one with its axes askew, and a hinge that follows another.
Model every_joint() {
  ModelBuilder robot("every_joint");
  robot.link(segment("base", 0.2, 0.1, 5));
  const JointType types[] = {JointType::helical,   JointType::universal, JointType::planar, JointType::spherical,
                             JointType::prismatic, JointType::revolute,  JointType::free};
  for (const std::string side : {"left", "right"}) {
    std::string parent = "base";
    for (const JointType type : types) {
      JointDescription joint;
      joint.name = side + "_" + to_string(type);
      joint.type = type;
      joint.parent = parent;
      joint.child = joint.name + "_link";
      joint.placement.position = {0.05, side == "left" ? 0.1 : -0.1, -0.2};
      if (side == "left") joint.placement.rotation = rotation_from_rpy(0.3, -0.5, 0.7);
      if (joint_kind(type).has_axis) joint.axis = side == "left" ? Axis{0.6, 0, 0.8} : x;
      if (joint_kind(type).has_pitch) joint.pitch = 0.3;
      joint.damping = 0.2;
      joint.armature = 0.02;
      robot.link(segment(joint.child, 0.2, 0.05, 1));
      parent = joint.child;
      robot.joint(std::move(joint));
    }
  }
  JointDescription finger;
  finger.name = "finger";
  finger.type = JointType::revolute;
  finger.parent = "left_revolute_link";
  finger.child = "finger_link";
  finger.mimic = "right_revolute";
  finger.multiplier = -0.5;
  robot.link(segment("finger_link", 0.05, 0.02, 0.1));
  robot.joint(std::move(finger));
  return robot.build();
}

}  // namespace

std::vector<Robot> robots() {
  return {{"chain:7", generate("chain:7", 1).build()},
          {"humanoid28", humanoid()},
          {"rope:20", generate("rope:20").build()},
          {"tree:24", generate("tree:24", 1).build({.floating = true})},
          {"every_joint", every_joint()},
          {"chain:100", generate("chain:100", 1).build()}};
}

std::vector<Robot> robots_of_files(const std::vector<std::string>& files) {
  std::vector<Robot> found;
  for (std::string file : files) {
    const std::string mark = "+floating";
    const bool floating = file.size() > mark.size() && file.substr(file.size() - mark.size()) == mark;
    if (floating) file.resize(file.size() - mark.size());
    const std::size_t equals = file.find('=');
    const std::string name =
        equals == std::string::npos ? file.substr(file.find_last_of('/') + 1) : file.substr(0, equals);
    if (equals != std::string::npos) file = file.substr(equals + 1);
#if defined(TANDEM_READS_URDF)
    found.push_back({name, load_urdf(file, {.floating = floating})});
#else
    throw Error("--robot " + file + ": CMake found no expat to read it with");
#endif
  }
  return found;
}

}  // namespace tandem::gpu_check
