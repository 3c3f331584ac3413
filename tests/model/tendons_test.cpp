// SPDX-License-Identifier: Apache-2.0
/// Descriptions and models with fixed tendons.
#include <gmock/gmock.h>

#include "support/errors.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModelBuilder coupled() {
  ModelBuilder robot("coupled");
  robot.link({.name = "base"}).link({.name = "cart", .mass = 1}).link({.name = "pole", .mass = 1, .com = {0, 0, 1}});
  robot.joint({.name = "slide", .type = JointType::prismatic, .parent = "base", .child = "cart"});
  robot.joint({.name = "hinge", .type = JointType::continuous, .parent = "cart", .child = "pole"});
  robot.tendon({.name = "rope", .joints = {{"slide", 2}, {"hinge", -0.5}}, .lower = -1, .upper = 1, .stiffness = 3});
  return robot;
}

TEST(Tendons, LengthsAreSumsOfPositions) {
  const Model model = coupled().build();
  EXPECT_THAT(tendon_lengths(model, std::vector<double>{0.3, 0.4}), ElementsAre(DoubleNear(0.4, 1e-15)));
  EXPECT_THAT(model.warnings(), ElementsAre(HasSubstr("acts only in simulations with contacts")));
  EXPECT_THAT(error_of([&] { tendon_lengths(model, std::vector<double>{1}); }), HasSubstr("expected 2"));
}

TEST(Tendons, StayWithTheirJoints) {
  ModelBuilder robot = coupled();
  robot.change_joint("hinge", [](auto& joint) { joint.name = "pivot"; });
  EXPECT_EQ(robot.find_tendon("rope")->joints[1].joint, "pivot");
  const Model again = describe(robot.build()).build();
  ASSERT_EQ(tendons(again).size(), 1u);
  EXPECT_EQ(again.joint_name(tendons(again)[0].joints[1].joint), "pivot");
  robot.lock_joint("pivot", {0.2});  // limits are those of what is left
  ASSERT_NE(robot.find_tendon("rope"), nullptr);
  EXPECT_EQ(robot.find_tendon("rope")->joints.size(), 1u);
  EXPECT_DOUBLE_EQ(robot.find_tendon("rope")->lower, -0.9);
  EXPECT_EQ(robot.lock_joint("slide", {0}).find_tendon("rope"), nullptr);
}

}  // namespace
}  // namespace tandem::test
