// SPDX-License-Identifier: Apache-2.0
/// What holds for every step: stiff forces stay stable, limits hold, nothing is allocated, bad options are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "robots.hpp"
#include "support/allocations.hpp"
#include "support/errors.hpp"

namespace tandem::test {
namespace {

using testing::HasSubstr;

/// Every joint of a description with these forces.
Model with_joint_forces(const char* robot, double damping, double friction, double stiffness) {
  const ModelBuilder described = generate(robot);
  ModelBuilder builder(described.name());
  for (const LinkDescription& link : described.links()) builder.link(link);
  for (JointDescription joint : described.joints()) {
    joint.damping = damping;
    joint.friction = friction;
    joint.stiffness = stiffness;
    builder.joint(joint);
  }
  return builder.build();
}

struct Stiff {
  const char* name;
  double damping, friction, stiffness;
};
void PrintTo(const Stiff& force, std::ostream* out) { *out << force.name; }  // the test's name

class StiffForces : public testing::TestWithParam<Stiff> {};

TEST_P(StiffForces, BringTheRobotToRest) {
  const Stiff& force = GetParam();
  for (const char* robot : {"chain:6", "rope:4", "tree:6"}) {
    const Model model =
        with_joint_forces(robot, force.damping, force.friction, force.stiffness).with_gravity({0, 0, 0});
    Simulation<double> s(model, {.dt = 1e-2});
    set(s.v(), random_velocity(model, 5));
    run(s, 1000);
    ASSERT_TRUE(s.finite()) << robot;
    EXPECT_LT(largest(s.v()), 1e-3) << robot;
  }
}

INSTANTIATE_TEST_SUITE_P(Forces, StiffForces,
                         testing::Values(Stiff{"damping", 1e9, 0, 0}, Stiff{"friction", 0, 1e6, 0},
                                         Stiff{"springs_and_damping", 1e6, 0, 1e7}));

TEST(Controller, HoldsTheRobotAtItsTarget) {
  const Model model = load("arm7");
  const std::vector<double> target = random_configuration(model, 4);
  const std::vector<double> kp(7, 1e5), kd(7, 1e4);
  Simulation<double> s(model.with_gravity({0, 0, 0}), {.dt = 1e-2, .controller = {target, kp, kd}});
  run(s, 3000);
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(s.q()[k], target[k], 1e-6) << k;
}

TEST(Controller, PushesNoHarderThanTheJointAllows) {
  const Model model = OneJoint{.joint = {.type = JointType::prismatic, .effort = 6}}.build();
  for (const Integrator integrator : {Integrator::rk4, Integrator::semi_implicit_euler}) {
    Simulation<double> s(model, {.dt = 1e-3, .integrator = integrator, .controller = {{100}, {1e4}, {0}}});
    run(s, 100);
    EXPECT_NEAR(s.v()[0], 6.0 / 2 * s.time(), 1e-12);
  }
}

TEST(Controller, TurnsAFloatingBaseTheShortWay) {
  const Model model = OneJoint{.joint = {.type = JointType::spherical}}.build({0, 0, 0});
  const double h = std::sqrt(0.5);
  Simulation<double> s(model, {.dt = 1e-2, .controller = {{-h, 0, 0, -h}, {5, 5, 5}, {3, 3, 3}}});
  run(s, 3000);
  EXPECT_NEAR(s.q()[0], h, 1e-6);
  EXPECT_NEAR(s.q()[3], h, 1e-6);
}

TEST(Losses, AreLeftOutOnRequest) {
  const Model model = OneJoint{.joint = {.type = JointType::prismatic, .damping = 5, .friction = 1}}.build();
  Simulation<double> s(model, {.losses = false});
  s.v()[0] = 1;
  run(s, 1000);
  EXPECT_NEAR(s.q()[0], 1, 1e-12);
}

TEST(Step, AllocatesNothingAfterTheFirst) {
  for (const char* robot : {"arm7", "humanoid", "tree:20"})
    for (const Integrator integrator : {Integrator::rk4, Integrator::semi_implicit_euler}) {
      const Model model = load(robot);
      const std::vector<double> gains(static_cast<std::size_t>(model.nv()), 1);
      Simulation<double> s(model,
                           {.integrator = integrator, .controller = {neutral_configuration(model), gains, gains}});
      s.step();
      const std::size_t before = allocations();
      run(s, 10);
      EXPECT_EQ(allocations(), before) << robot << ' ' << to_string(integrator);
    }
}

TEST(Step, GivesTheSameBitsEveryTime) {
  const Model model = load("humanoid");
  auto a = lossless(model, Integrator::semi_implicit_euler, 1e-3),
       b = lossless(model, Integrator::semi_implicit_euler, 1e-3);
  run(a, 100);
  run(b, 100);
  EXPECT_TRUE(std::equal(a.q().begin(), a.q().end(), b.q().begin()));
  EXPECT_TRUE(std::equal(a.v().begin(), a.v().end(), b.v().begin()));
}

TEST(Step, InFloatStaysNearDouble) {
  const Model model = load("arm7");
  Simulation<double> d(model);
  Simulation<float> f(model);
  const std::vector<double> q = random_configuration(model, 2);
  set(d.q(), q);
  set(f.q(), q);
  run(d, 200);
  run(f, 200);
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(f.q()[k], d.q()[k], 1e-3) << k;
}

TEST(Step, CountsTimeWithoutDrift) {
  Simulation<double> s(load("arm6"), {.dt = 0.1});
  run(s, 10);
  EXPECT_EQ(s.steps(), 10);
  EXPECT_EQ(s.time(), 1.0);
}

TEST(Step, OfARobotWithoutJointsDoesNothing) {
  Simulation<double> s(ModelBuilder("rock").link({.name = "rock", .mass = 1}).build(), {.integrator = Integrator::rk4});
  run(s, 3);
  EXPECT_EQ(s.steps(), 3);
  EXPECT_TRUE(s.finite());
}

TEST(Step, SeesWhenTheStateIsNoLongerFinite) {
  Simulation<double> s(load("arm6"));
  EXPECT_TRUE(s.finite());
  s.v()[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(s.finite());
  s.v()[3] = 0;
  s.q()[0] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(s.finite());
}

std::string refusal(const SimulationOptions& options) {
  return error_of([&] { Simulation<double>(load("arm6"), options); });
}

TEST(BadOptions, AreNamed) {
  const std::vector<double> six(6, 1.0), five(5, 1.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal({.dt = 0}), HasSubstr("dt is 0"));
  EXPECT_THAT(refusal({.dt = nan}), HasSubstr("expected a finite positive number"));
  EXPECT_THAT(refusal({.controller = {five, six, six}}), HasSubstr("q_target has 5 numbers, expected 6"));
  EXPECT_THAT(refusal({.controller = {six, five, six}}), HasSubstr("kp has 5 numbers, expected 6"));
  EXPECT_THAT(refusal({.controller = {six, six, {}}}), HasSubstr("kd has 0 numbers, expected 6"));
  EXPECT_THAT(refusal({.controller = {six, {1, 1, -2, 1, 1, 1}, six}}), HasSubstr("kp has -2"));
  EXPECT_THAT(refusal({.controller = {{1, 1, nan, 1, 1, 1}, six, six}}), HasSubstr("not finite"));
  Simulation<double> s(load("arm6"));
  EXPECT_THROW(s.step(five), Error);
  EXPECT_THROW(from_name<Integrator>("euler"), Error);
  EXPECT_EQ(from_name<Integrator>("semi-implicit-euler"), Integrator::semi_implicit_euler);
}

}  // namespace
}  // namespace tandem::test
