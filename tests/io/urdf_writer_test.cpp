// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "tandem/io/urdf.hpp"
#include "tandem/model/contact.hpp"

namespace tandem {
namespace {

using testing::HasSubstr;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

void expect_same(const LinkDescription& a, const LinkDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.com, b.com);
  EXPECT_EQ(a.inertia, b.inertia);
}

void expect_same(const Pose& a, const Pose& b) {
  EXPECT_EQ(a.position, b.position);
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_NEAR(a.rotation[i], b.rotation[i], 4 * epsilon);  // through angles
}

void expect_same(const JointDescription& a, const JointDescription& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.parent, b.parent);
  EXPECT_EQ(a.child, b.child);
  expect_same(a.placement, b.placement);
  EXPECT_EQ(a.axis, b.axis);
  EXPECT_EQ(a.pitch, b.pitch);
  EXPECT_EQ(a.lower, b.lower);
  EXPECT_EQ(a.upper, b.upper);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.effort, b.effort);
  EXPECT_EQ(a.damping, b.damping);
  EXPECT_EQ(a.friction, b.friction);
  EXPECT_EQ(a.armature, b.armature);
  EXPECT_EQ(a.stiffness, b.stiffness);
  EXPECT_EQ(a.rest, b.rest);
  EXPECT_EQ(a.mimic, b.mimic);
  EXPECT_EQ(a.multiplier, b.multiplier);
  EXPECT_EQ(a.offset, b.offset);
}

ModelBuilder written_and_read(const ModelBuilder& description) {
  ModelBuilder back = read_urdf(write_urdf(description), "written");
  for (const Problem& p : back.problems()) ADD_FAILURE() << to_string(p.source) << ": " << p.message;
  for (const Problem& p : back.warnings()) ADD_FAILURE() << to_string(p.source) << ": " << p.message;
  return back;
}

void expect_survives(const ModelBuilder& description) {
  const ModelBuilder back = written_and_read(description);
  EXPECT_EQ(back.name(), description.name());
  EXPECT_EQ(back.gravity(), description.gravity());
  ASSERT_EQ(back.links().size(), description.links().size());
  ASSERT_EQ(back.joints().size(), description.joints().size());
  for (std::size_t i = 0; i < back.links().size(); ++i) expect_same(description.links()[i], back.links()[i]);
  for (std::size_t j = 0; j < back.joints().size(); ++j)
    expect_same(description.joints()[j], back.joints()[j]);
}

LinkDescription link(const std::string& name) {
  LinkDescription link;
  link.name = name;
  link.mass = 1.0 / 3;
  link.com = {0.1, -0.2, 1e-17};
  link.inertia = {0.7, 0.01, -0.02, 0.8, 0.03, 0.9};
  return link;
}

JointDescription joint(const std::string& name, JointType type, const std::string& parent,
                       const std::string& child) {
  JointDescription joint;
  joint.name = name;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  return joint;
}

TEST(UrdfWriter, EveryJointTypeButSphericalSurvives) {
  for (const JointType type : {JointType::fixed, JointType::revolute, JointType::continuous,
                               JointType::prismatic, JointType::helical, JointType::universal, JointType::planar,
                               JointType::free}) {
    SCOPED_TRACE(to_string(type));
    ModelBuilder robot("r");
    JointDescription j = joint("j", type, "a", "b");
    if (type == JointType::helical) j.pitch = -1.0 / 3;
    robot.link(link("a")).link(link("b")).joint(j);
    expect_survives(robot);
    if (type == JointType::fixed || type == JointType::free) continue;
    ModelBuilder turned("r");
    if (joint_kind(type).has_axis) j.axis = {0.6, 0, -0.8};
    j.placement = {{1, 2, -3}, rotation_from_rpy(0.1, 0.2, 0.3)};
    j.velocity = 5;
    j.damping = 0.1;
    j.friction = 1e-300;
    turned.link(link("a")).link(link("b")).joint(j);
    expect_survives(turned);
  }
}

