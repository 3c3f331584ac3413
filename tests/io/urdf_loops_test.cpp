// SPDX-License-Identifier: Apache-2.0
/// Joints that close loops in URDF: <loop_joint> and Drake's ball constraints.
#include <gmock/gmock.h>

#include "support/errors.hpp"
#include "tandem/io/urdf.hpp"

namespace tandem {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string robot(const std::string& loops) {
  return R"(<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
)" + loops + "</robot>";
}

std::vector<std::string> problems_of(const std::string& loops) {
  std::vector<std::string> lines;
  try {
    parse_urdf(robot(loops), {}, "f.urdf");
  } catch (const ModelError& error) {
    for (const Problem& problem : error.problems())
      lines.push_back(to_string(problem.source) + ": " + problem.message);
  }
  return lines;
}

TEST(UrdfLoops, LoopJointsAreRead) {
  const ModelBuilder b = read_urdf(robot(R"(<loop_joint name="l" type="continuous">
<link1 link="a" xyz="1 2 3" rpy="0 0 1"/><link2 link="b" xyz="4 5 6"/><axis xyz="0 1 0"/></loop_joint>
<loop_joint name="m" type="ball"><link1 link="a"/><link2 link="b"/></loop_joint>)"));
  EXPECT_TRUE(b.problems().empty() && b.warnings().empty());
  ASSERT_EQ(b.loops().size(), 2u);
  const LoopDescription& l = b.loops()[0];
  EXPECT_EQ(l.name, "l");
  EXPECT_EQ(l.type, JointType::continuous);
  EXPECT_EQ(l.link_1, "a");
  EXPECT_EQ(l.link_2, "b");
  EXPECT_THAT(l.placement_1.position, ElementsAre(1, 2, 3));
  EXPECT_EQ(l.placement_1.rotation, rotation_from_rpy(0, 0, 1));
  EXPECT_THAT(l.placement_2.position, ElementsAre(4, 5, 6));
  EXPECT_THAT(l.axis, ElementsAre(0, 1, 0));
  EXPECT_EQ(l.source.line, 5);
  EXPECT_EQ(b.loops()[1].type, JointType::spherical);
}

TEST(UrdfLoops, DrakesBallConstraintsAreRead) {
  const ModelBuilder b = read_urdf(robot(R"(<drake:ball_constraint>
<drake:ball_constraint_body_A name="a"/><drake:ball_constraint_body_B name="b"/>
<drake:ball_constraint_p_AP value="1 2 3"/><drake:ball_constraint_p_BQ value="4 5 6"/></drake:ball_constraint>)"));
  EXPECT_TRUE(b.problems().empty() && b.warnings().empty());
  ASSERT_EQ(b.loops().size(), 1u);
  EXPECT_EQ(b.loops()[0].name, "ball_constraint_1");
  EXPECT_EQ(b.loops()[0].type, JointType::spherical);
  EXPECT_EQ(b.loops()[0].link_1, "a");
  EXPECT_EQ(b.loops()[0].link_2, "b");
  EXPECT_THAT(b.loops()[0].placement_1.position, ElementsAre(1, 2, 3));
  EXPECT_THAT(b.loops()[0].placement_2.position, ElementsAre(4, 5, 6));
}

TEST(UrdfLoops, WhatContradictsItselfIsAProblemOfItsLine) {
  EXPECT_THAT(problems_of("<loop_joint name='l' type='free'><link1 link='a'/><link2 link='b'/></loop_joint>"),
              ElementsAre(StartsWith("f.urdf:5: loop_joint \"l\": type=\"free\": unknown joint type")));
  EXPECT_THAT(
      problems_of("<loop_joint name='l' type='floating'><link1 link='a'/><link2 link='b'/></loop_joint>"),
      ElementsAre(StartsWith("f.urdf:5: loop_joint \"l\": type is free, expected a type that can close a loop")));
  EXPECT_THAT(problems_of("<loop_joint name='l' type='fixed'><link1 link='a'/></loop_joint>"),
              ElementsAre("f.urdf:5: loop_joint \"l\": has no link2, expected the name of a link"));
  EXPECT_THAT(problems_of("<loop_joint name='l' type='fixed'><link1 link='b'/><link2 link='b'/></loop_joint>"),
              ElementsAre(HasSubstr("connects link \"b\" to itself")));
  EXPECT_THAT(problems_of("<loop_joint name='j' type='fixed'><link1 link='a'/><link2 link='b'/></loop_joint>"),
              ElementsAre(HasSubstr("a joint has this name (line 3)")));
  EXPECT_THAT(problems_of("<loop_joint name='l' type='revolute'><link1 link='a'/><link2 link='b'/>"
                          "<axis xyz='0 0 0'/></loop_joint>"),
              ElementsAre(HasSubstr("axis is (0, 0, 0)")));
  EXPECT_THAT(problems_of("<drake:ball_constraint><drake:ball_constraint_body_A name='a'/>"
                          "<drake:ball_constraint_body_B name='b'/>"
                          "<drake:ball_constraint_p_AP value='1 2 3'/></drake:ball_constraint>"),
              ElementsAre(HasSubstr("<drake:ball_constraint_p_BQ> is missing")));
}

TEST(UrdfLoops, WhatDoesNotCloseALoopIsSaid) {
  const ModelBuilder b = read_urdf(robot(R"(<drake:linear_bushing_rpy><drake:bushing_frameA name="a"/>
</drake:linear_bushing_rpy><loop_joint name="l" type="fixed"><link1 link="a"/><link2 link="b"/><axis xyz="0 1 0"/>
<limit effort="1"/></loop_joint>)"));
  ASSERT_EQ(b.warnings().size(), 3u);
  EXPECT_THAT(b.warnings()[0].message, HasSubstr("<drake:linear_bushing_rpy> is ignored"));
  EXPECT_THAT(b.warnings()[1].message, HasSubstr("<limit> is ignored here: it belongs inside <joint>"));
  EXPECT_THAT(b.warnings()[2].message, HasSubstr("<axis> is ignored"));
}

TEST(UrdfLoops, WrittenTheySurvive) {
  for (const JointType type : {JointType::fixed, JointType::revolute, JointType::continuous, JointType::prismatic,
                               JointType::planar, JointType::spherical}) {
    SCOPED_TRACE(to_string(type));
    ModelBuilder b = read_urdf(robot(""));
    LoopDescription loop = {.name = "l", .type = type, .link_1 = "b", .link_2 = "a"};
    loop.placement_1 = {{0.1, 1.0 / 3, 2}, rotation_from_rpy(0.1, 0.2, 0.3)};
    if (joint_kind(type).has_axis) loop.axis = {0.6, 0, -0.8};
    b.loop(loop);
    const ModelBuilder back = read_urdf(write_urdf(b), "written");
    EXPECT_TRUE(back.problems().empty() && back.warnings().empty());
    ASSERT_EQ(back.loops().size(), 1u);
    EXPECT_EQ(back.loops()[0].name, "l");
    EXPECT_EQ(back.loops()[0].type, type);
    EXPECT_EQ(back.loops()[0].link_1, "b");
    EXPECT_EQ(back.loops()[0].link_2, "a");
    EXPECT_EQ(back.loops()[0].placement_1.position, loop.placement_1.position);
    for (std::size_t k = 0; k < 9; ++k)
      EXPECT_NEAR(back.loops()[0].placement_1.rotation[k], loop.placement_1.rotation[k], 1e-15);
    EXPECT_EQ(back.loops()[0].axis, loop.axis);
  }
}

}  // namespace
}  // namespace tandem
