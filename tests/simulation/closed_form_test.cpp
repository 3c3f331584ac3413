// SPDX-License-Identifier: Apache-2.0
/// Motions that are known in closed form.
#include <gtest/gtest.h>

#include <numbers>

#include "robots.hpp"
#include "support/robots.hpp"

namespace tandem::test {
namespace {

constexpr double g = 9.81;
constexpr double epsilon = 2.220446049250313e-16;

/// Period of a pendulum that swings up to an amplitude; small is its period at small amplitudes. By the
/// arithmetic-geometric mean.
double pendulum_period(double small, double amplitude) {
  double a = 1, b = std::cos(amplitude / 2);
  while (a - b > 1e-15) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return small / a;
}

/// Time until q changes sign, by cubic interpolation within the step.
double time_to_first_zero(Simulation<double>& s, double dt) {
  double q0, v0;
  do {
    q0 = s.q()[0];
    v0 = s.v()[0];
    s.step();
  } while (s.q()[0] * q0 > 0);
  const double q1 = s.q()[0], v1 = s.v()[0];
  double x = q0 / (q0 - q1);
  for (int k = 0; k < 20; ++k) {  // Newton on the Hermite polynomial
    const double c = dt * v0, d = 3 * (q1 - q0) - dt * (2 * v0 + v1), e = 2 * (q0 - q1) + dt * (v0 + v1);
    x -= (q0 + x * (c + x * (d + x * e))) / (c + x * (2 * d + 3 * x * e));
  }
  return s.time() - dt + x * dt;
}

TEST(Pendulum, PeriodIsThatOfTheEllipticIntegral) {
  const Model model = OneJoint{.joint = {.type = JointType::continuous, .axis = {0, 1, 0}}}.build();
  const double inertia = 0.2 + 2 * 0.25, small = 2 * std::numbers::pi * std::sqrt(inertia / (2 * g * 0.5));
  for (const double amplitude : {0.01, 1.0, 2.5}) {
    const double dt = 1e-3;
    Simulation<double> s(model, {.dt = dt, .integrator = Integrator::rk4});
    s.q()[0] = amplitude;
    EXPECT_NEAR(4 * time_to_first_zero(s, dt), pendulum_period(small, amplitude), 1e-9) << amplitude;
  }
}

TEST(Pendulum, SmallPeriodWithSemiImplicitEuler) {
  const Model model = OneJoint{.joint = {.type = JointType::revolute, .axis = {0, 1, 0}}}.build();
  const double w = std::sqrt(2 * g * 0.5 / (0.2 + 2 * 0.25)), dt = 1e-3;
  Simulation<double> s(model, {.dt = dt});
  s.q()[0] = 1e-4;
  // the method turns the phase of an oscillator by 2 asin(w dt / 2) a step
  const double period = 2 * std::numbers::pi * dt / (2 * std::asin(w * dt / 2));
  run(s, static_cast<int>(std::lround(period / dt)) * 10);
  const double phase = 2 * std::numbers::pi * s.time() / period;
  EXPECT_NEAR(s.q()[0], 1e-4 * std::cos(phase), 1e-4 * 2 * w * dt);
}

TEST(FreeBody, FallsAsGalileoSays) {
  Model model = OneJoint{.joint = {.type = JointType::free}}.build();
  for (const Integrator integrator : {Integrator::rk4, Integrator::semi_implicit_euler}) {
    const double dt = 0.01;
    Simulation<double> s(model, {.dt = dt, .integrator = integrator});
    set(s.v(), {1, 2, 3, 0, 0, 0});
    run(s, 100);
    const double t = s.time(), late = integrator == Integrator::rk4 ? 0 : dt;  // Euler falls with the speed at the end
    const double size = 32 * epsilon * 100 * g;
    EXPECT_NEAR(s.q()[0], t, size);
    EXPECT_NEAR(s.q()[1], 2 * t, size);
    EXPECT_NEAR(s.q()[2], 3 * t - g * t * (t + late) / 2, size);
    EXPECT_NEAR(s.v()[2], 3 - g * t, size);
  }
}

TEST(FreeBody, SymmetricTopPrecessesAboutItsAxis) {
  OneJoint body{.joint = {.type = JointType::free}};
  body.body.com = {0, 0, 0};
  body.body.inertia = {0.2, 0, 0, 0.2, 0, 0.5};
  const Model model = body.build({0, 0, 0});
  Simulation<double> s(model, {.dt = 1e-3, .integrator = Integrator::rk4});
  set(s.v(), {0, 0, 0, 1, 0, 4});
  run(s, 1000);
  const double rate = (0.5 - 0.2) / 0.2 * 4;  // of the angular velocity about the axis, seen by the body
  EXPECT_NEAR(s.v()[3], std::cos(rate * s.time()), 1e-8);
  EXPECT_NEAR(s.v()[4], std::sin(rate * s.time()), 1e-8);
  EXPECT_NEAR(s.v()[5], 4, 1e-12);
}

TEST(FreeBody, MomentumInTheWorldIsConstant) {
  const Model model = OneJoint{.joint = {.type = JointType::free}}.build({0, 0, 0});
  auto s = lossless(model, Integrator::rk4, 1e-3);
  Workspace<double> work;
  std::array<double, 6> before, after;
  centroidal_momentum(model, s.q(), s.v(), before, work);
  run(s, 2000);
  centroidal_momentum(model, s.q(), s.v(), after, work);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(after[k], before[k], 1e-10) << k;
}

TEST(DoublePendulum, MovesAsItsTextbookEquations) {
  constexpr double m1 = 1.5, m2 = 0.7, l1 = 0.8, l2 = 0.5;
  Simulation<double> s(double_pendulum(m1, m2, l1, l2).build(), {.dt = 1e-3, .integrator = Integrator::rk4});
  set(s.q(), {1.0, 0.5});
  run(s, 2000);

  using State = std::array<double, 4>;  // angles of both rods from the vertical, and their rates
  const auto rate = [](const State& x) -> State {
    const double d = x[0] - x[1], c = std::cos(d), n = std::sin(d), D = 2 * m1 + m2 - m2 * std::cos(2 * d);
    const double a1 = (-g * (2 * m1 + m2) * std::sin(x[0]) - m2 * g * std::sin(x[0] - 2 * x[1]) -
                       2 * n * m2 * (x[3] * x[3] * l2 + x[2] * x[2] * l1 * c)) /
                      (l1 * D);
    const double a2 =
        2 * n * (x[2] * x[2] * l1 * (m1 + m2) + g * (m1 + m2) * std::cos(x[0]) + x[3] * x[3] * l2 * m2 * c) / (l2 * D);
    return {x[2], x[3], a1, a2};
  };
  const auto moved = [](State x, double h, const State& k) {
    for (std::size_t i = 0; i < 4; ++i) x[i] += h * k[i];
    return x;
  };
  State x = {1.0, 1.5, 0, 0};
  const double h = 1e-3;
  for (int step = 0; step < 2000; ++step) {
    const State k1 = rate(x), k2 = rate(moved(x, h / 2, k1)), k3 = rate(moved(x, h / 2, k2)),
                k4 = rate(moved(x, h, k3));
    for (std::size_t i = 0; i < 4; ++i) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  EXPECT_NEAR(s.q()[0], x[0], 1e-8);
  EXPECT_NEAR(s.q()[0] + s.q()[1], x[1], 1e-8);
}

TEST(Damping, SlidingBlockSlowsDownExponentially) {
  const Model model = OneJoint{.joint = {.type = JointType::prismatic, .damping = 3}}.build();
  Simulation<double> s(model, {.dt = 1e-3, .integrator = Integrator::rk4});
  s.v()[0] = 1;
  run(s, 1000);
  EXPECT_NEAR(s.v()[0], std::exp(-3.0 / 2 * s.time()), 1e-12);
  EXPECT_NEAR(s.q()[0], (1 - std::exp(-3.0 / 2 * s.time())) * 2 / 3, 1e-12);
}

TEST(Friction, SlidingBlockStopsAfterTheKnownWay) {
  const Model model = OneJoint{.joint = {.type = JointType::prismatic, .friction = 4}}.build();
  Simulation<double> s(model, {.dt = 1e-4});
  s.v()[0] = 1;
  for (int k = 0; k < 10000; ++k) {
    s.step();
    ASSERT_GE(s.v()[0], 0) << "friction pushed the block back at step " << k;
  }
  EXPECT_NEAR(s.q()[0], 1.0 / (2 * 4.0 / 2), 2e-4);  // v^2 / (2 friction / m)
  EXPECT_LT(s.v()[0], 1e-9);
}

TEST(Spring, OscillatesAboutItsRest) {
  const Model model = OneJoint{.joint = {.type = JointType::prismatic, .stiffness = 50, .rest = 0.25}}.build();
  Simulation<double> s(model, {.dt = 1e-3, .integrator = Integrator::rk4});
  run(s, 1500);
  EXPECT_NEAR(s.q()[0], 0.25 - 0.25 * std::cos(5 * s.time()), 1e-10);
}

TEST(Mimic, FollowerTurnsWithItsGear) {
  // a wheel (0.3 kg m^2) that drives a second one (0.1 kg m^2) four times as fast: 0.3 + 16 * 0.1
  ModelBuilder builder("gear");
  builder.link({.name = "base"});
  builder.link({.name = "slow", .mass = 1, .inertia = {1, 0, 0, 1, 0, 0.3}});
  builder.link({.name = "fast", .mass = 1, .inertia = {1, 0, 0, 1, 0, 0.1}});
  builder.joint({.name = "drive", .type = JointType::continuous, .parent = "base", .child = "slow", .axis = {0, 0, 1}});
  builder.joint({.name = "driven",
                 .type = JointType::continuous,
                 .parent = "base",
                 .child = "fast",
                 .axis = {0, 0, 1},
                 .mimic = "drive",
                 .multiplier = 4});
  Simulation<double> s(builder.build(), {.dt = 1e-3, .integrator = Integrator::rk4});
  const double torque[] = {1.9};
  for (int k = 0; k < 1000; ++k) s.step(torque);
  EXPECT_NEAR(s.v()[0], 1, 1e-12);
  EXPECT_NEAR(s.q()[0], 0.5, 1e-12);
}

}  // namespace
}  // namespace tandem::test
