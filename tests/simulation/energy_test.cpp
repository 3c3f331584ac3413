// SPDX-License-Identifier: Apache-2.0
/// Where the energy goes: kinetic + potential + dissipated - work stays what it was, but for the integrator's error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "robots.hpp"
#include "support/errors.hpp"

namespace tandem::test {
namespace {

using testing::HasSubstr;

/// A description whose joints all have these forces.
Model with_joint_forces(const char* robot, double damping, double stiffness) {
  const ModelBuilder described = generate(robot);
  ModelBuilder builder(described.name());
  for (const LinkDescription& link : described.links()) builder.link(link);
  for (JointDescription joint : described.joints()) {
    joint.damping = damping;
    joint.stiffness = stiffness;
    builder.joint(joint);
  }
  return builder.build();
}

struct Fall {
  double drift = 0;            ///< J, largest change of the budget
  double largest_kinetic = 0;  ///< J
};

/// A rope of N links held out to the side and let go.
Fall fall(const Model& rope, Integrator integrator, double dt, double time) {
  Simulation<double> s(rope, {.dt = dt, .integrator = integrator});
  s.q()[1] = s.q()[3] = std::numbers::sqrt2 / 2;
  const double start = budget(s);
  Fall result;
  for (int k = static_cast<int>(std::lround(time / dt)); k > 0; --k) {
    s.step();
    if (k % 10 != 1) continue;
    result.drift = std::max(result.drift, std::abs(budget(s) - start));
    double kinetic = 0, potential = 0;
    Workspace<double> work;
    energy(s.model(), s.q(), s.v(), kinetic, potential, work);
    result.largest_kinetic = std::max(result.largest_kinetic, kinetic);
  }
  return result;
}

TEST(SlowBudget, OfAFallingRopeOf200LinksStays) {
  const Model rope = load("rope:200");
  const Fall exact = fall(rope, Integrator::rk4, 5e-4, 1.0);
  EXPECT_LT(exact.drift, 1e-7 * exact.largest_kinetic);
  // the simpler method is of order 1: what it loses falls with the step
  const Fall coarse = fall(rope, Integrator::semi_implicit_euler, 1e-3, 0.5),
             fine = fall(rope, Integrator::semi_implicit_euler, 2.5e-4, 0.5);
  EXPECT_LT(coarse.drift, 0.05 * coarse.largest_kinetic);
  EXPECT_LT(fine.drift, 0.3 * coarse.drift);
}

/// With damping, springs, a controller and joint forces at once.
struct Driven {
  Model model;
  SimulationOptions options;
  std::vector<double> tau;