TEST(UrdfWriter, JointsThatUrdfLacksAreDrakes) {
  ModelBuilder robot("r");
  JointDescription screw = joint("screw", JointType::helical, "a", "b");
  screw.pitch = 0.25;
  robot.link(link("a")).link(link("b")).link(link("c")).joint(screw);
  robot.joint(joint("cardan", JointType::universal, "b", "c"));
  const std::string text = write_urdf(robot);
  EXPECT_THAT(text, HasSubstr("xmlns:drake=\"http://drake.mit.edu\""));
  EXPECT_THAT(text, HasSubstr("<drake:joint name=\"screw\" type=\"screw\">"));
  EXPECT_THAT(text, HasSubstr("<drake:screw_thread_pitch value=\"0.25\"/>"));
  EXPECT_THAT(text, HasSubstr("<drake:joint name=\"cardan\" type=\"universal\">"));
}

TEST(UrdfWriter, LimitsSurvive) {
  for (const auto& [lower, upper] :
       {std::pair{-1.0, 2.0}, {-unlimited, 2.0}, {-1.0, unlimited}, {0.0, 0.0}}) {
    ModelBuilder robot("r");
    JointDescription j = joint("j", JointType::prismatic, "a", "b");
    j.lower = lower;
    j.upper = upper;
    j.effort = 7;
    robot.link(link("a")).link(link("b")).joint(j);
    expect_survives(robot);
  }
}

TEST(UrdfWriter, WhatUrdfHasNoPlaceForSurvives) {
  ModelBuilder robot("r");
  robot.gravity({0, 0, -1.62});
  JointDescription spring = joint("spring", JointType::revolute, "a", "b");
  spring.armature = 0.1;
  spring.stiffness = 20;
  spring.rest = -0.3;
  JointDescription follower = joint("follower", JointType::continuous, "b", "c");
  follower.mimic = "spring";
  follower.multiplier = -2;
  follower.offset = 0.5;
  LinkDescription massless;
  massless.name = "c";
  robot.link(link("a")).link(link("b")).link(massless).joint(spring).joint(follower);
  expect_survives(robot);
}

TEST(UrdfWriter, ShapesTouchNothingWhereContactsAreDisabled) {
  for (const bool enabled : {true, false}) {
    ModelBuilder robot("r");
    robot.link(link("a")).link(link("b")).joint(joint("j", JointType::free, "a", "b"));
    robot.shape({.name = "floor", .link = "a", .type = ShapeType::plane});
    robot.shape({.name = "ball", .link = "b", .type = ShapeType::sphere, .size = {0.1, 0, 0}});
    robot.contact_settings({.enabled = enabled});
    EXPECT_EQ(ContactSet(robot.build()).pairs().size(), enabled ? 1U : 0U);
    EXPECT_EQ(ContactSet(written_and_read(robot).build()).pairs().size(), enabled ? 1U : 0U);
  }
}

TEST(UrdfWriter, NamesSurvive) {
  for (const std::string name :
       {"<&>\"'", "two words", "line\nend\tand\rmore", "\xE6\x9C\xBA\xE5\x99\xA8", " edges ", "]]>", "--"}) {
    ModelBuilder robot(name);
    robot.link(link(name)).link(link(name + "2")).joint(joint(name, JointType::fixed, name, name + "2"));
    expect_survives(robot);
  }
}

TEST(UrdfWriter, NamesThatXmlCannotHoldAreRefused) {
  for (const std::string& name :
       {std::string("bell\a"), std::string("zero\0", 5), std::string("latin \xFC")}) {
    ModelBuilder robot("r");
    robot.link(link(name));
    EXPECT_THROW(write_urdf(robot), Error);
  }
}

