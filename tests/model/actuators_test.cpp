// SPDX-License-Identifier: Apache-2.0
/// Motors and servos: their forces by the formula of MuJoCo's documentation, and descriptions that have them.
#include <gmock/gmock.h>

#include "support/errors.hpp"
#include "tandem/api/actuators.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModelBuilder slider_and_hinge() {
  ModelBuilder robot("two");
  robot.link({.name = "base"}).link({.name = "cart", .mass = 1}).link({.name = "pole", .mass = 1, .com = {0, 0, 1}});
  robot.joint({.name = "slide", .type = JointType::prismatic, .parent = "base", .child = "cart"});
  robot.joint({.name = "hinge", .type = JointType::continuous, .parent = "cart", .child = "pole", .effort = 30});
  robot.actuator({.name = "motor", .joint = "slide", .gear = 100, .ctrl_range = {-1, 2}});
  robot.actuator({.name = "servo", .joint = "hinge", .gear = 2, .gain = {40, 0, 0}, .bias = {0, -40, -3}});
  robot.actuator({.name = "none"});
  robot.configuration({.name = "held", .controls = {{"servo", 0.5}}});
  return robot;
}

TEST(Actuators, ForcesAreThoseOfTheFormula) {
  const Model model = slider_and_hinge().build();
  std::vector<double> tau(2);
  const std::vector<double> q{0.3, 0.1}, v{0.2, -0.4};
  actuator_forces(model, q, v, std::vector<double>{-9, 0.3, 7}, tau);
  // the servo is at the length 0.2, with the rate -0.8: 40 (0.3 - 0.2) + 3 0.8 = 6.4
  EXPECT_THAT(tau, ElementsAre(-100, ::testing::DoubleNear(2 * 6.4, 1e-14)));
  actuator_forces(model, q, v, std::vector<double>{9, 9, 7}, tau);
  EXPECT_THAT(tau, ElementsAre(200, 30));
  EXPECT_THAT(error_of([&] { actuator_forces(model, q, v, std::vector<double>{1}, tau); }),
              HasSubstr("ctrl has 1 numbers, expected 3"));
}

TEST(Actuators, DrivesAreServosAndForces) {
  const Model model = slider_and_hinge().build();
  const ActuatorDrive drive = actuator_drive(model, std::vector<double>{1, 0.3, 7});
  EXPECT_THAT(drive.tau, ElementsAre(100, 0));
  EXPECT_THAT(drive.controller.kp, ElementsAre(0, 160));
  EXPECT_THAT(drive.controller.kd, ElementsAre(0, 12));
  EXPECT_THAT(drive.controller.q_target, ElementsAre(0, 0.15));
}

TEST(Actuators, StayWithTheirJoints) {
  ModelBuilder robot = slider_and_hinge();
  robot.change_joint("hinge", [](auto& joint) { joint.name = "pivot"; });
  EXPECT_EQ(robot.find_actuator("servo")->joint, "pivot");
  const Model again = describe(robot.build()).build();
  ASSERT_EQ(actuators(again).size(), 3u);
  EXPECT_EQ(again.joint_name(actuators(again)[1].joint), "pivot");
  EXPECT_EQ(actuators(again)[2].joint, 0);
  EXPECT_THAT(controls(again, "held"), ElementsAre(0, 0.5, 0));
  robot.lock_joint("pivot", {0.2});
  EXPECT_EQ(robot.find_actuator("servo"), nullptr);
  EXPECT_THAT(controls(robot.build(), "held"), ElementsAre(0, 0));
}

TEST(Actuators, StayWithTendonsAndFrames) {
  ModelBuilder robot = slider_and_hinge();
  robot.frame({.name = "tip", .link = "pole"}).tendon({.name = "t", .joints = {{"slide", 2}, {"hinge", 0.5}}});
  robot.actuator({.name = "pull", .gain = {1, 0.5, 0}, .bias = {0, -3, 0}, .tendon = "t"});
  robot.actuator({.name = "jet", .frame = "tip", .wrench = {0, 0, 1, 0, 0, 0}});
  robot.change_frame("tip", [](auto& frame) { frame.name = "nozzle"; });
  const Model model = describe(robot.build()).build();
  ASSERT_EQ(actuators(model).size(), 5u);
  EXPECT_EQ(actuators(model)[3].tendon, 0);
  EXPECT_EQ(model.frame_name(actuators(model)[4].frame), "nozzle");
  const std::vector<double> q{0.3, 0.1}, v{0, 0}, ctrl{0, 0, 0, 2, 0};
  std::vector<double> tau(2), locked(1);
  actuator_forces(model, q, v, ctrl, tau);
  const double force = (1 + 0.5 * 0.65) * 2 - 3 * 0.65;  // at the length 2 0.3 + 0.5 0.1
  EXPECT_THAT(tau,
              ElementsAre(::testing::DoubleNear(2 * force, 1e-14), ::testing::DoubleNear(0.5 * force - 16, 1e-13)));
  // what a locked joint has of the length stays in it
  ModelBuilder held = describe(model);
  held.lock_joint("hinge", {0.1});
  ASSERT_EQ(held.actuators().size(), 4u);
  const std::vector<double> ctrl_held{0, 0, 2, 0};
  actuator_forces(held.build(), std::vector<double>{0.3}, std::vector<double>{0}, ctrl_held, locked);
  EXPECT_NEAR(locked[0], tau[0], 1e-14);
  const Model less = reduced(model, {"hinge"}, q);
  actuator_forces(less, std::vector<double>{0.3}, std::vector<double>{0}, ctrl_held, locked);
  EXPECT_NEAR(locked[0], tau[0], 1e-14);
  robot.remove_tendon("t").remove_link("pole");
  EXPECT_EQ(robot.find_actuator("pull"), nullptr);
  EXPECT_EQ(robot.find_actuator("jet"), nullptr);
  ModelBuilder more = slider_and_hinge();
  EXPECT_THAT(error_of([&] { more.actuator({.name = "x", .joint = "slide", .frame = "pole"}).build(); }),
              HasSubstr("acts on more than one of joint, tendon and frame"));
  EXPECT_THAT(error_of([&] { slider_and_hinge().actuator({.name = "x", .frame = "pol"}).build(); }),
              HasSubstr("frame \"pol\" does not exist"));
  EXPECT_THAT(error_of([&] { slider_and_hinge().actuator({.name = "x", .tendon = "t"}).build(); }),
              HasSubstr("tendon \"t\" does not exist"));
}

TEST(Actuators, ThatCannotBeAreRefused) {
  EXPECT_THAT(error_of([&] { slider_and_hinge().actuator({.name = "x", .joint = "hing"}).build(); }),
              HasSubstr("joint \"hing\" does not exist"));
  EXPECT_THAT(error_of([&] { slider_and_hinge().actuator({.name = "motor", .joint = "slide"}).build(); }),
              HasSubstr("duplicate actuator name"));
  EXPECT_THAT(error_of([&] {
                slider_and_hinge().actuator({.name = "x", .joint = "slide", .force_range = {1, 0}}).build();
              }),
              HasSubstr("force_range is 1 to 0"));
  EXPECT_THAT(error_of([&] {
                slider_and_hinge().configuration({.name = "c", .controls = {{"mtor", 1}}}).build();
              }),
              HasSubstr("actuator \"mtor\" does not exist"));
}

}  // namespace
}  // namespace tandem::test