  explicit Driven(Integrator integrator, double dt) : model(with_joint_forces("chain:5", 0.5, 2)) {
    const std::vector<double> gains(static_cast<std::size_t>(model.nv()), 1.0);
    options = {.dt = dt, .integrator = integrator, .controller = {random_configuration(model, 7), gains, gains}};
    tau = random_velocity(model, 3, 0.5);
  }
  double largest_drift(double time) const {
    Simulation<double> s(model, options);
    set(s.q(), random_configuration(model, 1));
    set(s.v(), random_velocity(model, 2));
    const double start = budget(s);
    double largest = 0;
    for (int k = static_cast<int>(std::lround(time / options.dt)); k > 0; --k) {
      s.step(tau);
      largest = std::max(largest, std::abs(budget(s) - start));
    }
    EXPECT_GT(s.dissipated(), 1e-3);
    EXPECT_GT(std::abs(s.work()), 1e-3);
    return largest;
  }
};

TEST(Budget, ErrorFallsWithTheOrderOfTheIntegrator) {
  const auto slope = [](Integrator integrator, double dt) {
    return std::log2(Driven(integrator, dt).largest_drift(0.096) / Driven(integrator, dt / 2).largest_drift(0.096));
  };
  EXPECT_NEAR(slope(Integrator::semi_implicit_euler, 2.5e-4), 1, 0.25);
  EXPECT_GT(slope(Integrator::rk4, 2e-3), 3.5);
}

TEST(Budget, IsExactWhereInertiaIsConstant) {
  // a change of kinetic energy is force times the mean of the old and the new velocity
  const Model model = OneJoint{.joint = {.type = JointType::prismatic, .damping = 1e3, .friction = 3}}.build();
  Simulation<double> s(model, {.dt = 1e-2});
  s.v()[0] = 1;
  const double push[] = {2.0};
  for (int k = 0; k < 10; ++k) {
    s.step(push);
    double kinetic = 0, potential = 0;
    Workspace<double> work;
    energy(model, s.q(), s.v(), kinetic, potential, work);
    EXPECT_NEAR(kinetic + s.dissipated() - s.work(), 1, 1e-13);  // 2 kg at 1 m/s
  }
}

TEST(Budget, CountsNoLossesWhenThereAreNone) {
  auto s = lossless(load("arm7"), Integrator::rk4, 1e-3);
  run(s, 100);
  EXPECT_EQ(s.dissipated(), 0);
  EXPECT_EQ(s.work(), 0);
}

TEST(ImplicitSpring, IsTheImplicitEulerMethodOfAnOscillator) {
  for (const double stiffness : {1.0, 1e4, 1e8}) {
    const Model model = OneJoint{.joint = {.type = JointType::prismatic, .stiffness = stiffness}}.build({0, 0, 0});
    const double h = 1e-2, w2h2 = stiffness / 2 * h * h;  // (omega h)^2 with 2 kg
    Simulation<double> s(model, {.dt = h});
    s.q()[0] = 1;
    double before = total_energy(s);
    for (int k = 0; k < 20; ++k) {
      s.step();
      const double now = total_energy(s);
      EXPECT_NEAR(now, before / (1 + w2h2), 1e-12 * before + 1e-30) << stiffness;
      before = now;
    }
  }
}

/// 40 segments with stiff joints, bent and let go.
Simulation<double> soft_arm(Integrator integrator, double dt, bool watched = true) {
  const double most = watched ? 1 : unlimited, fastest = watched ? 0 : unlimited;
  Simulation<double> s(with_joint_forces("rope:40", 0.05, 50),
                       {.dt = dt, .integrator = integrator, .excess = most, .max_speed = fastest});
  const std::vector<double> bent = [&] {
    std::vector<double> u(static_cast<std::size_t>(s.model().nv()), 0.0), q(s.q().begin(), s.q().end());
    for (std::size_t k = 1; k < u.size(); k += 3) u[k] = 0.03;
    Workspace<double> work;
    integrate(s.model(), q, u, q, work);
    return q;
  }();
  set(s.q(), bent);
  return s;
}

TEST(ImplicitSpring, KeepsASoftArmStableAtLargeSteps) {
  // steps of 10 ms, some 60 times what the fastest of its modes allows an explicit method
  auto explicitly = soft_arm(Integrator::rk4, 1e-2, false);
  run(explicitly, 100);
  EXPECT_FALSE(explicitly.finite() && total_energy(explicitly) < 1e6);
  auto watched = soft_arm(Integrator::rk4, 1e-2);
  run(watched, 100);
  ASSERT_TRUE(watched.divergence());
  EXPECT_THAT(watched.divergence()->advice, HasSubstr("too stiff for rk4 at dt = 0.01 s"));

  auto s = soft_arm(Integrator::semi_implicit_euler, 1e-2);
  const double start = total_energy(s);
  double highest = start;
  for (int k = 0; k < 2000; ++k) {
    s.step();
    highest = std::max(highest, total_energy(s));
  }
  ASSERT_TRUE(s.finite());
  EXPECT_LE(highest, start + 1e-3 * std::abs(start));  // it never gains
  EXPECT_LT(total_energy(s), start - 1);
  double fastest = 0;
  for (const double v : s.v()) fastest = std::max(fastest, std::abs(v));
  EXPECT_LT(fastest, 0.2);  // the slow swing of the whole arm is left
}

TEST(Method, OfForwardDynamicsIsTheOneAskedFor) {
  const Model model = load("rope:5");
  for (const Integrator integrator : {Integrator::rk4, Integrator::semi_implicit_euler}) {
    const auto moved = [&](Method method) {
      Simulation<double> s(model, {.integrator = integrator, .dynamics = {.method = method}});
      set(s.q(), random_configuration(model, 2));
      run(s, 20);
      return s;
    };
    auto reference = moved(Method::articulated_body);
    for (const Method method : methods_of(find_algorithm("forward_dynamics"))) {
      if (refusal(find_algorithm("forward_dynamics"), model, {.method = method})) continue;
      auto other = moved(method);
      EXPECT_LT(distance(other, reference), 1e-7) << to_string(method);
    }
  }
}

TEST(Method, ThatForwardDynamicsDoesNotHaveIsRefusedAtOnce) {
  EXPECT_THAT(
      error_of([] { Simulation<double>(load("arm6"), {.dynamics = {.method = Method::recursive_newton_euler}}); }),
      HasSubstr("no method recursive_newton_euler; expected one of automatic, articulated_body"));
  Workspace<double> work;
  std::vector<double> x(6, 0.0), a(6);
  EXPECT_THROW(forward_dynamics(load("arm6"), x, x, x, a, work, {}, {}, {.method = Method::recursive_newton_euler}),
               Error);
}

}  // namespace
}  // namespace tandem::test