TEST(UrdfWriter, RotationsSurviveEverywhere) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> angle(-4, 4);
  const double quarter = std::numbers::pi / 2;
  const auto expect_rotation = [](double roll, double pitch, double yaw) {
    ModelBuilder robot("r");
    JointDescription j = joint("j", JointType::fixed, "a", "b");
    j.placement.rotation = rotation_from_rpy(roll, pitch, yaw);
    robot.link(link("a")).link(link("b")).joint(j);
    SCOPED_TRACE(testing::Message() << roll << " " << pitch << " " << yaw);
    expect_survives(robot);
  };
  for (int i = 0; i < 1000; ++i) {
    const double roll = angle(random), yaw = angle(random);
    expect_rotation(roll, angle(random), yaw);
    for (const double off : {0.0, 1e-16, 1e-12, 1e-9, 1e-8, 1e-6, 1e-3}) {  // where roll and yaw become one
      expect_rotation(roll, quarter - off, yaw);
      expect_rotation(roll, -quarter + off, yaw);
    }
  }
  for (int i = 0; i < 64; ++i) expect_rotation(quarter * (i % 4), quarter * (i / 4 % 4), quarter * (i / 16));
}

TEST(UrdfWriter, SphericalJointsBecomeThreeContinuousOnes) {
  ModelBuilder robot("r");
  JointDescription ball = joint("ball", JointType::spherical, "a", "b");
  ball.placement.position = {1, 2, 3};
  ball.damping = 0.5;
  robot.link(link("a"))
      .link(link("b"))
      .link(link("b_x"))
      .joint(ball)
      .joint(joint("ball_x", JointType::fixed, "a", "b_x"));
  EXPECT_THAT(write_urdf(robot), HasSubstr("<!-- a spherical joint, as three continuous joints"));
  const ModelBuilder back = written_and_read(robot);
  ASSERT_EQ(back.links().size(), 5u);
  ASSERT_EQ(back.joints().size(), 4u);
  const auto& joints = back.joints();
  EXPECT_EQ(joints[0].name, "ball_x_");  // its first choice of name is taken
  EXPECT_EQ(joints[1].name, "ball_y");
  EXPECT_EQ(joints[2].name, "ball_z");
  EXPECT_EQ(joints[0].parent, "a");
  EXPECT_EQ(joints[0].child, "b_x_");
  EXPECT_EQ(joints[1].parent, joints[0].child);
  EXPECT_EQ(joints[2].parent, joints[1].child);
  EXPECT_EQ(joints[2].child, "b");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(joints[i].type, JointType::continuous);
    EXPECT_EQ(joints[i].axis[i], 1);
    EXPECT_EQ(joints[i].damping, 0.5);
    EXPECT_EQ(joints[i].placement.position[0], i == 0 ? 1 : 0);
  }
  EXPECT_EQ(back.build().nv(), 3);
}

TEST(UrdfWriter, FramesBecomeEmptyLinks) {
  ModelBuilder robot("r");
  FrameDescription tool;
  tool.name = "tool";
  tool.link = "b";
  tool.placement = {{0.1, 0, 0}, rotation_from_rpy(0, 0.5, 0)};
  robot.link(link("a")).link(link("b")).joint(joint("tool", JointType::revolute, "a", "b")).frame(tool);
  const Model before = robot.build(), after = written_and_read(robot).build();
  ASSERT_GE(after.find_frame("tool"), 0);
  const auto &b = before.view<double>(), &a = after.view<double>();
  const int ib = before.find_frame("tool"), ia = after.find_frame("tool");
  EXPECT_EQ(a.frame_link[ia], b.frame_link[ib]);
  for (int k = 0; k < 12; ++k)
    EXPECT_NEAR(a.frame_placement[12 * ia + k], b.frame_placement[12 * ib + k], 1e-15);
  EXPECT_EQ(after.n_joints(), 1);
}

TEST(UrdfWriter, WhatIsNoNumberIsStillWritten) {
  ModelBuilder robot("r");
  LinkDescription broken = link("a");
  broken.mass = std::numeric_limits<double>::quiet_NaN();
  robot.link(broken);
  EXPECT_TRUE(std::isnan(read_urdf(write_urdf(robot)).links()[0].mass));
}

}  // namespace
}  // namespace tandem
