// SPDX-License-Identifier: Apache-2.0
/// Order of links and joints, rows in q and v, degrees of freedom.
#include <gmock/gmock.h>

#include "descriptions.hpp"

namespace tandem {
namespace {

using testing::ElementsAre;

/// A tree described out of order:
///
///     base -+- a --- a1
///           +- b -+- b1 --- b11
///                 +- b2
ModelBuilder branching() {
  ModelBuilder builder("branching");
  for (const char* name : {"b11", "a", "base", "b2", "b", "a1", "b1"}) builder.link(ball(name));
  builder.joint(joint("j_b2_late", JointType::prismatic, "b1", "b11"));
  builder.joint(hinge("j_a", "base", "a"));
  builder.joint(joint("j_b", JointType::spherical, "base", "b"));
  builder.joint(hinge("j_b1", "b", "b1"));
  builder.joint(joint("j_b2", JointType::planar, "b", "b2"));
  builder.joint(joint("j_a1", JointType::free, "a", "a1"));
  return builder;
}

TEST(Numbering, IsDepthFirstAndKeepsTheOrderOfSiblings) {
  const Model m = branching().build();
  std::vector<std::string> links, joints;
  for (int i = 0; i < m.n_links(); ++i) links.emplace_back(m.link_name(i));
  for (int i = 1; i < m.n_links(); ++i) joints.emplace_back(m.joint_name(i));
  EXPECT_THAT(links, ElementsAre("base", "a", "a1", "b", "b1", "b11", "b2"));
  EXPECT_THAT(joints, ElementsAre("j_a", "j_a1", "j_b", "j_b1", "j_b2_late", "j_b2"));
  const ModelView<double>& v = m.view<double>();
  EXPECT_THAT(listed(v.parent, 7), ElementsAre(-1, 0, 1, 0, 3, 4, 3));
  EXPECT_THAT(listed(v.last_child, 7), ElementsAre(3, 2, 0, 6, 5, 0, 0));
  EXPECT_EQ(m.depth(), 3);
}

TEST(Numbering, OfRows) {
  const Model m = branching().build();
  const ModelView<double>& v = m.view<double>();
  EXPECT_EQ(m.nq(), 1 + 7 + 4 + 1 + 1 + 3);
  EXPECT_EQ(m.nv(), 1 + 6 + 3 + 1 + 1 + 3);
  EXPECT_THAT(listed(v.q_index + 1, 6), ElementsAre(0, 1, 8, 12, 13, 14));
  EXPECT_THAT(listed(v.v_index + 1, 6), ElementsAre(0, 1, 7, 10, 11, 12));
  EXPECT_THAT(listed(v.dof_index + 1, 6), ElementsAre(0, 1, 7, 10, 11, 12));
  EXPECT_EQ(m.joint_type(1), JointType::revolute);
  EXPECT_EQ(m.joint_type(3), JointType::spherical);
  EXPECT_EQ(v.n_dof, m.nv());
  EXPECT_EQ(v.n_mimic, 0);
}

TEST(Numbering, OfDegreesOfFreedom) {
  const Model m = branching().build();
  const ModelView<double>& v = m.view<double>();
  // a: 0, a1: 1 .. 6, b: 7 .. 9, b1: 10, b11: 11, b2: 12 .. 14
  EXPECT_THAT(listed(v.dof_parent, v.n_dof), ElementsAre(-1, 0, 1, 2, 3, 4, 5, -1, 7, 8, 9, 10, 9, 12, 13));
  EXPECT_THAT(listed(v.dof_run_start, v.n_dof), ElementsAre(0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7, 7, 12, 12, 12));
}

TEST(Numbering, AContinuousJointIsOneAngle) {
  ModelBuilder builder("wheel");
  builder.link(ball("base")).link(ball("wheel"));
  builder.joint(joint("axle", JointType::continuous, "base", "wheel"));
  const Model m = builder.build();
  EXPECT_EQ(m.nq(), 1);
  EXPECT_EQ(m.joint_type(1), JointType::continuous);
  EXPECT_STREQ(to_string(m.joint_type(1)), "continuous");
}

TEST(Numbering, ALinkAloneIsARobot) {
  ModelBuilder builder("stone");
  builder.link(ball("stone", 3));
  const Model m = builder.build();
  EXPECT_EQ(m.n_links(), 1);
  EXPECT_EQ(m.n_joints(), 0);
  EXPECT_EQ(m.nq(), 0);
  EXPECT_EQ(m.depth(), 0);
  EXPECT_EQ(m.mass(), 3);
}

TEST(Rows, HoldWhatTheJointsSay) {
  ModelBuilder builder("rows");
  builder.link(ball("base")).link(ball("a")).link(ball("b"));
  JointDescription slide = joint("slide", JointType::prismatic, "base", "a");
  slide.lower = -0.5, slide.upper = 0.25, slide.velocity = 2, slide.effort = 30;
  slide.damping = 0.1, slide.friction = 0.2, slide.armature = 0.3, slide.stiffness = 4, slide.rest = 0.05;
  JointDescription ball_joint = joint("ball", JointType::spherical, "a", "b");
  ball_joint.damping = 0.7, ball_joint.stiffness = 2, ball_joint.velocity = 5;
  const Model m = builder.joint(slide).joint(ball_joint).build();
  const ModelView<double>& v = m.view<double>();
  EXPECT_THAT(listed(v.damping, 4), ElementsAre(0.1, 0.7, 0.7, 0.7));
  EXPECT_THAT(listed(v.friction, 4), ElementsAre(0.2, 0, 0, 0));
  EXPECT_THAT(listed(v.armature, 4), ElementsAre(0.3, 0, 0, 0));
  EXPECT_THAT(listed(v.stiffness, 4), ElementsAre(4, 2, 2, 2));
  EXPECT_THAT(listed(v.q_rest, 5), ElementsAre(0.05, 0, 0, 0, 1));
  EXPECT_THAT(listed(v.q_lower, 5), ElementsAre(-0.5, -unlimited, -unlimited, -unlimited, -unlimited));
  EXPECT_THAT(listed(v.q_upper, 5), ElementsAre(0.25, unlimited, unlimited, unlimited, unlimited));
  EXPECT_THAT(listed(v.v_limit, 4), ElementsAre(2, 5, 5, 5));
  EXPECT_THAT(listed(v.tau_limit, 4), ElementsAre(30, unlimited, unlimited, unlimited));
}

TEST(Floating, HangsTheRootFromTheWorld) {
  const Model m = arm(2).build({.floating = true});
  EXPECT_EQ(m.n_links(), 4);
  EXPECT_EQ(m.nq(), 7 + 2);
  EXPECT_EQ(m.link_name(0), "world");
  EXPECT_EQ(m.link_name(1), "base");
  EXPECT_EQ(m.joint_name(1), "floating_base");
  EXPECT_EQ(m.joint_type(1), JointType::free);
  EXPECT_EQ(m.mass(), 3);
  EXPECT_EQ(m.view<double>().q_rest[6], 1);
}

TEST(Floating, FindsAnotherNameForAWorldThatIsTaken) {
  ModelBuilder builder("robot");
  builder.link(ball("world")).link(ball("arm")).joint(hinge("floating_base", "world", "arm"));
  builder.frame({.name = "universe", .link = "arm"});
  const Model m = builder.build({.floating = true});
  EXPECT_EQ(m.link_name(0), "universe_2");
  EXPECT_EQ(m.link_name(1), "world");
  EXPECT_EQ(m.joint_name(1), "floating_base_2");
  EXPECT_EQ(m.joint_name(2), "floating_base");
}

TEST(Floating, ARobotThatFloatsAlreadyStaysAsItIs) {
  ModelBuilder builder("drone");
  builder.link({.name = "world"}).link({.name = "odom"}).link(ball("body"));
  builder.joint(joint("fix", JointType::fixed, "world", "odom"))
      .joint(joint("fly", JointType::free, "odom", "body"));
  const Model m = builder.build({.floating = true});
  EXPECT_EQ(m.nv(), 6);
  ASSERT_EQ(m.warnings().size(), 1u);
  EXPECT_THAT(m.warnings()[0], testing::HasSubstr("already floats"));
}

TEST(Floating, MimicJointsKeepTheirSources) {
  ModelBuilder builder = arm(1);
  JointDescription follower = hinge("follower", "link1", "link2");
  follower.mimic = "joint1";
  const Model m = builder.link(ball("link2")).joint(follower).build({.floating = true});
  EXPECT_EQ(m.nv(), 7);
  EXPECT_THAT(listed(m.view<double>().mimics, 4), ElementsAre(0, 0, 0, 2));
}

TEST(Gravity, IsAnAccelerationOfTheBase) {
  const Model m = arm(1).gravity({1, 2, -9}).build();
  EXPECT_THAT(listed(m.view<double>().base_acceleration, 6), ElementsAre(0, 0, 0, -1, -2, 9));
  EXPECT_THAT(m.gravity(), ElementsAre(1, 2, -9));
}

}  // namespace
}  // namespace tandem
