// SPDX-License-Identifier: Apache-2.0
/// Steps, rollouts and simulations are the same steps: the same bits whatever drives the joints, and the same end where
/// an iteration does not come to its tolerance.
#include <gtest/gtest.h>

#include <cstring>

#include "robots.hpp"
#include "support/many.hpp"
#include "tandem/api/rollout.hpp"
#include "tandem/api/rollout_gradient.hpp"

namespace tandem::test {
namespace {

/// What drives the robots of a case.
struct DriveCase {
  const char* name;
  bool forces, target, compensation, effort_limits;
};
constexpr DriveCase drives[] = {
    {"nothing", false, false, false, false},
    {"forces", true, false, false, false},
    {"weak forces", true, false, false, true},
    {"a controller", false, true, false, false},
    {"a controller and forces, limited together", true, true, false, true},
    {"compensation", false, false, true, false},
    {"all of them", true, true, true, true},
};

/// n robots that start anywhere, the first of them beyond their limits.
struct Robots {
  Model model = load("arm7");
  Index n;
  std::vector<double> q, v, tau, target, kp, kd;

  explicit Robots(Index count) : n(count) {
    for (Index b = 0; b < n; ++b) {
      const auto seed = static_cast<std::uint64_t>(b) + 3;
      for (const double x : random_configuration(model, seed)) q.push_back(b == 0 ? 1.5 * x : x);
      for (const double x : random_velocity(model, seed, 2)) v.push_back(x);
      for (const double x : random_velocity(model, seed + 40, 300)) tau.push_back(x);
      for (const double x : random_configuration(model, seed + 90)) target.push_back(x);
    }
    kp.assign(7, 400);
    kd.assign(7, 20);
  }
};

std::vector<double> by_simulation(const Robots& r, DriveCase d, Integrator integrator, bool limits, int steps) {
  SimulationOptions options = {.dt = 1e-3, .integrator = integrator};
  if (d.target) options.controller = {r.target, r.kp, r.kd};
  options.gravity_compensation = d.compensation;
  options.effort_limits = d.effort_limits;
  options.limits = limits;
  options.batch = r.n;
  options.excess = options.max_speed = unlimited;
  Simulation<double> s(r.model, options);
  s.reset(r.q, r.v);
  for (int k = 0; k < steps; ++k) s.step(d.forces ? std::span<const double>(r.tau) : std::span<const double>());
  std::vector<double> end = numbers(s.q());
  end.insert(end.end(), s.v().begin(), s.v().end());
  return end;
}

std::vector<double> by_rollout(const Robots& r, DriveCase d, Integrator integrator, bool limits, int steps) {
  std::vector<double> end(r.q.size() + r.v.size());
  RolloutArrays<double> arrays;
  arrays.q0 = Array<double>::input(r.q.data(), 7);
  arrays.v0 = Array<double>::input(r.v.data(), 7);
  if (d.forces) arrays.tau = Series<double>::input(r.tau.data(), 7, 0);
  if (d.target) {
    arrays.q_target = Series<double>::input(r.target.data(), 7, 0);
    arrays.kp = Array<double>::input(r.kp.data(), 0);
    arrays.kd = Array<double>::input(r.kd.data(), 0);
  }
  arrays.q = Array<double>::output(end.data(), 7);
  arrays.v = Array<double>::output(end.data() + r.q.size(), 7);
  RolloutOptions options;
  options.dt = 1e-3;
  options.steps = steps;
  options.integrator = integrator;
  options.gravity_compensation = d.compensation;
  options.effort_limits = d.effort_limits;
  options.limits = limits;
  options.max_speed = unlimited;
  Workspace<double> work;
  rollout<double>(r.model, arrays, Batch<double>(r.n), work, options);
  return end;
}

TEST(Rollouts, HaveTheBitsOfSimulationsWhateverDrivesTheJoints) {
  for (const Integrator integrator : integrators)
    for (const DriveCase& d : drives)
      for (const bool limits : {true, false})
        for (const Index n : {Index{1}, Index{9}}) {
          SCOPED_TRACE(std::string(to_string(integrator)) + ", driven by " + d.name +
                       (limits ? "" : ", without limits") + ", " + std::to_string(n) + " robots");
          const Robots r(n);
          const auto simulated = by_simulation(r, d, integrator, limits, many(30)),
                     rolled = by_rollout(r, d, integrator, limits, many(30));
          EXPECT_EQ(std::memcmp(simulated.data(), rolled.data(), rolled.size() * sizeof(double)), 0);
        }
}

/// Three robots at steps that are too long for the fast one among them.
struct TooLong {
  Model model = load("arm7");
  std::vector<double> q, v = std::vector<double>(21, 0.0), last_q, last_v;
  Index steps = 0, asked = 0;  ///< that the second robot makes, and one more
  static constexpr double dt = 0.05;
  static constexpr Index most = 20;

