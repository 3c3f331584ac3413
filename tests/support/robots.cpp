// SPDX-License-Identifier: Apache-2.0
#include "support/robots.hpp"

#include "support/dense.hpp"
#include "support/many.hpp"

namespace tandem::test {
namespace {

constexpr JointType moving_types[] = {JointType::revolute,  JointType::continuous, JointType::prismatic,
                                      JointType::planar,    JointType::spherical,  JointType::helical,
                                      JointType::universal, JointType::free};

std::string numbered(const char* word, int i) { return word + std::to_string(i); }

}  // namespace

std::array<double, 3> RobotMaker::direction() {
  const Vector3 n = Vector3(random_.normal(), random_.normal(), random_.normal()).normalized();
  return {n.x(), n.y(), n.z()};
}

Pose RobotMaker::pose(double distance) {
  const auto n = direction();
  return {{distance * n[0], distance * n[1], distance * n[2]},
          rotation_from_quaternion(random_.normal(), random_.normal(), random_.normal(), random_.normal())};
}

void RobotMaker::link(const std::string& name, double mass) {
  LinkDescription link;
  link.name = name;
  link.mass = mass > 0 ? mass : random_.uniform(0.5, 3);
  const auto n = direction();
  for (std::size_t k = 0; k < 3; ++k) link.com[k] = 0.08 * n[k];
  // the sum over point masses: principal moments that a body can have, along random axes
  Matrix3 spread = Matrix3::Zero();
  for (int k = 0; k < 4; ++k) {
    const Vector3 p = 0.1 * Vector3(random_.normal(), random_.normal(), random_.normal());
    spread += link.mass / 4 * p * p.transpose();
  }
  const Matrix3 inertia = spread.trace() * Matrix3::Identity() - spread;
  link.inertia = {inertia(0, 0), inertia(0, 1), inertia(0, 2), inertia(1, 1), inertia(1, 2), inertia(2, 2)};
  builder_.link(link);
}

JointDescription RobotMaker::joint(JointType type, const std::string& parent, const std::string& child) {
  JointDescription joint;
  joint.name = "to_" + child;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  joint.placement = pose(random_.uniform(0.1, 0.3));
  joint.axis = direction();
  if (!joint_kind(type).has_axis) joint.axis = {1, 0, 0};
  if (joint_kind(type).has_pitch) joint.pitch = random_.uniform(-0.8, 0.8);
  return joint;
}

void RobotMaker::add(JointDescription joint, double mass) {
  link(joint.child, mass);
  builder_.joint(std::move(joint));
}

ModelBuilder one_joint(JointType type, std::uint64_t seed) {
  RobotMaker make(std::string("one_") + to_string(type), seed);
  make.link("base");
  make.add(type, "base", "link");
  return make.builder();
}

ModelBuilder every_joint(std::uint64_t seed) {
  RobotMaker make("every_joint", seed);
  make.link("base");
  std::string parent = "base";
  for (int round = 0; round < (few_cases ? 1 : 2); ++round) {
    for (const JointType type : moving_types) {
      const std::string child = to_string(type) + std::to_string(round);
      make.add(type, parent, child);
      parent = child;
    }
  }
  return make.builder();
}

ModelBuilder chain_of(const std::vector<JointType>& types, int links, std::uint64_t seed) {
  RobotMaker make(std::string("chain_of_") + to_string(types.front()), seed);
  make.link("base");
  std::string parent = "base";
  for (int i = 0; i < links; ++i) {
    const std::string child = numbered("link", i);
    make.add(types[static_cast<std::size_t>(i) % types.size()], parent, child);
    parent = child;
  }
  return make.builder();
}

ModelBuilder star(int arms, std::uint64_t seed) {
  RobotMaker make("star", seed);
  make.link("hub");
  for (int i = 0; i < arms; ++i) {
    const std::string upper = numbered("upper", i);
    make.add(moving_types[i % 7], "hub", upper);
    make.add(moving_types[(i + 2) % 7], upper, numbered("lower", i));
  }
  return make.builder();
}

ModelBuilder binary_tree(int levels, std::uint64_t seed) {
  RobotMaker make("binary_tree", seed);
  make.link("link1");
  for (int i = 2; i < 1 << levels; ++i) {
    const JointType type = i % 3 == 0 ? JointType::prismatic : JointType::revolute;
    make.add(type, numbered("link", i / 2), numbered("link", i));
  }
  return make.builder();
}

ModelBuilder unequal_masses(int links, std::uint64_t seed) {
  RobotMaker make("unequal_masses", seed);
  make.link("base");
  for (int i = 0; i < links; ++i) {
    const std::string parent = i == 0 ? "base" : numbered("link", i - 1);
    make.add(JointType::revolute, parent, numbered("link", i), i % 2 == 0 ? 1e-3 : 1e3);
  }
  return make.builder();
}

double mass_ratio(const Model& model) {
  const auto& m = model.view<double>();
  double lightest = m.inertia[10], heaviest = lightest;
  for (int i = 1; i < m.n_links; ++i) {
    lightest = std::min(lightest, m.inertia[10 * i]);
    heaviest = std::max(heaviest, m.inertia[10 * i]);
  }
  return heaviest / lightest;
}

ModelBuilder massless_links(std::uint64_t seed) {
  RobotMaker make("massless_links", seed);
  make.massless("base");
  make.massless("cross");
  make.builder().joint(make.joint(JointType::revolute, "base", "cross"));
  make.add(JointType::revolute, "cross", "arm");
  make.massless("gantry_x");
  make.massless("gantry_y");
  make.builder().joint(make.joint(JointType::prismatic, "arm", "gantry_x"));
  make.builder().joint(make.joint(JointType::continuous, "gantry_x", "gantry_y"));
  make.add(JointType::prismatic, "gantry_y", "tool");
  make.massless("fork");
  make.builder().joint(make.joint(JointType::spherical, "arm", "fork"));
  for (const char* tine : {"tine1", "tine2", "tine3"}) make.add(JointType::revolute, "fork", tine);
  return make.builder();
}

ModelBuilder with_armature(std::uint64_t seed) {
  RobotMaker make("armature", seed);
  make.link("base");
  std::string parent = "base";
  for (const JointType type : moving_types) {
    const std::string child = to_string(type);
    JointDescription joint = make.joint(type, parent, child);
    joint.armature = make.uniform(0.05, 0.5);
    make.add(joint);
    parent = child;
  }
  JointDescription fan = make.joint(JointType::continuous, parent, "fan");
  fan.armature = 0.01;
  make.massless("fan");
  make.builder().joint(fan);
  return make.builder();
}

ModelBuilder with_passive_forces(std::uint64_t seed) {
  RobotMaker make("passive", seed);
  make.link("base");
  std::string parent = "base";
  for (const JointType type : moving_types) {
    const std::string child = to_string(type);
    JointDescription joint = make.joint(type, parent, child);
    joint.damping = make.uniform(0.1, 1);
    joint.friction = make.uniform(0.1, 1);
    joint.stiffness = make.uniform(1, 5);
    if (joint_nq(type) == 1) joint.rest = make.uniform(-0.5, 0.5);
    make.add(joint);
    parent = child;
  }
  JointDescription follower = make.joint(JointType::prismatic, parent, "follower");
  follower.mimic = "to_revolute";
  follower.multiplier = -0.7;
  follower.offset = 0.2;
  follower.damping = 0.5;
  follower.friction = 0.3;
  follower.stiffness = 4;
  follower.rest = 0.1;
  make.add(follower);
  return make.builder();
}

ModelBuilder with_fixed_links(std::uint64_t seed) {
  RobotMaker make("fixed_links", seed);
  make.link("base");
  make.add(JointType::fixed, "base", "pedestal");
  make.add(JointType::revolute, "pedestal", "shoulder");
  make.add(JointType::fixed, "shoulder", "cover");
  make.add(JointType::fixed, "cover", "badge");
  make.add(JointType::spherical, "badge", "arm");
  make.add(JointType::prismatic, "shoulder", "drawer");
  make.add(JointType::fixed, "arm", "camera");
  make.massless("tool");
  make.builder().joint(make.joint(JointType::fixed, "arm", "tool"));
  for (const char* link : {"base", "pedestal", "camera", "drawer"})
    make.builder().frame({.name = std::string(link) + "_mark", .link = link, .placement = make.pose(0.3)});
  return make.builder();
}

ModelBuilder immovable(int fixed_links, std::uint64_t seed) {
  RobotMaker make("immovable", seed);
  make.link("base");
  for (int i = 0; i < fixed_links; ++i) make.add(JointType::fixed, "base", numbered("part", i));
  return make.builder();
}

ModelBuilder double_pendulum(double m1, double m2, double l1, double l2) {
  ModelBuilder builder("double_pendulum");
  builder.link({.name = "base"});
  builder.link({.name = "upper", .mass = m1, .com = {0, 0, -l1}});
  builder.link({.name = "lower", .mass = m2, .com = {0, 0, -l2}});
  builder.joint(
      {.name = "shoulder", .type = JointType::continuous, .parent = "base", .child = "upper", .axis = {0, 1, 0}});
  builder.joint({.name = "elbow",
                 .type = JointType::continuous,
                 .parent = "upper",
                 .child = "lower",
                 .placement = {.position = {0, 0, -l1}},
                 .axis = {0, 1, 0}});
  return builder;
}

namespace {

JointDescription follower(JointDescription joint, std::string of, double multiplier, double offset) {
  joint.mimic = std::move(of);
  joint.multiplier = multiplier;
  joint.offset = offset;
  return joint;
}

}  // namespace

ModelBuilder mimic_chain(std::uint64_t seed) {
  RobotMaker make("mimic_chain", seed);
  make.link("palm");
  make.add(JointType::revolute, "palm", "wrist");
  make.add(JointType::revolute, "wrist", "finger1");
  make.add(follower(make.joint(JointType::revolute, "finger1", "finger2"), "to_finger1", 0.8, 0.1));
  make.add(follower(make.joint(JointType::revolute, "finger2", "finger3"), "to_finger2", 1.3, -0.2));
  make.add(JointType::spherical, "finger3", "nail");
  return make.builder();
}

ModelBuilder mimic_branches(std::uint64_t seed) {
  RobotMaker make("mimic_branches", seed);
  make.link("base");
  // the first follower comes before the joint it follows
  make.add(follower(make.joint(JointType::continuous, "base", "left"), "to_right", -2, 0.3));
  make.add(JointType::revolute, "left", "left_tip");
  make.add(JointType::prismatic, "base", "middle");
  JointDescription right = make.joint(JointType::revolute, "middle", "right");
  right.armature = 0.2;
  make.add(right);
  JointDescription tip = follower(make.joint(JointType::revolute, "right", "right_tip"), "to_right", 1.5, 0);
  tip.armature = 0.1;
  make.add(tip);
  make.add(follower(make.joint(JointType::revolute, "middle", "third"), "to_left_tip", -1, -0.4));
  make.add(follower(make.joint(JointType::revolute, "third", "third_tip"), "to_third", 0.5, 0));
  return make.builder();
}

ModelBuilder mimic_prismatic(std::uint64_t seed) {
  RobotMaker make("mimic_prismatic", seed);
  make.link("hand");
  make.add(JointType::continuous, "hand", "screw");
  make.add(follower(make.joint(JointType::prismatic, "hand", "jaw1"), "to_screw", 0.05, 0.02));
  make.add(follower(make.joint(JointType::prismatic, "hand", "jaw2"), "to_screw", -0.05, -0.02));
  make.add(JointType::revolute, "jaw2", "pad");
  return make.builder();
}

ModelBuilder mimic_helical(std::uint64_t seed) {
  RobotMaker make("mimic_helical", seed);
  make.link("base");
  make.add(JointType::helical, "base", "nut");
  make.add(follower(make.joint(JointType::helical, "nut", "thread"), "to_nut", -1.5, 0.2));
  make.add(JointType::universal, "thread", "cardan");
  make.add(follower(make.joint(JointType::helical, "base", "other"), "to_wheel", 0.7, 0));
  make.add(JointType::continuous, "other", "wheel");
  make.add(follower(make.joint(JointType::prismatic, "cardan", "slide"), "to_nut", 0.3, 0));
  return make.builder();
}

ModelBuilder mimic_massless(std::uint64_t seed) {
  RobotMaker make("mimic_massless", seed);
  make.link("base");
  make.add(JointType::revolute, "base", "lever");
  make.massless("pointer");
  make.builder().joint(follower(make.joint(JointType::revolute, "lever", "pointer"), "to_lever", -1, 0));
  make.massless("slide");
  make.builder().joint(follower(make.joint(JointType::prismatic, "base", "slide"), "to_lever", 0.5, 0));
  make.add(follower(make.joint(JointType::revolute, "lever", "stuck"), "to_lever", 0, 0.6));
  return make.builder();
}

Model with_legs(int spine, int legs, JointType type) {
  RobotMaker maker("with_legs", 7);
  maker.link("base");
  std::string parent = "base";
  for (int i = 0; i < spine; ++i) {
    const std::string link = "spine" + std::to_string(i);
    maker.add(type, parent, link);
    parent = link;
    if (i % (spine / legs) != 0) continue;
    std::string leg_parent = link;
    for (int k = 0; k < 3 + i % 5; ++k) {
      const std::string leg = "leg" + std::to_string(i) + "_" + std::to_string(k);
      maker.add(k == 1 ? JointType::prismatic : JointType::revolute, leg_parent, leg);
      if (k == 0 && i % 2 == 0) maker.add(JointType::spherical, leg, "toe" + std::to_string(i));
      leg_parent = leg;
    }
  }
  return maker.builder().build();
}

}  // namespace tandem::test
