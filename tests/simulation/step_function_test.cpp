// SPDX-License-Identifier: Apache-2.0
/// The algorithm `step`: what simulations do, in lanes, many steps a call; an integrator that keeps the energy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "robots.hpp"
#include "support/errors.hpp"
#include "support/many.hpp"
#include "support/property.hpp"

namespace tandem::test {
namespace {

using testing::HasSubstr;

/// States of a batch, and what step makes of them.
template <class T>
struct Lanes {
  Model model;
  Index n;
  std::vector<T> q, v, tau, stops, energies;
  Workspace<T> work;

  Lanes(const Model& m, Index batch, double speed)
      : model(m), n(batch), stops(3 * size(m.nv())), energies(4 * size(1)) {
    for (Index b = 0; b < n; ++b) {
      const auto seed = static_cast<std::uint64_t>(10 * b + 1);
      for (const double x : random_configuration(m, seed)) q.push_back(static_cast<T>(x));
      for (const double x : random_velocity(m, seed + 1, speed)) v.push_back(static_cast<T>(x));
      for (const double x : random_velocity(m, seed + 2, 5)) tau.push_back(static_cast<T>(x));
    }
  }
  std::size_t size(Index rows) const { return static_cast<std::size_t>(n * rows); }
  void run(T dt, const Options& options, Index first = 0, Index count = -1) {
    const Index nq = model.nq(), nv = model.nv();
    const auto at = [&](std::vector<T>& x, Index rows) { return Array<T>::output(x.data() + first * rows, rows); };
    const Array<T> arguments[] = {
        at(q, nq), at(v, nv), at(tau, nv),       Array<T>::input(&dt, 0), {}, {}, {}, {}, at(stops, 3 * nv),
        at(q, nq), at(v, nv), at(stops, 3 * nv), at(energies, 4)};
    evaluate<T>(find_algorithm("step"), model, arguments, count < 0 ? n : count, work, options);
  }
};

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

TEST(StepFunction, IsTheStepOfASimulation) {
  for (const Integrator integrator : integrators)
    for (const char* name : {"arm7", "humanoid", "quadruped"}) {
      SCOPED_TRACE(std::string(name) + ", " + to_string(integrator));
      const Model model = load(name);
      Lanes<double> lanes(model, 1, 2);
      Simulation<double> s(model, {.dt = 1e-3, .integrator = integrator, .excess = unlimited, .max_speed = unlimited});
      set(s.q(), lanes.q);
      set(s.v(), lanes.v);
      double dissipated = 0, work = 0;
      for (int k = 0; k < 50; ++k) {
        s.step(lanes.tau);
        lanes.run(1e-3, {.integrator = integrator});
        dissipated += lanes.energies[0];
        work += lanes.energies[2];
      }
      EXPECT_TRUE(same(lanes.q, std::vector<double>(s.q().begin(), s.q().end())));
      EXPECT_TRUE(same(lanes.v, std::vector<double>(s.v().begin(), s.v().end())));
      EXPECT_EQ(dissipated, s.dissipated());
      EXPECT_EQ(work, s.work());
    }
}

template <class T>
class StepsOf : public testing::Test {};
TYPED_TEST_SUITE(StepsOf, Reals);

/// Fast enough to run into stops, each at its own time.
TYPED_TEST(StepsOf, ManyRobotsHaveTheBitsOfEachAlone) {
  for (const Integrator integrator : integrators)
    for (const char* name : {"arm7", "humanoid"}) {
      SCOPED_TRACE(std::string(name) + ", " + to_string(integrator));
      Lanes<TypeParam> together(load(name), 37, 4), alone(load(name), 37, 4);
      for (int k = 0; k < many(40); ++k) {
        together.run(TypeParam(2e-3), {.integrator = integrator});
        for (Index b = 0; b < alone.n; ++b) alone.run(TypeParam(2e-3), {.integrator = integrator}, b, 1);
        ASSERT_TRUE(same(together.q, alone.q) && same(together.v, alone.v)) << "step " << k;
        ASSERT_TRUE(same(together.stops, alone.stops) && same(together.energies, alone.energies)) << "step " << k;
      }
      EXPECT_GT(std::count_if(together.stops.begin(), together.stops.end(), [](TypeParam x) { return x != 0; }), 0)
          << "no stop was met";
    }
}

TYPED_TEST(StepsOf, OfWhichOneMeetsAStopLeaveTheOthersAlone) {
  using T = TypeParam;
  for (const Integrator integrator : integrators) {
    Lanes<T> calm(load("arm7"), 16, 0.1), hit(load("arm7"), 16, 0.1);
    const auto& m = hit.model.template view<T>();
    for (std::size_t k = 0; k < 7; ++k) {  // robot 5 runs into all of its stops
      hit.q[5 * 7 + k] = m.q_upper[k] < T(100) ? m.q_upper[k] - T(1e-3) : T(0);
      hit.v[5 * 7 + k] = T(20);
    }
    for (int k = 0; k < 5; ++k) {
      calm.run(T(1e-3), {.integrator = integrator});
      hit.run(T(1e-3), {.integrator = integrator});
    }
    EXPECT_NE(hit.stops[5 * 21 + 3 + 2], T(0));
    for (std::size_t b = 0; b < 16; ++b)
      if (b != 5)
        for (std::size_t k = b * 7; k < b * 7 + 7; ++k) {
          EXPECT_EQ(calm.q[k], hit.q[k]) << b;
          EXPECT_EQ(calm.v[k], hit.v[k]) << b;
        }
  }
}

TYPED_TEST(StepsOf, OneCallAreThoseOfManyCalls) {
  for (const Integrator integrator : integrators) {
    Lanes<TypeParam> at_once(load("arm7"), 19, 3), one_by_one(load("arm7"), 19, 3);
    at_once.run(TypeParam(1e-3), {.integrator = integrator, .steps = 30});
    for (int k = 0; k < 30; ++k) one_by_one.run(TypeParam(1e-3), {.integrator = integrator});
    EXPECT_TRUE(same(at_once.q, one_by_one.q) && same(at_once.v, one_by_one.v));
    EXPECT_TRUE(same(at_once.stops, one_by_one.stops));
  }
}

TEST(StepFunction, SaysWhatItDoesNotTake) {
  const Model arm = load("arm7");
  std::vector<double> x(7, 0.0), out(7), v(7);
  Workspace<double> work;
  const auto refusal = [&](const StepArguments<double>& more, const Options& options) {
    return error_of([&] { step<double>(arm, x, x, x, 1e-3, out, v, work, more, options); });
  };
  EXPECT_THAT(refusal({.kp = x}, {}), HasSubstr("kp needs the argument q_target"));
  EXPECT_THAT(refusal({}, {.steps = 0}), HasSubstr("steps is 0, expected 1 or more"));
  for (const double dt : {-1e-3, 0.0, std::nan(""), unlimited})
    EXPECT_THAT(error_of([&] { step<double>(arm, x, x, x, dt, out, v, work); }),
                testing::AllOf(HasSubstr("step: dt is "), HasSubstr("expected a finite positive number of seconds")));
  EXPECT_THAT(refusal({}, {.integrator = static_cast<Integrator>(9)}), HasSubstr("integrator is 9"));
  EXPECT_THAT(refusal({}, {.solver = Solver::block_lu}), HasSubstr("does not use the option solver"));
  const Model bars = load("four_bar");
  std::vector<double> q = neutral_configuration(bars), zeros(static_cast<std::size_t>(bars.nv()), 0.0);
  EXPECT_THAT(error_of([&] { step<double>(bars, q, zeros, zeros, 1e-3, q, zeros, work); }), HasSubstr("closed loops"));
}

/// A mass on a spring: the midpoint turns phase space about a circle.
TEST(ImplicitMidpoint, OfAnOscillatorTurnsByTheAngleOfTheMidpointRule) {
  const Model model = OneJoint{.joint = {.type = JointType::prismatic, .stiffness = 8}}.build({0, 0, 0});
  const double h = 0.05, omega = 2, angle = 2 * std::atan(omega * h / 2);
  Simulation<double> s(model, {.dt = h, .integrator = Integrator::implicit_midpoint});
  s.q()[0] = 1;
  for (int k = 1; k <= 200; ++k) {
    s.step();
    ASSERT_NEAR(s.q()[0], std::cos(angle * k), 1e-11);
    ASSERT_NEAR(s.v()[0], -omega * std::sin(angle * k), 1e-11);
  }
}

TEST(ImplicitMidpoint, KeepsTheEnergy) {
  for (const char* name : {"arm7", "quadruped", "rope:3"}) {
    SCOPED_TRACE(name);
    Simulation<double> s(load(name),
                         {.dt = 1e-3, .integrator = Integrator::implicit_midpoint, .losses = false, .limits = false});
    set(s.q(), random_configuration(s.model(), 1));
    set(s.v(), random_velocity(s.model(), 2, 0.5));
    const double start = total_energy(s);
    for (int k = 0; k < many(2000); ++k) {
      s.step();
      ASSERT_NEAR(total_energy(s), start, 1e-9 * std::abs(start)) << "step " << k;
    }
    EXPECT_EQ(s.divergence(), nullptr);
  }
}

/// With damping, springs, a controller, forces and stops: what nobody gives or takes is still there.
TEST(ImplicitMidpoint, KeepsTheBudget) {
  const Model model = load("arm6");
  const std::vector<double> gains(6, 20.0);
  Simulation<double> s(model, {.dt = 2e-3,
                               .integrator = Integrator::implicit_midpoint,
                               .controller = {random_configuration(model, 7), gains, gains}});
  set(s.q(), random_configuration(model, 3));
  set(s.v(), random_velocity(model, 4, 3));
  const double start = budget(s);
  for (int k = 0; k < 500; ++k) {
    s.step(random_velocity(model, 5, 10));
    ASSERT_NEAR(budget(s), start, 1e-9);
  }
  EXPECT_GT(s.dissipated(), 1);
}

TEST(ImplicitMidpoint, LeadsBackWhereTimeIsTurned) {
  const Model model = load("arm7");
  Simulation<double> s(model,
                       {.dt = 2e-3, .integrator = Integrator::implicit_midpoint, .losses = false, .limits = false});
  const std::vector<double> q = random_configuration(model, 1);
  set(s.q(), q);
  set(s.v(), random_velocity(model, 2));
  run(s, 100);
  for (double& v : s.v()) v = -v;
  run(s, 100);
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(s.q()[k], q[k], 1e-9);
}

TEST(ImplicitMidpoint, SaysWhereItDoesNotConverge) {
  const Model model = load("arm7");
  Simulation<double> s(model,
                       {.dt = 0.5, .integrator = Integrator::implicit_midpoint, .losses = false, .limits = false});
  set(s.q(), random_configuration(model, 1));
  set(s.v(), random_velocity(model, 2, 5));
  run(s, 3);
  ASSERT_NE(s.divergence(), nullptr);
  EXPECT_THAT(s.divergence()->what, HasSubstr("implicit_midpoint did not converge"));
}

}  // namespace
}  // namespace tandem::test
