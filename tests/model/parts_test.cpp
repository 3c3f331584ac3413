// SPDX-License-Identifier: Apache-2.0
/// What a model tells of its joints and frames is what the description said of them.
#include <gmock/gmock.h>

#include "descriptions.hpp"
#include "support/cases.hpp"
#include "support/errors.hpp"
#include "support/redescribe.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

template <class T>
const T* named(const std::vector<T>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &T::name);
  return found == all.end() ? nullptr : &*found;
}
const JointDescription& carrier_of(const ModelBuilder& b, const std::string& link) {
  return *std::ranges::find(b.joints(), link, &JointDescription::child);
}

void expect_same(const Pose& a, const Pose& b, const std::string& what) {
  const Eigen::Isometry3d difference = isometry(a).inverse() * isometry(b);
  const double size = 1 + isometry(a).translation().norm();
  EXPECT_LT((difference.matrix() - Eigen::Matrix4d::Identity()).norm(), 32 * eps * size) << what;
}

TEST(ModelParts, JointsStandWhereTheirDescriptionPutsThem) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Model& m = c.model;
    for (int i = 1; i < m.n_links(); ++i) {
      const JointDescription* joint = named(c.description.joints(), m.joint_name(i));
      if (!joint) continue;  // of a floating base
      Pose expected = joint->placement;
      std::string parent = joint->parent;
      while (parent != m.link_name(m.parent(i))) {
        const JointDescription& fixed = carrier_of(c.description, parent);
        EXPECT_EQ(fixed.name, m.fixed_joint_name(m.frame_index(parent)));
        expected = fixed.placement * expected;
        parent = fixed.parent;
      }
      expect_same(m.joint_placement(i), expected, joint->name);
    }
    for (const FrameDescription& frame : c.description.frames()) {
      const int f = m.frame_index(frame.name), on = m.frame_index(frame.link);
      EXPECT_EQ(m.frame_link(f), m.frame_link(on));
      EXPECT_EQ(m.fixed_joint_name(f), "");
      expect_same(m.frame_placement(f), m.frame_placement(on) * frame.placement, frame.name);
    }
  }
}

TEST(ModelParts, LimitsAndForcesAreThoseOfTheDescription) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Model& m = c.model;
    for (int i = 1; i < m.n_links(); ++i) {
      const JointDescription* joint = named(c.description.joints(), m.joint_name(i));
      if (!joint) continue;
      const MimicRule rule = m.mimic_rule(i);
      EXPECT_EQ(m.is_mimic(i), !joint->mimic.empty());
      EXPECT_EQ(m.is_mimic(i), rule.joint != 0);
      if (rule.joint) {
        EXPECT_EQ(m.q_index(i), m.q_index(rule.joint));
        EXPECT_EQ(m.joint_limits(i).upper, m.joint_limits(rule.joint).upper);
        continue;
      }
      const JointLimits limits = m.joint_limits(i);
      const bool has_range = joint_kind(joint->type).has_range;
      EXPECT_EQ(limits.lower, has_range ? joint->lower : -unlimited);
      EXPECT_EQ(limits.upper, has_range ? joint->upper : unlimited);
      EXPECT_EQ(limits.velocity, joint->velocity);
      EXPECT_EQ(limits.effort, joint->effort);
      if (m.view<double>().n_mimic > 0) continue;  // followers add to what they follow
      const JointDynamics dynamics = m.joint_dynamics(i);
      EXPECT_EQ(dynamics.armature, joint->armature);
      EXPECT_EQ(dynamics.damping, joint->damping);
      EXPECT_EQ(dynamics.friction, joint->friction);
      EXPECT_EQ(dynamics.stiffness, joint->stiffness);
      EXPECT_EQ(dynamics.rest, joint_kind(joint->type).nq == 1 ? joint->rest : 0);
    }
  }
}

TEST(ModelParts, ThatDoNotExistAreNamed) {
  const Model m = arm(2).build();
  EXPECT_EQ(error_of([&] { m.joint_limits(0); }), "robot \"arm\" has no joint 0: its joints are 1 to 2");
  EXPECT_THAT(error_of([&] { m.joint_placement(3); }), HasSubstr("has no joint 3"));
  EXPECT_THAT(error_of([&] { m.joint_dynamics(-1); }), HasSubstr("has no joint -1"));
  EXPECT_THAT(error_of([&] { m.mimic_rule(7); }), HasSubstr("has no joint 7"));
  EXPECT_THAT(error_of([&] { m.joint_axis(7); }), HasSubstr("has no joint 7"));
  EXPECT_THAT(error_of([&] { m.parent(3); }), HasSubstr("has no link 3"));
  EXPECT_THAT(error_of([&] { m.frame_placement(3); }), HasSubstr("its frames are 0 to 2"));
}

TEST(Poses, AreGoneThroughOneAfterTheOther) {
  const Pose first = {{1, 2, 3}, rotation_from_rpy(0.3, -0.4, 0.5)},
             second = {{-1, 0.5, 2}, rotation_from_rpy(1, 2, 3)};
  expect_same(first * second, pose_of(isometry(first) * isometry(second)), "product");
}

}  // namespace
}  // namespace tandem::test
