// SPDX-License-Identifier: Apache-2.0
/// Simulations of robots with closed loops: loops stay closed, energy stays, what cannot be closed is refused.
#include <gmock/gmock.h>

#include <cmath>

#include "support/errors.hpp"
#include "support/property.hpp"
#include "tandem/api/simulation.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

template <class T>
class LoopSimulations : public ::testing::Test {};
TYPED_TEST_SUITE(LoopSimulations, Reals);

/// How far the frames of the loop joints are apart.
template <class T>
double apart(const Model& model, std::span<const T> q) {
  Workspace<T> work;
  std::vector<T> closed(q.size());
  Options look;
  look.max_iterations = 1;
  look.tolerance = 1e3;  // looks only
  return static_cast<double>(close_loops<T>(model, q, closed, work, {}, {}, look));
}

template <class T>
double energy_of(const Model& model, Simulation<T>& s) {
  T kinetic, potential;
  Workspace<T> work;
  energy<T>(model, s.q(), s.v(), kinetic, potential, work);
  return double{kinetic} + double{potential} + s.dissipated() - s.work();
}

TYPED_TEST(LoopSimulations, KeepThemClosed) {
  using T = TypeParam;
  const Model bars = load("four_bar");
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
    Simulation<T> s(bars, {.dt = 1e-3, .integrator = integrator});
    s.v()[0] = T(4);
    for (int k = 0; k < 500; ++k) {
      s.step(std::vector<T>{T(0.5), 0, 0});
      ASSERT_EQ(s.divergence(), nullptr) << s.divergence()->what;
      ASSERT_LE(apart<T>(bars, s.q()), sizeof(T) == 8 ? 1e-12 : 1e-5);
    }
  }
}

TEST(ClosedLoopSimulations, EnergyStaysWithTheOrderOfTheMethod) {
  const Model bars = load("four_bar");
  const auto lost = [&](Integrator integrator, double dt) {
    Simulation<double> s(bars, {.dt = dt, .integrator = integrator});
    s.v()[0] = 6;
    s.step();
    const double before = energy_of(bars, s);
    for (double t = 2 * dt; t < 0.5; t += dt) s.step();
    return std::abs(energy_of(bars, s) - before);
  };
  EXPECT_LT(lost(Integrator::rk4, 2e-3), 1e-4);
  EXPECT_LT(lost(Integrator::rk4, 1e-3), lost(Integrator::rk4, 2e-3) / 6);
  EXPECT_LT(lost(Integrator::semi_implicit_euler, 1e-4), 1e-2);
  EXPECT_LT(lost(Integrator::semi_implicit_euler, 1e-4), lost(Integrator::semi_implicit_euler, 4e-4) / 2);
}

TEST(ClosedLoopSimulations, ImplicitMidpointKeepsTheEnergy) {
  Simulation<double> s(load("four_bar"), {.dt = 1e-3, .integrator = Integrator::implicit_midpoint});
  s.v()[0] = 6;
  s.step();
  const double before = energy_of(s.model(), s);
  for (int k = 0; k < 2000; ++k) {
    s.step();
    ASSERT_EQ(s.divergence(), nullptr) << s.divergence()->what;
    EXPECT_NEAR(energy_of(s.model(), s), before, 1e-9) << k;
  }
  EXPECT_LE(apart<double>(s.model(), s.q()), 1e-12);
}

TEST(ClosedLoopSimulations, AStartIsLedOntoClosedLoopsOrRefused) {
  const Model bars = load("four_bar");
  Simulation<double> s(bars);
  s.q()[0] = 0.3;
  s.v()[0] = 1;
  s.step();
  EXPECT_LE(apart<double>(bars, s.q()), 1e-12);
  EXPECT_GT(std::abs(s.q()[2]), 0.01);
  // a triangle whose sides cannot meet
  ModelBuilder b = describe("four_bar");
  b.change_loop("pin", [](auto& loop) { loop.placement_1.position = {-5, 0, 0.6}; });
  Simulation<double> torn(b.build());
  EXPECT_THAT(error_of([&] { torn.step(); }), HasSubstr("simulation: loops of robot \"four_bar\" are open"));
}

TEST(ClosedLoopSimulations, InstancesAreThoseThatRunAlone) {
  const Model bars = load("four_bar");
  Simulation<double> all(bars, {.batch = 5});
  for (std::size_t b = 0; b < 5; ++b) all.v()[3 * b] = static_cast<double>(b);
  for (int k = 0; k < 50; ++k) all.step();
  for (std::size_t b = 0; b < 5; ++b) {
    Simulation<double> one(bars);
    one.v()[0] = static_cast<double>(b);
    for (int k = 0; k < 50; ++k) one.step();
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(one.q()[k], all.q()[3 * b + k]) << b;
  }
}

}  // namespace
}  // namespace tandem::test
