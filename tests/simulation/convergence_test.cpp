// SPDX-License-Identifier: Apache-2.0
/// How fast errors fall as steps get shorter: order 1 for semi-implicit Euler, 2 for the midpoint, 4 for Runge-Kutta.
#include <gtest/gtest.h>

#include "robots.hpp"

namespace tandem::test {
namespace {

/// Three bodies on planar joints whose planes differ.
Model planar_chain() {
  ModelBuilder builder("planar_chain");
  builder.link({.name = "link0"});
  const std::array<double, 3> normals[] = {{0, 0, 1}, {1, 0, 0}, {0, 0.6, 0.8}};
  for (int k = 1; k <= 3; ++k) {
    const std::string name = "link" + std::to_string(k);
    builder.link({.name = name, .mass = 1.0 + k, .com = {0.1, 0.2, -0.1}, .inertia = {0.2, 0.01, 0, 0.3, 0.02, 0.25}});
    builder.joint({.name = "joint" + std::to_string(k),
                   .type = JointType::planar,
                   .parent = "link" + std::to_string(k - 1),
                   .child = name,
                   .placement = {.position = {0.3, 0, 0.1}},
                   .axis = normals[k - 1]});
  }
  return builder.build();
}

struct Case {
  const char* name;
  Model (*model)();
  double dt;  ///< s, of the longest steps
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }  // the test's name

const Case cases[] = {
    {"arm7", [] { return load("arm7"); }, 4e-3},
    {"quadruped", [] { return load("quadruped"); }, 6e-3},
    {"rope", [] { return load("rope:3"); }, 4e-3},
    {"bending_rope", [] { return load("rope:3:bending"); }, 2e-3},
    {"snake", [] { return load("snake:4"); }, 4e-3},
    {"tree", [] { return load("tree:8", {}, 3); }, 4e-3},
    {"planar", planar_chain, 8e-3},
};

class Convergence : public testing::TestWithParam<Case> {};

/// log2 of the error's ratio when every step is halved, after a tenth of a second.
template <class Error>
double slope(Integrator integrator, double dt, Error&& error) {
  const int steps = static_cast<int>(std::lround(0.096 / dt));
  return std::log2(error(integrator, dt, steps) / error(integrator, dt / 2, 2 * steps));
}

TEST_P(Convergence, StateErrorFallsWithTheOrder) {
  const Case& c = GetParam();
  const Model model = c.model();
  const double dt = c.dt;
  auto exact = lossless(model, Integrator::rk4, dt / 64);
  run(exact, static_cast<int>(std::lround(0.096 / dt)) * 64);
  const auto error = [&](Integrator integrator, double h, int steps) {
    auto s = lossless(model, integrator, h);
    run(s, steps);
    return distance(s, exact);
  };
  const double euler = slope(Integrator::semi_implicit_euler, dt / 4, error), rk4 = slope(Integrator::rk4, dt, error);
  const double midpoint = slope(Integrator::implicit_midpoint, dt / 4, error);
  RecordProperty("slope_semi_implicit_euler", std::to_string(euler));
  RecordProperty("slope_rk4", std::to_string(rk4));
  EXPECT_NEAR(euler, 1, 0.15);
  EXPECT_NEAR(rk4, 4, 0.4);
  EXPECT_NEAR(midpoint, 2, 0.1);
}

TEST_P(Convergence, EnergyDriftFallsWithTheOrder) {
  const Case& c = GetParam();
  const Model model = c.model();
  // the largest drift on the way: at one moment alone it may pass through zero
  const auto drift = [&](Integrator integrator, double h, int steps) {
    auto s = lossless(model, integrator, h);
    const double start = total_energy(s);
    double largest = 0;
    for (int k = 0; k < steps; ++k) {
      s.step();
      largest = std::max(largest, std::abs(total_energy(s) - start));
    }
    return largest;
  };
  EXPECT_NEAR(slope(Integrator::semi_implicit_euler, c.dt / 4, drift), 1, 0.2);
  EXPECT_GT(slope(Integrator::rk4, c.dt, drift), 3.5);
}

INSTANTIATE_TEST_SUITE_P(Robots, Convergence, testing::ValuesIn(cases));

TEST(LongRun, EnergyOfAPendulumStaysNearItsStart) {
  // constant inertia: there semi-implicit Euler is symplectic, and its energy error does not grow
  const Model model = OneJoint{.joint = {.type = JointType::continuous, .axis = {1, 0, 0}}}.build();
  Simulation<double> s(model, {.dt = 1e-3});
  s.q()[0] = 2;
  const double start = total_energy(s);
  double early = 0, late = 0;
  for (int k = 0; k < 100000; ++k) {
    s.step();
    double& largest = k < 10000 ? early : late;
    largest = std::max(largest, std::abs(total_energy(s) - start));
  }
  EXPECT_LT(late, 1.01 * early);
}

}  // namespace
}  // namespace tandem::test
