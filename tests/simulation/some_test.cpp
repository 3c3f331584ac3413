// SPDX-License-Identifier: Apache-2.0
/// Some instances that are stepped without the others, and numbers that are set where they lie: targets, gains,
/// parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "robots.hpp"
#include "support/errors.hpp"
#include "support/papers.hpp"

namespace tandem::test {
namespace {

using testing::HasSubstr;

SimulationOptions driven(const Model& model, Index batch, Integrator integrator) {
  const std::vector<double> gains(static_cast<std::size_t>(model.nv()), 3.0);
  return {
      .dt = 2e-3, .integrator = integrator, .controller = {neutral_configuration(model), gains, gains}, .batch = batch};
}

/// Those that are stepped move as they would with all others, to the last bit; the others stay.
TEST(SomeInstances, MoveAsAllWould) {
  double stopped = 0;
  for (const char* robot : {"arm7", "quadruped", "four_bar"})
    for (const Integrator integrator : integrators) {
      const Model model = load(robot);
      constexpr Index n = 9;
      const auto nq = static_cast<std::size_t>(model.nq()), nv = static_cast<std::size_t>(model.nv());
      Simulation<double> all(model, driven(model, n, integrator)), some(model, driven(model, n, integrator));
      const bool closed = model.n_loops() > 0;
      std::vector<double> tau;
      for (Simulation<double>* s : {&all, &some})
        for (std::size_t b = 0; b < static_cast<std::size_t>(n); ++b) {
          if (!closed) set(s->q().subspan(b * nq, nq), random_configuration(model, b));
          set(s->v().subspan(b * nv, nv), random_velocity(model, b, closed ? 1 : 4));
          set(s->q_target().subspan(b * nq, nq), random_configuration(model, b + 90));
          for (std::size_t k = 0; k < nv; ++k)
            s->parameter(Parameter::damping)[b * nv + k] = 0.01 * static_cast<double>(b);
        }
      for (Index b = 0; b < n; ++b) {
        const std::vector<double> push = random_velocity(model, static_cast<std::uint64_t>(b) + 50);
        tau.insert(tau.end(), push.begin(), push.end());
      }
      const Index odd[] = {7, 1, 5, 3}, even[] = {0, 2, 4, 6, 8};
      for (int k = 0; k < 60; ++k) all.step(tau);
      for (int k = 0; k < 20; ++k) some.step(tau, {}, odd);
      EXPECT_EQ(some.steps(), 0);
      EXPECT_EQ(some.steps_of(5), 20);
      EXPECT_EQ(some.steps_of(4), 0);
      EXPECT_EQ(some.dissipated(4), 0);
      for (int k = 0; k < 60; ++k) some.step(tau, {}, even);
      for (int k = 0; k < 40; ++k) some.step(tau, {}, odd);
      EXPECT_EQ(numbers(some.q()), numbers(all.q())) << robot;
      EXPECT_EQ(numbers(some.v()), numbers(all.v())) << robot;
      for (Index b = 0; b < n; ++b) {
        EXPECT_EQ(some.dissipated(b), all.dissipated(b));
        EXPECT_EQ(some.work(b), all.work(b));
        EXPECT_EQ(some.steps_of(b), 60);
        stopped += all.stopped(b);
      }
      all.step(tau);
      some.step(tau);
      EXPECT_EQ(numbers(some.q()), numbers(all.q())) << robot;
    }
  EXPECT_GT(stopped, 0) << "no stop was met";
}

TEST(SomeInstances, DivergeAndAreFrozenWithoutTheOthers) {
  const Model model = load("arm7");
  Simulation<double> s(model, {.dt = 1e-2, .integrator = Integrator::rk4, .batch = 4});
  const Index some[] = {3, 1}, one[] = {1};
  s.v()[7 + 3] = 1e6;
  for (int k = 0; k < 10; ++k) s.step({}, {}, some);
  ASSERT_TRUE(s.divergence(1));
  EXPECT_EQ(s.divergence(3), nullptr);
  EXPECT_EQ(s.divergence(0), nullptr);
  EXPECT_EQ(s.v()[7 + 3], 1e6);
  EXPECT_EQ(s.steps_of(1), 0);
  EXPECT_EQ(s.steps_of(3), 10);
  s.reset(std::vector<double>(7, 0.1), {}, 1);
  s.step({}, {}, one);
  EXPECT_EQ(s.divergence(1), nullptr);
  EXPECT_EQ(s.steps_of(1), 1);
}

/// When energy is looked at, and with it the step after which an instance is frozen, depends on that instance alone.
TEST(SomeInstances, AreWatchedByTheirOwnSteps) {
  const Model model = load("arm7");
  int by_energy = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const SimulationOptions options = {.dt = 0.02, .losses = false, .batch = 3, .excess = 0};  // steps err by more
    Simulation<double> together(model, options), apart(model, options);
    for (Simulation<double>* s : {&together, &apart})
      for (std::size_t b = 0; b < 3; ++b) {
        set(s->q().subspan(b * 7, 7), random_configuration(model, seed + 20 * b));
        set(s->v().subspan(b * 7, 7), random_velocity(model, seed + 20 * b, 6));
      }
    const Index first[] = {0}, others[] = {1, 2};
    for (std::uint64_t k = 0; k < 1 + seed % 7; ++k) apart.step({}, {}, first);
    run(together, 60);
    for (int k = 0; k < 60; ++k) apart.step({}, {}, others);
    for (const Index b : others) {
      EXPECT_EQ(apart.steps_of(b), together.steps_of(b));
      EXPECT_EQ(numbers(apart.q().subspan(static_cast<std::size_t>(b) * 7, 7)),
                numbers(together.q().subspan(static_cast<std::size_t>(b) * 7, 7)));
      by_energy += together.divergence(b) && together.divergence(b)->kind == Divergence::too_much_energy;
    }
  }
  EXPECT_GT(by_energy, 3);
}

TEST(SomeInstances, AreRefusedWhereTheyAreNotThere) {
  const Model model = load("arm6");
  Simulation<double> s(model, {.batch = 3});
  const Index far[] = {0, 3}, twice[] = {2, 0, 2};
  EXPECT_THAT(error_of([&] { s.step({}, {}, far); }), HasSubstr("no instance 3, expected 0 to 2"));
  EXPECT_THAT(error_of([&] { s.step({}, {}, twice); }), HasSubstr("instance 2 occurs twice"));
  EXPECT_THAT(error_of([&] { s.step(std::vector<double>(5), {}, twice); }), HasSubstr("tau has 5 numbers"));
  if (has_papers) {
    Simulation<double> guessing(
        load("rope:5"),
        {.dynamics = {.method = Method::conjugate_gradient}, .batch = 3, .first_guess = FirstGuess::last});
    EXPECT_THAT(error_of([&] { guessing.step({}, {}, std::span<const Index>(far).first(1)); }),
                HasSubstr("with first_guess last"));
  }
  EXPECT_EQ(s.steps_of(0), 0);
  s.step({}, {}, std::span<const Index>());
}

/// Set where they lie, numbers do what they would have done from the start.
TEST(LiveNumbers, AreLookedAtByTheNextStep) {
  const Model model = load("arm7");
  const auto options = [&](double gain, double factor, double damping) {
    SimulationOptions o = {
        .dt = 2e-3,
        .controller = {std::vector<double>(7, 0.3), std::vector<double>(7, gain), std::vector<double>(7, gain / 10)}};
    std::vector<double> masses = parameter_values(model, Parameter::mass);
    for (double& m : masses) m *= factor;
    o.parameters = {{Parameter::mass, masses}, {Parameter::damping, std::vector<double>(7, damping)}};
    return o;
  };
  Simulation<double> given(model, options(50, 1.5, 2)), set_later(model, options(20, 1, 0));
  for (double& m : set_later.parameter(Parameter::mass)) m *= 1.5;
  for (double& d : set_later.parameter(Parameter::damping)) d = 2;
  for (double& k : set_later.kp()) k = 50;
  for (double& k : set_later.kd()) k = 5;
  run(given, 200);
  run(set_later, 200);
  EXPECT_EQ(numbers(set_later.q()), numbers(given.q()));
  EXPECT_EQ(set_later.divergence(), nullptr);

  const double* const lies = set_later.parameter(Parameter::mass).data();
  set_later.parameter(Parameter::stiffness)[1] = 30;
  EXPECT_EQ(set_later.parameter(Parameter::mass).data(), lies) << "others stay where they are";
  run(set_later, 200);
  EXPECT_NE(numbers(set_later.q()), numbers(given.q()));
}

TEST(LiveNumbers, AreCheckedWithTheInstanceNamed) {
  Simulation<double> s(load("arm6"), driven(load("arm6"), 3, Integrator::semi_implicit_euler));
  s.step();
  const Index some[] = {2};
  s.parameter(Parameter::mass)[2 * 7 + 3] = -1;
  EXPECT_THAT(error_of([&] { s.step(); }), HasSubstr("parameter mass has -1 in instance 2, expected"));
  EXPECT_THAT(error_of([&] { s.step({}, {}, some); }), HasSubstr("parameter mass has -1 in instance 2, expected"));
  s.parameter(Parameter::mass)[2 * 7 + 3] = 1;
  s.kp()[6] = -2;
  EXPECT_THAT(error_of([&] { s.step(); }),
              HasSubstr("controller.kp has -2 in instance 1, expected finite non-negative numbers"));
  s.kp()[6] = 2;
  s.q_target()[17] = std::nan("");
  EXPECT_THAT(error_of([&] { s.step({}, {}, some); }),
              HasSubstr("q_target has a number that is not finite in instance 2"));
  s.q_target()[17] = 1;
  s.step();
  EXPECT_EQ(s.steps(), 2);
  EXPECT_THAT(error_of([&] {
                Simulation<double>(load("rope:9"), {.dynamics = {.method = Method::scan}}).parameter(Parameter::mass);
              }),
              HasSubstr("does not support parameters"));
}

/// Whoever moves a target gives energy: a robot that follows it has not diverged.
TEST(LiveNumbers, TargetsThatJumpAreNoDivergence) {
  const Model model = load("arm7").with_gravity({0, 0, 0});
  Simulation<double> s(
      model, {.dt = 1e-3,
              .controller = {std::vector<double>(7, 0.0), std::vector<double>(7, 300), std::vector<double>(7, 1)}});
  run(s, 50);
  for (int jump = 0; jump < 10; ++jump) {
    for (double& x : s.q_target()) x = jump % 2 ? -0.8 : 0.8;
    run(s, 50);
    ASSERT_EQ(s.divergence(), nullptr) << s.divergence()->what;
  }
  EXPECT_GT(s.work(), 10);
}

TEST(Drive, WhatCompensatesGravityHoldsTheRobotStill) {
  for (const Integrator integrator : integrators) {
    const Model model = load("arm7");
    Simulation<double> s(model, {.integrator = integrator, .gravity_compensation = true, .batch = 2});
    const std::vector<double> q = random_configuration(model, 3);
    s.reset(q, {});
    run(s, 200);
    for (std::size_t k = 0; k < 14; ++k) EXPECT_NEAR(s.q()[k], q[k % 7], 1e-9);
    const Index second[] = {1};
    s.step({}, {}, second);
    EXPECT_NEAR(s.q()[7], q[0], 1e-9);
    for (double& m : s.parameter(Parameter::mass).subspan(8)) m *= 2;  // the model's weight is what is held
    run(s, 100);
    EXPECT_NEAR(s.q()[1], q[1], 1e-9);
    EXPECT_GT(std::abs(s.q()[8] - q[1]), 1e-3);
  }
}

TEST(Drive, AllThatDrivesAJointIsClippedToItsEffort) {
  OneJoint one{.joint = {.type = JointType::revolute, .axis = {0, 0, 1}, .lower = -100, .upper = 100, .effort = 4}};
  const Model model = one.build();
  const double inertia = 0.3;
  for (const Integrator integrator : integrators) {
    const auto speed_after = [&](SimulationOptions options, double tau) {
      options.integrator = integrator;
      options.dt = 1e-2;
      Simulation<double> s(model, options);
      for (int k = 0; k < 10; ++k) s.step(std::vector{tau});
      return s.v()[0];
    };
    const PdController strong{{50.0}, {100.0}, {0.0}}, weak{{0.05}, {20.0}, {0.0}};
    EXPECT_NEAR(speed_after({}, 10), 10 * 0.1 / inertia, 1e-9) << "joint forces as they are given";
    EXPECT_NEAR(speed_after({.effort_limits = true}, 10), 4 * 0.1 / inertia, 1e-9);
    EXPECT_NEAR(speed_after({.effort_limits = true}, -10), -4 * 0.1 / inertia, 1e-9);
    EXPECT_NEAR(speed_after({.effort_limits = true}, 3), 3 * 0.1 / inertia, 1e-9);
    EXPECT_NEAR(speed_after({.controller = strong}, 10), 14 * 0.1 / inertia, 1e-9) << "the controller alone is clipped";
    EXPECT_NEAR(speed_after({.controller = strong, .effort_limits = true}, 10), 4 * 0.1 / inertia, 1e-9);
    EXPECT_NEAR(speed_after({.controller = strong, .effort_limits = true}, 4), 4 * 0.1 / inertia, 1e-9);
    EXPECT_NEAR(speed_after({.controller = weak, .effort_limits = true}, -30), -4 * 0.1 / inertia, 1e-9);
  }
}

}  // namespace
}  // namespace tandem::test
