// SPDX-License-Identifier: Apache-2.0
/// Rollouts of robots with closed loops: the bits of simulations, energy, and states that cannot be closed.
#include <gmock/gmock.h>

#include <cmath>

#include "closed_loops/loop_cases.hpp"
#include "support/errors.hpp"
#include "tandem/api/rollout_gradient.hpp"
#include "tandem/api/simulation.hpp"

namespace tandem::test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

/// Four-bar linkages in several states, with forces, masses and a path for each.
template <class T>
struct Bars {
  Model model = load("four_bar");
  Index n = 11, steps = 40;
  std::vector<T> q0, v0, tau, mass, q, v, q_path, v_path;
  std::vector<Status> status = std::vector<Status>(11);
  std::vector<std::int32_t> done = std::vector<std::int32_t>(11);
  Workspace<T> work;

  Bars() {
    for (Index b = 0; b < n; ++b)
      for (Index k = 0; k < 3; ++k) {
        q0.push_back(static_cast<T>(0.05 * std::sin(static_cast<double>(3 * b + k))));  // a little open
        v0.push_back(static_cast<T>(std::cos(static_cast<double>(3 * b + k))));
        for (Index s = 0; s < steps; ++s) tau.push_back(static_cast<T>(std::sin(static_cast<double>(b + k + s))));
      }
    for (Index b = 0; b < n; ++b)
      for (int i = 0; i < model.n_links(); ++i)
        mass.push_back(static_cast<T>(model.mass_properties(i).mass * (1 + 0.1 * static_cast<double>(b))));
    q.resize(q0.size());
    v.resize(v0.size());
    q_path.resize(static_cast<std::size_t>(3 * n * (steps + 1)));
    v_path.resize(q_path.size());
  }
  RolloutArrays<T> arrays() {
    RolloutArrays<T> a;
    a.q0 = Array<T>::input(q0.data(), 3);
    a.v0 = Array<T>::input(v0.data(), 3);
    a.tau = Series<T>::input(tau.data(), 3 * steps, 3);
    a.q = Array<T>::output(q.data(), 3);
    a.v = Array<T>::output(v.data(), 3);
    return a;
  }
  BatchedParameter<T> masses() { return {Parameter::mass, Array<T>::input(mass.data(), model.n_links())}; }
  Batch<T> batch(std::span<const BatchedParameter<T>> varied = {}, int threads = 1) {
    Batch<T> b(n, threads, status, varied);
    b.iterations = done;
    return b;
  }
};

RolloutOptions options_of(Index steps, Integrator integrator = Integrator::semi_implicit_euler) {
  RolloutOptions o;
  o.dt = 2e-3;
  o.steps = steps;
  o.integrator = integrator;
  return o;
}

template <class T>
class LoopRollouts : public ::testing::Test {};
TYPED_TEST_SUITE(LoopRollouts, Reals);

TYPED_TEST(LoopRollouts, HaveTheBitsOfSimulations) {
  using T = TypeParam;
  Bars<T> x;
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
    for (const bool varied : {false, true}) {
      const BatchedParameter<T> masses[] = {x.masses()};
      const auto parameters = std::span<const BatchedParameter<T>>(masses).first(varied ? 1 : 0);
      rollout<T>(x.model, x.arrays(), x.batch(parameters), x.work, options_of(x.steps, integrator));
      EXPECT_THAT(x.status, Each(Status::ok));
      EXPECT_THAT(x.done, Each(static_cast<std::int32_t>(x.steps)));
      SimulationOptions options = {.dt = 2e-3, .integrator = integrator, .batch = x.n};
      if (varied) options.parameters.push_back({Parameter::mass, {x.mass.begin(), x.mass.end()}});
      Simulation<T> s(x.model, options);
      std::ranges::copy(x.q0, s.q().begin());
      std::ranges::copy(x.v0, s.v().begin());
      for (Index k = 0; k < x.steps; ++k) {
        std::vector<T> tau;
        for (Index b = 0; b < x.n; ++b)
          for (Index i = 0; i < 3; ++i) tau.push_back(x.tau[static_cast<std::size_t>((b * x.steps + k) * 3 + i)]);
        s.step(tau);
      }
      for (std::size_t k = 0; k < x.q.size(); ++k) {
        ASSERT_EQ(x.q[k], s.q()[k]) << k;
        ASSERT_EQ(x.v[k], s.v()[k]) << k;
      }
    }
  }
}

