// SPDX-License-Identifier: Apache-2.0
/// What is read from a URDF that is as it should be, and what is passed over.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tandem/io/urdf.hpp"

namespace tandem {
namespace {

ModelBuilder read_body(const std::string& body) {
  ModelBuilder robot = read_urdf("<robot name='r'>" + body + "</robot>", "f");
  for (const Problem& problem : robot.problems())
    ADD_FAILURE() << to_string(problem.source) << ": " << problem.message;
  return robot;
}

JointDescription read_joint(const std::string& type, const std::string& children) {
  const ModelBuilder robot = read_body("<joint name='j' type='" + type + "'>" + children + "</joint>");
  EXPECT_EQ(robot.joints().size(), 1u);
  return robot.joints().at(0);
}

std::string only_warning(const ModelBuilder& robot) {
  EXPECT_EQ(robot.warnings().size(), 1u);
  return robot.warnings().empty() ? "" : robot.warnings()[0].message;
}

TEST(UrdfReader, Link) {
  const ModelBuilder robot = read_body(R"(
    <link name="arm">
      <inertial>
        <mass value="2.5"/>
        <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="3"/>
        <origin xyz="0.1 0.2 0.3"/>
      </inertial>
    </link>
    <link name="tip"/>)");
  ASSERT_EQ(robot.links().size(), 2u);
  const LinkDescription& arm = robot.links()[0];
  EXPECT_EQ(arm.name, "arm");
  EXPECT_EQ(arm.mass, 2.5);
  EXPECT_EQ(arm.com, (std::array<double, 3>{0.1, 0.2, 0.3}));
  EXPECT_EQ(arm.inertia, (std::array<double, 6>{1, 0.1, 0.2, 2, 0.3, 3}));
  EXPECT_EQ(arm.source.file, "f");
  EXPECT_EQ(arm.source.line, 2);
  EXPECT_EQ(arm.source.element, "link \"arm\"");
  EXPECT_EQ(robot.links()[1].mass, 0);
}

TEST(UrdfReader, InertiaIsTurnedIntoTheLinksAxes) {
  const std::string pi = "3.141592653589793", half_pi = "1.5707963267948966";
  const auto inertia = [&](const std::string& rpy) {
    return read_body("<link name='l'><inertial><origin rpy='" + rpy +
                     "'/><mass value='1'/><inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' "
                     "izz='3'/></inertial></link>")
        .links()
        .at(0)
        .inertia;
  };
  const auto expect_near = [](const std::array<double, 6>& a, const std::array<double, 6>& b) {
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(a[i], b[i], 1e-15 * 8);
  };
  expect_near(inertia("0 0 0"), {1, 0.1, 0.2, 2, 0.3, 3});
  expect_near(inertia("0 0 " + half_pi), {2, -0.1, -0.3, 1, 0.2, 3});       // x -> y, y -> -x
  expect_near(inertia(half_pi + " 0 0"), {1, -0.2, 0.1, 3, -0.3, 2});       // y -> z, z -> -y
  expect_near(inertia("0 " + half_pi + " 0"), {3, 0.3, -0.2, 2, -0.1, 1});  // z -> x, x -> -z
  expect_near(inertia("0 0 " + pi), {1, 0.1, -0.2, 2, -0.3, 3});
}

TEST(UrdfReader, InertialWithoutInertiaIsAPointMass) {
  const ModelBuilder robot = read_body("<link name='l'><inertial><mass value='1'/></inertial></link>");
  EXPECT_EQ(robot.links()[0].inertia, (std::array<double, 6>{}));
  EXPECT_EQ(only_warning(robot), "inertial: <inertia> is missing; the link is a point mass");
}

TEST(UrdfReader, JointTypes) {
  EXPECT_EQ(read_joint("revolute", "").type, JointType::revolute);
  EXPECT_EQ(read_joint("continuous", "").type, JointType::continuous);
  EXPECT_EQ(read_joint("prismatic", "").type, JointType::prismatic);
  EXPECT_EQ(read_joint("fixed", "").type, JointType::fixed);
  EXPECT_EQ(read_joint("floating", "").type, JointType::free);
  EXPECT_EQ(read_joint("planar", "").type, JointType::planar);
  EXPECT_EQ(read_joint("spherical", "").type, JointType::spherical);
}

TEST(UrdfReader, JointsOfDrake) {
  const auto read_drakes_joint = [](const std::string& type, const std::string& children) {
    return read_body("<drake:joint name='j' type='" + type + "'>" + children + "</drake:joint>");
  };
  const ModelBuilder screw = read_drakes_joint("screw", R"(
      <parent link="a"/>
      <child link="b"/>
      <axis xyz="0 1 0"/>
      <drake:screw_thread_pitch value="-0.05"/>
      <dynamics damping="0.1"/>)");
  ASSERT_EQ(screw.joints().size(), 1u);
  EXPECT_EQ(screw.joints()[0].type, JointType::helical);
  EXPECT_EQ(screw.joints()[0].pitch, -0.05);
  EXPECT_EQ(screw.joints()[0].axis, (std::array<double, 3>{0, 1, 0}));
  EXPECT_EQ(screw.joints()[0].damping, 0.1);
  EXPECT_EQ(screw.joints()[0].lower, -unlimited);
  EXPECT_TRUE(screw.warnings().empty());
  const ModelBuilder universal = read_drakes_joint("universal", "<parent link='a'/><child link='b'/>");
  EXPECT_EQ(universal.joints().at(0).type, JointType::universal);
  EXPECT_TRUE(universal.warnings().empty());
  EXPECT_EQ(read_drakes_joint("ball", "").joints().at(0).type, JointType::spherical);
  EXPECT_EQ(read_drakes_joint("planar", "<axis xyz='0 0 1'/>").joints().at(0).type, JointType::planar);
  EXPECT_EQ(only_warning(read_drakes_joint("universal", "<axis xyz='0 0 1'/>")),
            "<axis> is ignored: a universal joint rotates about x of its frame, then about y");
}

TEST(UrdfReader, Joint) {
  const JointDescription joint = read_joint("revolute", R"(
      <child link="b"/>
      <parent link="a"/>
      <axis xyz="0 0 1"/>
      <limit lower="-1" upper="2" velocity="3" effort="4"/>
      <dynamics damping="5" friction="6"/>
      <mimic joint="k" multiplier="-7" offset="8"/>
      <tandem armature="9" stiffness="10" rest="11"/>
      <origin xyz="1 2 3"/>)");
  EXPECT_EQ(joint.name, "j");
  EXPECT_EQ(joint.parent, "a");
  EXPECT_EQ(joint.child, "b");
  EXPECT_EQ(joint.axis, (std::array<double, 3>{0, 0, 1}));
  EXPECT_EQ(joint.lower, -1);
  EXPECT_EQ(joint.upper, 2);
  EXPECT_EQ(joint.velocity, 3);
  EXPECT_EQ(joint.effort, 4);
  EXPECT_EQ(joint.damping, 5);
  EXPECT_EQ(joint.friction, 6);
  EXPECT_EQ(joint.mimic, "k");
  EXPECT_EQ(joint.multiplier, -7);
  EXPECT_EQ(joint.offset, 8);
  EXPECT_EQ(joint.armature, 9);
  EXPECT_EQ(joint.stiffness, 10);
  EXPECT_EQ(joint.rest, 11);
  EXPECT_EQ(joint.placement.position, (std::array<double, 3>{1, 2, 3}));
  EXPECT_EQ(joint.placement.rotation, Pose{}.rotation);
}

TEST(UrdfReader, JointDefaults) {
  const JointDescription joint =
      read_joint("continuous", "<parent link='a'/><child link='b'/><mimic joint='k'/><origin/>");
  EXPECT_EQ(joint.axis, (std::array<double, 3>{1, 0, 0}));
  EXPECT_EQ(joint.lower, -unlimited);
  EXPECT_EQ(joint.upper, unlimited);
  EXPECT_EQ(joint.velocity, unlimited);
  EXPECT_EQ(joint.effort, unlimited);
  EXPECT_EQ(joint.damping, 0);
  EXPECT_EQ(joint.friction, 0);
  EXPECT_EQ(joint.multiplier, 1);
  EXPECT_EQ(joint.offset, 0);
  EXPECT_EQ(joint.placement.position, (std::array<double, 3>{}));
  EXPECT_EQ(joint.placement.rotation, Pose{}.rotation);
}

TEST(UrdfReader, Rotations) {
  const JointDescription rpy = read_joint("fixed", "<origin rpy='0.1 -0.2 0.3'/>");
  EXPECT_EQ(rpy.placement.rotation, rotation_from_rpy(0.1, -0.2, 0.3));
  const JointDescription quaternion = read_joint("fixed", "<origin quat_xyzw='0 0 3 3'/>");
  EXPECT_EQ(quaternion.placement.rotation, rotation_from_quaternion(0, 0, 3, 3));
}

TEST(UrdfReader, Limits) {
  const ModelBuilder none = read_body("<joint name='j' type='prismatic'/>");
  EXPECT_EQ(only_warning(none), "<limit> is missing; the joint is unlimited");
  EXPECT_EQ(none.joints()[0].upper, unlimited);

  const ModelBuilder no_range =
      read_body("<joint name='j' type='revolute'>\n<limit effort='1' velocity='2'/></joint>");
  EXPECT_EQ(no_range.joints()[0].lower, 0);
  EXPECT_EQ(no_range.joints()[0].upper, 0);
  EXPECT_EQ(only_warning(no_range),
            "limit: lower and upper are missing; both are 0, so that the joint cannot move");
  EXPECT_EQ(no_range.warnings()[0].source.line, 2);

  const JointDescription one_sided = read_joint("revolute", "<limit upper='2'/>");
  EXPECT_EQ(one_sided.lower, 0);
  EXPECT_EQ(one_sided.upper, 2);

  const JointDescription wheel =
      read_joint("continuous", "<limit lower='-1' upper='1' effort='5' velocity='6'/>");
  EXPECT_EQ(wheel.lower, -unlimited);
  EXPECT_EQ(wheel.upper, unlimited);
  EXPECT_EQ(wheel.effort, 5);

  const JointDescription huge = read_joint(
      "revolute", "<limit lower='-1.7976931348623157e308' upper='1e300' effort='inf' velocity='1e300'/>");
  EXPECT_EQ(huge.lower, -unlimited);
  EXPECT_EQ(huge.upper, unlimited);
  EXPECT_EQ(huge.effort, unlimited);
  EXPECT_EQ(huge.velocity, unlimited);
}

TEST(UrdfReader, Gravity) {
  EXPECT_EQ(read_body("").gravity(), (std::array<double, 3>{0, 0, -9.81}));
  EXPECT_EQ(read_body("<tandem gravity='0 0 -1.62'/>").gravity(), (std::array<double, 3>{0, 0, -1.62}));
}

TEST(UrdfReader, PassesOverWhatIsNotDynamics) {
  const std::string decoys =
      "<link name='decoy'/><joint name='decoy' type='hinge'><axis xyz='x'/></joint><inertial><mass "
      "value='x'/></inertial>";
  std::string body;
  for (const std::string name : {"transmission", "gazebo", "material", "sensor", "ros2_control", "mujoco",
                                 "frame", "group", "drake:collision_filter_group", "some_vendor"})
    body += "<" + name + ">" + decoys + "<deeper>" + decoys + "</deeper></" + name + ">";
  body += "<link name='l'>";
  for (const std::string name : {"visual", "collision", "contact", "sensor", "drake:proximity_properties"})
    body += "<" + name + " name='${x}'>" + decoys + "</" + name + ">";
  body += "</link><joint name='j' type='continuous'>";
  for (const std::string name :
       {"safety_controller", "calibration", "hardwareInterface", "drake:rotor_inertia"})
    body += "<" + name + " value='x'>" + decoys + "</" + name + ">";
  body += "<origin>" + decoys + "</origin></joint>";
  const ModelBuilder robot = read_body(body);
  EXPECT_EQ(robot.links().size(), 1u);
  EXPECT_EQ(robot.joints().size(), 1u);
  EXPECT_TRUE(robot.warnings().empty());
}

TEST(UrdfReader, WarnsOnceOfEveryUnknownElement) {
  const std::string joint = "' type='continuous'><spring k='1'/><spring/></joint>";
  EXPECT_EQ(only_warning(read_body("<joint name='a" + joint + "<joint name='b" + joint)),
            "unknown element <spring> is ignored");
}

TEST(UrdfReader, WarnsOfElementsInTheWrongPlace) {
  EXPECT_EQ(only_warning(read_body("<link name='l'><mass value='1'/></link>")),
            "<mass> is ignored here: it belongs inside <inertial>");
  EXPECT_EQ(only_warning(read_body("<joint name='j' type='fixed'><inertial/></joint>")),
            "<inertial> is ignored here: it belongs inside <link>");
  EXPECT_EQ(only_warning(read_body("<axis xyz='0 0 1'/>")),
            "<axis> is ignored here: it belongs inside <joint> or <loop_joint>");
  EXPECT_EQ(only_warning(read_body("<link name='l'><joint name='j'/></link>")),
            "<joint> is ignored here: it belongs inside <robot>");
  EXPECT_EQ(only_warning(read_body("<vendor:joint name='j' type='ball'/>")),
            "<vendor:joint> is not URDF and is ignored");
}

TEST(UrdfReader, TheFirstOfTwoCounts) {
  const ModelBuilder robot = read_body(
      "<joint name='j' type='continuous'><axis xyz='0 0 1'/>\n<axis xyz='x'><a/></axis><parent "
      "link='p'/></joint>");
  EXPECT_EQ(robot.joints()[0].axis, (std::array<double, 3>{0, 0, 1}));
  EXPECT_EQ(robot.joints()[0].parent, "p");
  EXPECT_EQ(only_warning(robot), "a second <axis> is ignored");
}

TEST(UrdfReader, WorldThatIsNotDescribed) {
  const std::string joint = "<joint name='j' type='floating'><parent link='world'/><child link='l'/></joint>";
  const ModelBuilder robot = read_body("<link name='l'/>" + joint);
  ASSERT_EQ(robot.links().size(), 2u);
  EXPECT_EQ(robot.links()[1].name, "world");
  EXPECT_EQ(only_warning(robot), "parent link \"world\" is not defined; the joint is attached to the world");
  EXPECT_EQ(read_body("<link name='l'/><link name='world'/>" + joint).links().size(), 2u);
}

TEST(UrdfReader, DefaultOfAnEnvironmentVariable) {
  const ModelBuilder robot =
      read_body("<joint name='j' type='fixed'><origin xyz='$(optenv IMU_XYZ 1 2 3)'/></joint>");
  EXPECT_EQ(robot.joints()[0].placement.position, (std::array<double, 3>{1, 2, 3}));
  EXPECT_EQ(only_warning(robot), "origin xyz=\"$(optenv IMU_XYZ 1 2 3)\": read as \"1 2 3\"");
}

TEST(UrdfReader, RobotWithoutName) {
  const ModelBuilder robot = read_urdf("<robot/>");
  EXPECT_EQ(robot.name(), "robot");
  EXPECT_EQ(only_warning(robot), "attribute name is missing");
}

}  // namespace
}  // namespace tandem
