// SPDX-License-Identifier: Apache-2.0
/// What the builder asks of screws and cardans.
#include <gmock/gmock.h>

#include <cmath>

#include "descriptions.hpp"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ModelBuilder robot(JointType type, double pitch, LinkDescription tip = ball("tip")) {
  JointDescription joint = hinge("wrist", "base", "tip");
  joint.type = type;
  joint.pitch = pitch;
  return ModelBuilder("robot").link(ball("base")).link(std::move(tip)).joint(std::move(joint));
}

TEST(CheckJoint, Pitch) {
  EXPECT_EQ(problem_of(robot(JointType::revolute, 0.01)),
            "joint \"wrist\": pitch is 0.01, expected 0: only helical joints have a pitch");
  EXPECT_THAT(problem_of(robot(JointType::helical, std::nan(""))), HasSubstr("pitch is nan, expected a finite number"));
  EXPECT_THAT(robot(JointType::helical, 0).build().warnings(), IsEmpty());
  EXPECT_THAT(robot(JointType::universal, 0).build().warnings(), IsEmpty());
}

TEST(CheckJoint, InertiaThatScrewsAndUniversalJointsNeed) {
  const auto singular = HasSubstr("no inertia in a direction of this joint");
  const LinkDescription point = {.name = "tip", .mass = 1};
  EXPECT_THAT(robot(JointType::helical, 0, point).build().warnings(), ElementsAre(singular));
  EXPECT_THAT(robot(JointType::helical, 0.5, point).build().warnings(), IsEmpty());
  EXPECT_THAT(robot(JointType::universal, 0, point).build().warnings(), ElementsAre(singular));
}

}  // namespace
}  // namespace tandem
