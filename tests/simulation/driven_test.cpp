// SPDX-License-Identifier: Apache-2.0
/// Simulations that actuators drive: closed forms, and the same bits in a batch, a part and a copy. Trajectories are
/// compared with MuJoCo's in tests/python/test_driven.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/errors.hpp"
#include "tandem/api/actuators.hpp"
#include "tandem/model/contact.hpp"
#include "touching_robots.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

/// A slider with a hinged rod in empty space, driven through a joint, a tendon and a frame, one with a lag.
ModelBuilder rod_on_rail() {
  ModelBuilder robot("rod");
  robot.link({.name = "world"}).link({.name = "cart", .mass = 2});
  robot.link({.name = "rod", .mass = 1, .com = {0, 0, -0.3}, .inertia = {0.1, 0, 0, 0.1, 0, 0.01}});
  robot.joint({.name = "rail", .type = JointType::prismatic, .parent = "world", .child = "cart", .axis = {1, 0, 0}});
  robot.joint({.name = "hinge", .type = JointType::continuous, .parent = "cart", .child = "rod", .axis = {0, 1, 0}});
  robot.frame({.name = "end", .link = "rod", .placement = {{0, 0, -0.6}}});
  robot.tendon({.name = "both", .joints = {{"rail", 2}, {"hinge", -0.5}}});
  robot.actuator({.name = "servo", .joint = "rail", .gain = {50, 0, 0}, .bias = {0, -50, -400}});
  robot.actuator({.name = "pull", .gain = {3, 0, 0}, .tendon = "both"});
  robot.actuator({.name = "thrust", .frame = "end", .wrench = {0.5, 0, 0.2, 0, 0.1, 0}});
  robot.actuator({.name = "lag", .joint = "hinge", .dynamics = ActivationDynamics::filter_exact, .time_constant = 0.1});
  robot.gravity({0, 0, 0});
  return robot;
}

/// A rocket of 2 kg that turns: its thrust turns with it, and activations follow (1 - exp(-t / T)).
TEST(Driven, FollowsClosedForms) {
  ModelBuilder robot("rocket");
  robot.link({.name = "world"}).link({.name = "rocket", .mass = 2, .inertia = {1, 0, 0, 1, 0, 1}});
  robot.joint({.name = "free", .type = JointType::free, .parent = "world", .child = "rocket"});
  robot.actuator({.name = "engine", .frame = "rocket", .wrench = {0, 0, 3, 0, 0, 0}});
  robot.actuator(
      {.name = "lag", .dynamics = ActivationDynamics::filter_exact, .time_constant = 0.3, .frame = "rocket"});
  robot.gravity({0, 0, 0});
  SimulationOptions options;
  options.dt = 1e-4;
  Simulation<double> simulation(robot.build(), options);
  simulation.q()[6] = 1;
  simulation.v()[3] = std::numbers::pi / 2;  // a quarter turn a second about x: thrust from z towards -y
  simulation.ctrl()[0] = 4;
  simulation.ctrl()[1] = 1;
  simulation.run(10000);
  const double w = std::numbers::pi / 2, a = 3.0 * 4 / 2;  // m/s^2
  EXPECT_NEAR(simulation.q()[2], a * (1 - std::cos(w)) / (w * w), 1e-3);
  EXPECT_NEAR(simulation.q()[1], -a * (1 / w - std::sin(w) / (w * w)), 1e-3);
  EXPECT_NEAR(simulation.act()[0], 1 - std::exp(-1 / 0.3), 1e-12);
}

/// A velocity gain far above 2 M / dt.
TEST(Driven, VelocityGainsAreImplicit) {
  SimulationOptions options;
  options.dt = 1e-2;
  Simulation<double> simulation(rod_on_rail().remove_actuator("pull").remove_actuator("thrust").build(), options);
  simulation.ctrl()[0] = 0.2;
  simulation.run(6000);
  EXPECT_NEAR(simulation.q()[0], 0.2, 1e-3);
  EXPECT_GT(simulation.dissipated(), 0);
}

template <class T>
void expect_same_bits(const Model& model, SimulationOptions options) {
  constexpr Index n = 67;
  const auto nq = static_cast<std::size_t>(model.nq()), nv = static_cast<std::size_t>(model.nv());
  const std::size_t nu = actuators(model).size();
  const auto begin = [&](Simulation<T>& s, Index first) {
    for (Index b = 0; b < s.batch(); ++b)
      for (std::size_t k = 0; k < nq + nv + nu; ++k) {
        const double x = std::sin(0.7 * static_cast<double>(first + b) + static_cast<double>(3 * k));
        const auto i = static_cast<std::size_t>(b);
        if (k < nq)
          s.q()[i * nq + k] = static_cast<T>(0.3 * x);
        else if (k < nq + nv)
          s.v()[i * nv + k - nq] = static_cast<T>(x);
        else
          s.ctrl()[i * nu + k - nq - nv] = x;
      }
  };
  options.batch = n;
  options.threads = 2;
  Simulation<T> all(model, options);
  begin(all, 0);
  all.run(10);
  Simulation<T> again(model, options), part(model, options);
  again.restore(all.snapshot());
  part.restore(all.snapshot());
  all.run(7);
  again.run(7);
  const Index some[] = {66, 3};
  part.step({}, {}, some, 7);
  EXPECT_TRUE(std::ranges::equal(all.q(), again.q()));
  EXPECT_TRUE(std::ranges::equal(all.act(), again.act()));
  options.batch = 1;
  for (const Index b : some) {
    Simulation<T> alone(model, options);
    begin(alone, b);
    alone.run(17);
    const auto i = static_cast<std::size_t>(b);
    EXPECT_TRUE(std::ranges::equal(alone.q(), all.q().subspan(i * nq, nq)));
    EXPECT_TRUE(std::ranges::equal(alone.v(), all.v().subspan(i * nv, nv)));
    EXPECT_TRUE(std::ranges::equal(alone.q(), part.q().subspan(i * nq, nq)));
    EXPECT_EQ(alone.act()[0], all.act()[i]);
    EXPECT_EQ(alone.act()[0], part.act()[i]);
  }
}

TEST(Driven, BitsDoNotDependOnTheBatch) {
  const Model model = rod_on_rail().build();
  for (const bool touching : {false, true}) {
    SCOPED_TRACE(touching);
    const SimulationOptions options = touching ? with_contacts(model) : SimulationOptions();
    expect_same_bits<double>(model, options);
    expect_same_bits<float>(model, options);
  }
}

TEST(Driven, WhatCannotBeIsRefused) {
  const Model model = rod_on_rail().build();
  SimulationOptions options;
  options.integrator = Integrator::rk4;
  Simulation<double> with_stages(model, options), simulation(model);
  EXPECT_THAT(error_of([&] { with_stages.ctrl(); }), HasSubstr("actuator \"servo\" depends on the state"));
  simulation.ctrl()[1] = std::nan("");
  EXPECT_THAT(error_of([&] { simulation.run(1); }), HasSubstr("ctrl[1], of actuator \"pull\", is not finite"));
  EXPECT_EQ(simulation.steps(), 0);
}

}  // namespace
}  // namespace tandem::test
