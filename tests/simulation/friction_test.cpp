// SPDX-License-Identifier: Apache-2.0
/// Dry friction: what sticks stays, what slides stops where and when Coulomb's law says, whatever the integrator.
#include <gtest/gtest.h>

#include "robots.hpp"
#include "support/many.hpp"
#include "tandem/detail/simulation/dry_friction.hpp"

namespace tandem::test {
namespace {

constexpr double mass = 2, friction = 4;
/// So fast at most creeps what sticks; the rest is rounding.
constexpr double creep = DryFriction<double, double, double*>::slip_speed * (1 + 1e-9);

/// A block of 2 kg on rails, pulled along them by a part of its friction.
Model block(double pulled = 0) {
  return OneJoint{.joint = {.type = JointType::prismatic, .axis = {1, 0, 0}, .friction = friction}}.build(
      {pulled * friction / mass, 0, -9.81});
}

TEST(DryFriction, WhatSticksOnASlopeStays) {
  for (const Integrator integrator : integrators)
    for (const double part : {-0.99, 0.3, 0.99}) {
      Simulation<double> s(block(part), {.integrator = integrator});
      run(s, many(10000));
      EXPECT_LT(std::abs(s.q()[0]), std::abs(part) * creep * s.time()) << to_string(integrator) << ' ' << part;
      EXPECT_LT(std::abs(s.v()[0]), std::abs(part) * creep);
      EXPECT_EQ(s.divergence(), nullptr);
    }
}

TEST(DryFriction, WhatIsPulledHarderSlides) {
  for (const Integrator integrator : integrators) {
    Simulation<double> s(block(1.5), {.dt = 1e-3, .integrator = integrator});
    run(s, 500);
    EXPECT_NEAR(s.v()[0], 0.5 * friction / mass * 0.5, 1e-12) << to_string(integrator);
  }
}

/// From v it stops after v m / F, having come v^2 m / (2 F).
TEST(DryFriction, WhatSlidesStopsAtTheRightTimeAndPlace) {
  const double v = 1.0005, stops = v * mass / friction, way = v * v * mass / (2 * friction), h = 1e-3;
  for (const Integrator integrator : integrators)
    for (const double sign : {1.0, -1.0}) {
      Simulation<double> s(block(), {.dt = h, .integrator = integrator});
      s.v()[0] = sign * v;
      double stopped = 0;
      for (int k = 0; k < 800; ++k) {
        s.step();
        ASSERT_GE(sign * s.v()[0], 0) << "friction turned it round in step " << k;
        if (stopped == 0 && std::abs(s.v()[0]) < creep) stopped = s.time();
      }
      EXPECT_NEAR(stopped, stops, h) << to_string(integrator);
      EXPECT_NEAR(s.q()[0], sign * way, integrator == Integrator::semi_implicit_euler ? h * v : h * h);
      EXPECT_NEAR(s.dissipated(), mass * v * v / 2, 1e-9);
    }
}

/// A pendulum that swings up against gravity and friction comes to rest at its highest point, and stays if gravity is
/// weaker than friction:
///
///     I w^2 / 2 = m g l (1 - cos q) + F q
TEST(DryFriction, HoldsAPendulumWhereItComesToRest) {
  const double weight = mass * 9.81 * 0.5, inertia = mass * 0.25, at = 0.3, force = 6;  // m g l sin(0.3) = 2.9 N m
  const double speed = std::sqrt(2 * (weight * (1 - std::cos(at)) + force * at) / inertia);
  const Model model = OneJoint{.joint = {.type = JointType::revolute, .axis = {0, 1, 0}, .friction = force},
                               .body = {.name = "body", .mass = mass, .com = {0, 0, -0.5}}}
                          .build();
  for (const Integrator integrator : integrators) {
    Simulation<double> s(model, {.dt = 1e-4, .integrator = integrator});
    s.v()[0] = speed;
    run(s, 10000);
    EXPECT_NEAR(s.q()[0], at, integrator == Integrator::semi_implicit_euler ? 1e-4 * speed : 1e-5)
        << to_string(integrator);
    EXPECT_LT(std::abs(s.v()[0]), creep);
  }
}

/// An oscillator loses 2 F / k of its amplitude in every half of a period, until it sticks where |x| < F / k.
TEST(DryFriction, OfAnOscillatorEndsItWhereItSticks) {
  const double stiffness = 50, force = 1;
  const Model model =
      OneJoint{.joint = {.type = JointType::prismatic, .friction = force, .stiffness = stiffness}}.build({0, 0, 0});
  for (const Integrator integrator : {Integrator::rk4, Integrator::implicit_midpoint}) {
    Simulation<double> s(model, {.dt = 1e-3, .integrator = integrator});
    s.q()[0] = 0.25;
    run(s, 6000);  // six halves take 3.77 s
    EXPECT_NEAR(s.q()[0], 0.25 - 6 * 2 * force / stiffness, 1e-4) << to_string(integrator);
    EXPECT_LT(std::abs(s.v()[0]), creep);
    EXPECT_NEAR(budget(s), stiffness / 2 * 0.25 * 0.25, 1e-9);
  }
}

Model with_friction(const char* robot, double value) {
  ModelBuilder b = describe(robot);
  std::vector<std::string> names;
  for (const JointDescription& joint : b.joints())
    if (joint.type != JointType::fixed && joint.type != JointType::free) names.push_back(joint.name);
  for (const std::string& name : names) b.change_joint(name, [&](JointDescription& joint) { joint.friction = value; });
  return b.build();
}

TEST(DryFriction, OfArmsIsSolvedForInEveryStep) {
  for (const char* robot : {"arm6", "arm7"})
    for (const double value : {0.1, 0.3, 1.0})
      for (const Integrator integrator : {Integrator::implicit_midpoint, Integrator::rk4}) {
        Simulation<double> s(with_friction(robot, value), {.integrator = integrator});
        set(s.q(), random_configuration(s.model(), 5));
        const double start = budget(s);
        run(s, many(1000));
        ASSERT_EQ(s.divergence(), nullptr) << s.divergence()->what;
        EXPECT_GT(s.dissipated(), 1e-3);
        EXPECT_NEAR(budget(s), start, 1e-3 * s.dissipated()) << robot << ' ' << value << ' ' << to_string(integrator);
      }
}

}  // namespace
}  // namespace tandem::test
