// SPDX-License-Identifier: Apache-2.0
/// Joints that follow joints.
#include <gmock/gmock.h>

#include "descriptions.hpp"
#include "support/many.hpp"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// An arm of which joints follow each other: {"joint2", "joint1", 2, 0.5} is joint2 = 2 joint1 + 0.5.
struct Follow {
  std::string joint, source;
  double multiplier, offset;
};

ModelBuilder following(int n, const std::vector<Follow>& follows) {
  const ModelBuilder plain = arm(n);
  ModelBuilder builder("following");
  for (const LinkDescription& link : plain.links()) builder.link(link);
  for (JointDescription joint : plain.joints()) {
    for (const Follow& f : follows) {
      if (f.joint == joint.name)
        joint.mimic = f.source, joint.multiplier = f.multiplier, joint.offset = f.offset;
    }
    builder.joint(joint);
  }
  return builder;
}

TEST(Mimic, HasNoRowsOfItsOwn) {
  const Model m = following(3, {{"joint2", "joint1", 2, 0.5}}).build();
  const ModelView<double>& v = m.view<double>();
  EXPECT_EQ(m.nq(), 2);
  EXPECT_EQ(m.nv(), 2);
  EXPECT_EQ(v.n_mimic, 1);
  EXPECT_EQ(v.n_dof, 3);
  EXPECT_THAT(listed(v.mimics, 4), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(listed(v.q_index + 1, 3), ElementsAre(0, 0, 1));
  EXPECT_THAT(listed(v.v_index + 1, 3), ElementsAre(0, 0, 1));
  EXPECT_THAT(listed(v.dof_index + 1, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(listed(v.multiplier, 4), ElementsAre(1, 1, 2, 1));
  EXPECT_THAT(listed(v.offset, 4), ElementsAre(0, 0, 0.5, 0));
  EXPECT_TRUE(m.is_mimic(2));
  EXPECT_FALSE(m.is_mimic(3));
}

TEST(Mimic, MayFollowAJointThatComesLater) {
  const Model m = following(3, {{"joint1", "joint3", -1, 0}}).build();
  const ModelView<double>& v = m.view<double>();
  EXPECT_THAT(listed(v.mimics, 4), ElementsAre(0, 3, 0, 0));
  EXPECT_THAT(listed(v.q_index + 1, 3), ElementsAre(1, 0, 1));
}

TEST(Mimic, FollowsFollowersToTheEnd) {
  // joint1 = 2 joint2 + 1, joint2 = 3 joint4 + 2, joint4 = -joint3 + 5: joint1 = 6 joint4 + 5 = -6 joint3 +
  // 35
  const Model m =
      following(4, {{"joint1", "joint2", 2, 1}, {"joint2", "joint4", 3, 2}, {"joint4", "joint3", -1, 5}})
          .build();
  const ModelView<double>& v = m.view<double>();
  EXPECT_EQ(m.nv(), 1);
  EXPECT_THAT(listed(v.mimics, 5), ElementsAre(0, 3, 3, 0, 3));
  EXPECT_THAT(listed(v.multiplier, 5), ElementsAre(1, -6, -3, 1, -1));
  EXPECT_THAT(listed(v.offset, 5), ElementsAre(0, 35, 17, 0, 5));
}

TEST(Mimic, AddsToTheRowsOfItsSource) {
  const ModelBuilder plain = arm(2);
  ModelBuilder builder("geared");
  for (const LinkDescription& link : plain.links()) builder.link(link);
  JointDescription source = plain.joints()[0], follower = plain.joints()[1];
  source.armature = 1, source.damping = 2, source.friction = 3, source.stiffness = 4, source.rest = 0.5;
  follower.armature = 10, follower.damping = 20, follower.friction = 30, follower.stiffness = 40,
  follower.rest = 1.5;
  follower.mimic = "joint1", follower.multiplier = -2, follower.offset = 0.5;
  const Model m = builder.joint(source).joint(follower).build();
  const ModelView<double>& v = m.view<double>();
  EXPECT_EQ(v.armature[0], 1 + 4 * 10);
  EXPECT_EQ(v.damping[0], 2 + 4 * 20);
  EXPECT_EQ(v.friction[0], 3 + 2 * 30);
  EXPECT_EQ(v.stiffness[0], 4 + 4 * 40);
  // force of both springs: -4 (q - 0.5) - (-2) 40 (-2 q + 0.5 - 1.5)
  for (const double q : {-1.0, 0.0, 2.0}) {
    const double force = -4 * (q - 0.5) + 2 * 40 * (-2 * q - 1);
    EXPECT_NEAR(-v.stiffness[0] * (q - v.q_rest[0]), force, 1e-13 * 500);
  }
}

TEST(Mimic, ALongLineOfFollowersIsNoTrouble) {
  constexpr int n = test::many(200000);
  ModelBuilder builder("line");
  builder.link(ball("base"));
  for (int i = 1; i <= n; ++i) {
    const std::string name = "l" + std::to_string(i);
    JointDescription j = hinge("j" + std::to_string(i), "base", name);
    if (i < n) j.mimic = "j" + std::to_string(i + 1);
    j.offset = i < n ? 1 : 0;
    builder.link(ball(name)).joint(j);
  }
  const Model m = builder.build();
  EXPECT_EQ(m.nv(), 1);
  EXPECT_EQ(m.view<double>().mimics[1], n);
  EXPECT_EQ(m.view<double>().offset[1], n - 1);
}

TEST(Mimic, OfNothing) {
  EXPECT_THAT(
      problem_of(following(2, {{"joint2", "joint11", 1, 0}})),
      HasSubstr("joint \"joint2\": mimics joint \"joint11\", which does not exist; did you mean \"joint1\""));
}

TEST(Mimic, OfItself) {
  EXPECT_THAT(problem_of(following(2, {{"joint2", "joint2", 1, 0}})),
              HasSubstr("joint \"joint2\": mimics joint \"joint2\", which is itself"));
}

TEST(Mimic, InACircle) {
  EXPECT_THAT(problem_of(following(
                  4, {{"joint2", "joint3", 1, 0}, {"joint3", "joint4", 1, 0}, {"joint4", "joint2", 1, 0}})),
              HasSubstr("joint \"joint2\": mimics \"joint3\", which depends on it"));
}

TEST(Mimic, OfOrByAJointOfAnotherKind) {
  ModelBuilder builder = arm(1);
  JointDescription of_fixed = hinge("of_fixed", "base", "a"), of_ball = hinge("of_ball", "base", "b");
  JointDescription is_ball = joint("is_ball", JointType::spherical, "base", "c");
  of_fixed.mimic = "weld";
  of_ball.mimic = "ball";
  is_ball.mimic = "joint1";
  builder.link(ball("a")).link(ball("b")).link(ball("c")).link(ball("d"));
  builder.joint(of_fixed).joint(of_ball).joint(is_ball).joint(joint("weld", JointType::fixed, "base", "d"));
  builder.link(ball("e")).joint(joint("ball", JointType::spherical, "base", "e"));
  EXPECT_THAT(
      problems_of(builder),
      ElementsAre(
          HasSubstr("joint \"of_fixed\": mimics joint \"weld\", which is fixed; expected a revolute"),
          HasSubstr("joint \"of_ball\": mimics joint \"ball\", which is spherical; expected a revolute"),
          HasSubstr("joint \"is_ball\": mimics joint \"joint1\", but is spherical; expected a revolute")));
}

TEST(Mimic, ByAFixedJointIsPassedOver) {
  JointDescription weld = joint("weld", JointType::fixed, "link1", "tool");
  weld.mimic = "joint1";
  const Model m = arm(1).link(ball("tool")).joint(weld).build();
  ASSERT_EQ(m.warnings().size(), 1u);
  EXPECT_THAT(m.warnings()[0],
              HasSubstr("joint \"weld\": mimics joint \"joint1\" but is fixed; this has no effect"));
}

}  // namespace
}  // namespace tandem