TEST(LoopRolloutsOfMany, OfEveryKindOfLoopHaveTheBitsOfSimulations) {
  int compared = 0;
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    const State s = random_state(c.model, 5);
    std::vector<double> q = in<double>(c.q), v = in<double>(c.v), tau = in<double>(s.tau);
    RolloutArrays<double> a;
    a.q0 = a.q = {q.data(), c.model.nq()};
    a.v0 = a.v = {v.data(), c.model.nv()};
    a.tau = Series<double>::input(tau.data(), 0, 0);
    RolloutOptions o = options_of(5);
    o.dt = 1e-4;
    Status status[1];
    Workspace<double> work;
    rollout<double>(c.model, a, Batch<double>(1, 1, status), work, o);
    Simulation<double> alone(c.model, {.dt = 1e-4});
    std::ranges::copy(in<double>(c.q), alone.q().begin());
    std::ranges::copy(in<double>(c.v), alone.v().begin());
    bool opens = false;
    for (int k = 0; k < 5 && !opens; ++k) {
      opens = error_of([&] { alone.step(tau); }) != "no error" || alone.divergence();
    }
    if (opens) continue;
    EXPECT_EQ(status[0], Status::ok);
    EXPECT_TRUE(std::ranges::equal(q, alone.q()));
    EXPECT_TRUE(std::ranges::equal(v, alone.v()));
    ++compared;
  }
  EXPECT_GT(compared, few_cases ? 20 : 30);
}

TEST(LoopRolloutsOfMany, SeveralCallsHaveTheBitsOfOneAndThreadsDoNotMatter) {
  Bars<double> x;
  rollout<double>(x.model, x.arrays(), x.batch(), x.work, options_of(x.steps));
  const auto q = x.q, v = x.v;
  rollout<double>(x.model, x.arrays(), x.batch({}, 3), x.work, options_of(x.steps));
  EXPECT_EQ(x.q, q);
  auto a = x.arrays();
  a.q0 = a.q = {x.q0.data(), 3};
  a.v0 = a.v = {x.v0.data(), 3};
  std::vector<double> stops(static_cast<std::size_t>(9 * x.n));
  a.stops = {stops.data(), 9};
  RolloutOptions o = options_of(x.steps / 4);
  for (o.first_step = 0; o.first_step < x.steps; o.first_step += o.steps)
    rollout<double>(x.model, a, x.batch(), x.work, o);
  EXPECT_EQ(x.q0, q);
  EXPECT_EQ(x.v0, v);
}

/// Of conservation: no force of a loop does work.
TEST(LoopRolloutsOfMany, EnergyStays) {
  Bars<double> x;
  const Index steps = 500;
  auto a = x.arrays();
  a.tau = {};
  std::vector<double> path_q(static_cast<std::size_t>(3 * x.n * (steps + 1))), path_v(path_q.size());
  a.q_path = Series<double>::output(path_q.data(), 3 * (steps + 1), 3);
  a.v_path = Series<double>::output(path_v.data(), 3 * (steps + 1), 3);
  RolloutOptions o = options_of(steps, Integrator::rk4);
  o.dt = 1e-3;
  rollout<double>(x.model, a, x.batch(), x.work, o);
  Robot<double> robot(x.model);
  for (Index b = 0; b < x.n; ++b) {
    const auto energy_at = [&](Index k) {
      const Index row = 3 * (b * (steps + 1) + k);
      const auto e = robot.energy(Eigen::Map<const Vector>(path_q.data() + row, 3),
                                  Eigen::Map<const Vector>(path_v.data() + row, 3));
      return e.kinetic + e.potential;
    };
    EXPECT_NEAR(energy_at(steps), energy_at(0), 1e-5);
    EXPECT_GT(std::abs(path_q[static_cast<std::size_t>(3 * (b * (steps + 1) + steps))] -
                       path_q[static_cast<std::size_t>(3 * b * (steps + 1))]),
              1e-3);
  }
}

TEST(LoopRolloutsOfMany, WhatCannotBeClosedDivergesBesideOthers) {
  // a triangle whose sides cannot meet in the first place
  ModelBuilder b = describe("four_bar");
  b.change_loop("pin", [](auto& loop) { loop.placement_1.position = {-5, 0, 0.6}; });
  Bars<double> x;
  rollout<double>(b.build(), x.arrays(), x.batch(), x.work, options_of(x.steps));
  EXPECT_THAT(x.status, Each(Status::diverged));
  EXPECT_THAT(x.done, Each(0));
  EXPECT_EQ(x.q, x.q0);
  // and one that is no number among those that can
  x.q0[3] = std::nan("");
  rollout<double>(x.model, x.arrays(), x.batch(), x.work, options_of(x.steps));
  for (std::size_t k = 0; k < x.status.size(); ++k)
    EXPECT_EQ(x.status[k], k == 1 ? Status::non_finite : Status::ok) << k;
}

TEST(LoopRolloutsOfMany, SayWhatIsNotThere) {
  Bars<double> x;
  RolloutOptions o = options_of(x.steps);
  o.dynamics.method = Method::composite_rigid_body;
  EXPECT_THAT(error_of([&] { rollout<double>(x.model, x.arrays(), x.batch(), x.work, o); }),
              HasSubstr("which has closed loops; use articulated_body"));
  std::vector<double> cost(static_cast<std::size_t>(x.n)), weight(3, 1);
  auto a = x.arrays();
  a.costs.v_weight = {weight.data(), 0};
  a.cost = {cost.data(), 1};
  EXPECT_THAT(error_of([&] {
                rollout_gradient<double>(x.model, a, RolloutGradientArrays<double>{}, x.batch(), x.work,
                                         options_of(x.steps));
              }),
              HasSubstr("rollout_gradient: robot \"four_bar\" has closed loops"));
}

}  // namespace
}  // namespace tandem::test