  TooLong() {
    for (std::uint64_t b = 0; b < 3; ++b)
      for (const double x : random_configuration(model, b + 2)) q.push_back(0.3 * x);
    for (std::size_t k = 7; k < 14; ++k) v[k] = 9;
    Simulation<double> s(model, options(3));
    s.reset(q, v);
    while (steps < most && (s.step(), s.divergence(1) == nullptr)) ++steps;
    last_q = numbers(s.q().subspan(7, 7));
    last_v = numbers(s.v().subspan(7, 7));
    asked = steps + 1;
    EXPECT_LT(steps, most) << "all steps converged";
    EXPECT_EQ(s.divergence(1)->kind, Divergence::not_converged);
    EXPECT_EQ(s.divergence(0), nullptr);
    EXPECT_EQ(s.steps_of(1), steps);
  }
  static SimulationOptions options(Index batch) {
    SimulationOptions o = {.dt = dt, .integrator = Integrator::implicit_midpoint, .losses = false};
    o.batch = batch;
    o.limits = false;
    o.excess = o.max_speed = unlimited;
    return o;
  }
};

TEST(StepsThatDoNotConverge, LeaveTheRobotInTheStateBeforeEverywhere) {
  const TooLong x;
  const Options how = {.integrator = Integrator::implicit_midpoint, .limits = Switch::off, .losses = Switch::off};
  const double h = TooLong::dt;
  {  // alone
    Simulation<double> s(x.model, TooLong::options(1));
    s.reset(std::span(x.q).subspan(7, 7), std::span(x.v).subspan(7, 7));
    for (Index k = 0; k < x.asked; ++k) s.step();
    ASSERT_TRUE(s.divergence());
    EXPECT_EQ(s.divergence()->kind, Divergence::not_converged);
    EXPECT_EQ(numbers(s.q()), x.last_q);
    EXPECT_EQ(numbers(s.v()), x.last_v);
  }
  for (const int at_a_time : {1, static_cast<int>(x.asked)}) {  // steps, one or many a call
    std::vector<double> q = x.q, v = x.v, zeros(7, 0.0);
    std::vector<Status> status(3);
    Workspace<double> work;
    Options options = how;
    options.steps = at_a_time;
    const Array<double> tau = Array<double>::input(zeros.data(), 0), dt = Array<double>::input(&h, 0);
    for (int k = 0; k < x.asked; k += at_a_time) {
      const Array<double> at_q = {q.data(), 7, 1}, at_v = {v.data(), 7, 1};
      const Array<double> arguments[] = {at_q, at_v, tau, dt, {}, {}, {}, {}, {}, at_q, at_v, {}, {}};
      evaluate<double>(find_algorithm("step"), x.model, arguments, Batch<double>(3, 1, status), work, options);
    }
    EXPECT_EQ(status[1], Status::not_converged);
    EXPECT_NE(status[0], Status::not_converged);
    EXPECT_EQ(std::vector<double>(q.begin() + 7, q.begin() + 14), x.last_q);
    EXPECT_EQ(std::vector<double>(v.begin() + 7, v.begin() + 14), x.last_v);
  }
  std::vector<double> q(21), v(21), cost(3), by_v0(21);
  std::vector<Status> status(3);
  std::vector<std::int32_t> done(3);
  const std::vector<double> weights(7, 1.0);
  RolloutArrays<double> arrays;
  arrays.q0 = Array<double>::input(x.q.data(), 7);
  arrays.v0 = Array<double>::input(x.v.data(), 7);
  arrays.q = Array<double>::output(q.data(), 7);
  arrays.v = Array<double>::output(v.data(), 7);
  arrays.costs.final_v_weight = Array<double>::input(weights.data(), 0);
  arrays.cost = Array<double>::output(cost.data(), 1);
  Batch<double> batch(3, 1, status);
  batch.iterations = done;
  Workspace<double> work;
  RolloutOptions options;
  options.dt = h;
  options.steps = x.asked;
  options.integrator = Integrator::implicit_midpoint;
  options.limits = options.losses = false;
  options.max_speed = unlimited;
  for (const bool gradient : {false, true}) {
    RolloutGradientArrays<double> asked;
    asked.by_v0 = Array<double>::output(by_v0.data(), 7);
    if (gradient)
      rollout_gradient<double>(x.model, arrays, asked, batch, work, options);
    else
      rollout<double>(x.model, arrays, batch, work, options);
    EXPECT_EQ(status[1], Status::not_converged);
    EXPECT_EQ(status[0], Status::ok);
    EXPECT_EQ(done[1], x.steps);
    EXPECT_EQ(std::vector<double>(q.begin() + 7, q.begin() + 14), x.last_q);
    EXPECT_EQ(std::vector<double>(v.begin() + 7, v.begin() + 14), x.last_v);
    EXPECT_TRUE(std::isinf(cost[1]));
    EXPECT_TRUE(std::isfinite(cost[0]));
  }
  EXPECT_TRUE(std::isnan(by_v0[7]));
  EXPECT_TRUE(std::isfinite(by_v0[0]));
  // derivatives of one step, from the state that has none
  std::vector<double> next_q(7), next_v(7), q_bar(7), v_bar(7), tau_bar(7), dq(7), dv(7);
  const std::vector<double> zeros(7, 0.0), ones(7, 1.0);
  step_vjp<double>(x.model, x.last_q, x.last_v, zeros, h, ones, ones, next_q, next_v, q_bar, v_bar, tau_bar, work, {},
                   how);
  EXPECT_EQ(next_q, x.last_q);
  EXPECT_TRUE(std::isnan(v_bar[0]));
  step_jvp<double>(x.model, x.last_q, x.last_v, zeros, h, ones, ones, zeros, next_q, next_v, dq, dv, work, {}, how);
  EXPECT_EQ(next_q, x.last_q);
  EXPECT_TRUE(std::isnan(dv[0]));
}

/// NaN that was given is no iteration that did not converge.
TEST(StepsThatDoNotConverge, AreNotThoseOfForcesThatAreNotNumbers) {
  Simulation<double> s(load("arm7"), {.integrator = Integrator::implicit_midpoint, .batch = 2});
  std::vector<double> tau(14, 0.0);
  tau[9] = std::nan("");
  s.step(tau);
  ASSERT_TRUE(s.divergence(1));
  EXPECT_EQ(s.divergence(1)->kind, Divergence::not_finite);
  EXPECT_EQ(s.divergence(0), nullptr);
}

}  // namespace
}  // namespace tandem::test
