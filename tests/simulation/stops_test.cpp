// SPDX-License-Identifier: Apache-2.0
/// Joints at their position limits: how far they go beyond, what a stop takes, and that it never pulls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "robots.hpp"
#include "support/errors.hpp"
#include "support/many.hpp"
#include "tandem/detail/problems/joint_stops.hpp"

namespace tandem::test {
namespace {

Model stopped_pendulum() {
  return OneJoint{.joint = {.type = JointType::revolute, .axis = {0, 1, 0}, .lower = -0.5, .upper = 1.5}}.build();
}

/// How far the joints are beyond their limits, at most.
double beyond(Simulation<double>& s) {
  const auto& m = s.model().view<double>();
  double most = 0;
  for (std::size_t k = 0; k < s.q().size(); ++k)
    most = std::max({most, s.q()[k] - m.q_upper[k], m.q_lower[k] - s.q()[k]});
  return most;
}

TEST(Stops, HoldAPendulumWithinTheWayOfAStep) {
  for (const Integrator integrator : integrators)
    for (const double dt : {2e-2, 1e-2, 1e-3, 1e-4}) {
      if (few_cases && dt == 1e-4) continue;
      Simulation<double> s(stopped_pendulum(), {.dt = dt, .integrator = integrator});
      s.q()[0] = 1.4;
      double deepest = 0, fastest = 0;
      for (int k = static_cast<int>(3 / dt); k > 0; --k) {
        s.step();
        deepest = std::max(deepest, beyond(s));
        fastest = std::max(fastest, std::abs(s.v()[0]));
      }
      EXPECT_GT(fastest, 2);
      EXPECT_LT(deepest, 0.01 * dt * fastest) << to_string(integrator) << ' ' << dt;
      EXPECT_EQ(s.divergence(), nullptr);
      EXPECT_GT(s.stopped(), 1);
    }
}

TEST(Stops, CarryALoadAtRest) {
  for (const Integrator integrator : integrators) {
    Simulation<double> s(OneJoint{.joint = {.type = JointType::revolute, .axis = {0, 1, 0}, .lower = 0.3}}.build(),
                         {.integrator = integrator});
    s.q()[0] = 0.3;
    run(s, 2000);
    EXPECT_NEAR(s.q()[0], 0.3, 1e-5);
    EXPECT_NEAR(s.v()[0], 0, 1e-8);
    EXPECT_EQ(s.at_limit(1), -1);
  }
}

TEST(Stops, TakeWhatTheBudgetSays) {
  // an arm whose joints run into their limits: impacts are accounted for exactly, so that rk4 keeps the budget
  for (const Integrator integrator : integrators) {
    Simulation<double> s(load("arm6"), {.dt = 5e-4, .integrator = integrator});
    set(s.q(), random_configuration(s.model(), 3));
    set(s.v(), random_velocity(s.model(), 4, 3));
    const double start = budget(s);
    double drift = 0, kinetic = 0;
    for (int k = 0; k < 2000; ++k) {
      s.step();
      drift = std::max(drift, std::abs(budget(s) - start));
      double K = 0, P = 0;
      Workspace<double> work;
      energy(s.model(), s.q(), s.v(), K, P, work);
      kinetic = std::max(kinetic, K);
    }
    ASSERT_EQ(s.divergence(), nullptr);
    EXPECT_GT(s.stopped(), 0.05 * kinetic) << "no stop was met";
    EXPECT_LT(s.stopped(), s.dissipated());
    EXPECT_LT(drift, (integrator == Integrator::rk4 ? 1e-4 : 2e-2) * kinetic) << to_string(integrator);
    EXPECT_LT(beyond(s), 1e-4);
  }
}

TEST(Stops, DoNotPull) {
  for (const Integrator integrator : integrators) {
    Simulation<double> s(stopped_pendulum(), {.integrator = integrator}),
        free(stopped_pendulum(), {.integrator = integrator, .limits = false});
    for (auto* each : {&s, &free}) {
      each->q()[0] = -0.5;
      each->v()[0] = 0.1;
      each->step();
    }
    EXPECT_EQ(s.q()[0], free.q()[0]);
    EXPECT_EQ(s.v()[0], free.v()[0]);
    EXPECT_EQ(s.stopped(), 0);
  }
}

TEST(Stops, CanBeSwitchedOff) {
  Simulation<double> s(stopped_pendulum(), {.limits = false});
  s.q()[0] = 1.4;
  run(s, 1000);
  EXPECT_LT(s.q()[0], -1);
  EXPECT_EQ(s.at_limit(1), 0);
}

TEST(Stops, LeadBackWhatBeganOutsideAlmostAtRest) {
  // a hinge without weight: the way beyond its limit shrinks as exp(-t / 50 ms); its stop alone would give it 30 rad/s,
  // and 225 J
  constexpr double slow = JointStops::crossing / JointStops::recovery;
  const Model model =
      OneJoint{.joint = {.type = JointType::revolute, .axis = {0, 0, 1}, .lower = -0.5, .upper = 0.5}}.build();
  for (const Integrator integrator : integrators)
    for (const double start : {2.0, -2.0}) {
      Simulation<double> s(model, {.integrator = integrator});
      s.q()[0] = start;
      for (int k = 0; k < 100; ++k) {
        s.step();
        ASSERT_LE(std::abs(s.v()[0]), 1.001 * slow);
      }
      EXPECT_NEAR(std::abs(s.q()[0]), 0.5 + 1.5 * std::exp(-0.1 / 0.05), 1e-5) << to_string(integrator);
      run(s, 900);
      EXPECT_LT(std::abs(s.q()[0]), 0.5 + JointStops::crossing);
      EXPECT_GT(std::abs(s.q()[0]), 0.5 - slow);
      EXPECT_EQ(s.divergence(), nullptr);
    }
}

TEST(Stops, AccountForWhatTheyLeadBack) {
  // a pendulum that hangs beyond its limit is lifted, one that stands beyond it falls inwards: energy comes from stops
  // alone
  for (const Integrator integrator : integrators)
    for (const double start : {2.5, -1.5}) {
      Simulation<double> s(stopped_pendulum(), {.integrator = integrator});
      s.q()[0] = start;
      const double before = budget(s);
      double most = 0;
      for (int k = 0; k < 1000; ++k) {
        s.step();
        most = std::max(most, std::abs(budget(s) - before));
        ASSERT_EQ(s.divergence(), nullptr) << s.divergence()->what;
      }
      EXPECT_LT(most, integrator == Integrator::semi_implicit_euler ? 0.1 : 1e-3) << to_string(integrator) << start;
      EXPECT_LT(beyond(s), 1e-4);
    }
}

TEST(Stops, SimulationsStartAtThePermittedConfigurationThatIsNearest) {
  const Model away =
      OneJoint{.joint = {.type = JointType::revolute, .axis = {0, 0, 1}, .lower = 0.25, .upper = 0.5}}.build();
  Simulation<double> s(away);
  EXPECT_EQ(s.q()[0], 0.25);
  EXPECT_THAT(s.start(), testing::HasSubstr("nearest to the neutral one, with joints at a limit: \"joint\""));
  EXPECT_EQ(Simulation<double>(load("arm7")).start(), "neutral configuration");
  ModelBuilder b = describe("arm7");
  b.configuration({.name = "home", .positions = {{"joint2", {0.7}}}});
  Simulation<double> named(b.build());
  EXPECT_EQ(named.q()[1], 0.7);
  EXPECT_EQ(named.start(), "configuration \"home\" of the model");
}

TEST(Stops, AreStableAtAnyStep) {
  for (const Integrator integrator : integrators)
    for (const double dt :
         {1e-5, 1e-3, integrator == Integrator::semi_implicit_euler ? 0.02 : 2e-3}) {  // damping bounds that of rk4
      Simulation<double> s(load("arm7"), {.dt = dt, .integrator = integrator});
      set(s.q(), random_configuration(s.model(), 1));
      const std::vector<double> push = {200, 200, 100, 100, 20, 20, 5};  // into the stops, all of them
      for (int k = static_cast<int>(std::lround(std::min(1.0, 2000 * dt) / dt)); k > 0; --k) s.step(push);
      ASSERT_EQ(s.divergence(), nullptr) << s.divergence()->what;
      if (dt < 1e-3) continue;
      EXPECT_LT(beyond(s), 0.25 * dt) << to_string(integrator) << ' ' << dt;
      EXPECT_LT(largest(s.v()), 1e-2) << to_string(integrator) << ' ' << dt;
      EXPECT_EQ(s.at_limit(7), 1);
    }
}

TEST(Stops, HoldAJointWithoutRoom) {
  Simulation<double> s(
      OneJoint{.joint = {.type = JointType::prismatic, .axis = {0, 0, 1}, .lower = 0.2, .upper = 0.2}}.build());
  s.q()[0] = 0.2;
  run(s, 1000);
  EXPECT_NEAR(s.q()[0], 0.2, 1e-5);
  const double up[] = {1000};
  for (int k = 0; k < 1000; ++k) s.step(up);
  EXPECT_NEAR(s.q()[0], 0.2, 1e-4);
}

TEST(Stops, InFloatHoldToo) {
  Simulation<float> s(load("arm7"), {.dt = 1e-3});
  set(s.q(), random_configuration(s.model(), 1));
  run(s, 2000);
  EXPECT_EQ(s.divergence(), nullptr);
  const auto& m = s.model().view<float>();
  for (std::size_t k = 0; k < 7; ++k) {
    EXPECT_LT(s.q()[k], m.q_upper[k] + 1e-3F);
    EXPECT_GT(s.q()[k], m.q_lower[k] - 1e-3F);
  }
}

}  // namespace
}  // namespace tandem::test
