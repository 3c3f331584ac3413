// SPDX-License-Identifier: Apache-2.0
/// Simulations with contacts: closed forms of a ball, what a step keeps, and what is refused. Trajectories are compared
/// with MuJoCo's in tests/python/test_contact_simulation.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "robots.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::test {
namespace {

constexpr double weight_per_mass = 9.81;

Model ball_on_floor() {
  ModelBuilder builder("ball");
  builder.link({.name = "world"}).link({.name = "ball", .mass = 2, .inertia = {0.008, 0, 0, 0.008, 0, 0.008}});
  builder.joint({.name = "root", .type = JointType::free, .parent = "world", .child = "ball"});
  builder.shape({.name = "floor", .link = "world", .type = ShapeType::plane});
  builder.shape({.name = "skin", .link = "ball", .type = ShapeType::sphere, .size = {0.1, 0, 0}});
  return builder.build();
}

SimulationOptions with_contacts(const Model& model) {
  SimulationOptions options;
  options.contacts = ContactSet(model);
  return options;
}

template <class T>
class ContactSimulation : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(ContactSimulation, Reals);

TYPED_TEST(ContactSimulation, ABallComesToRestUnderItsWeight) {
  const Model model = ball_on_floor();
  Simulation<TypeParam> simulation(model, with_contacts(model));
  simulation.q()[2] = TypeParam(0.3);
  for (int k = 0; k < 2000; ++k) simulation.step();
  EXPECT_NEAR(double{simulation.q()[2]}, 0.1, 1e-3);
  EXPECT_LT(std::abs(double{simulation.v()[2]}), 1e-4);
  const int link = model.link_index("ball");
  EXPECT_TRUE(simulation.touches(link));
  EXPECT_NEAR(simulation.contact_force(link)[2], 2 * weight_per_mass, 1e-2);
  EXPECT_NEAR(simulation.contact_force(0)[2], -2 * weight_per_mass, 1e-2);
  EXPECT_NEAR(simulation.contact_forces()[0], 2 * weight_per_mass, 1e-2);
  // what it fell, the contact took
  EXPECT_NEAR(simulation.contact_tally().taken, 2 * weight_per_mass * 0.2, 0.05);
  EXPECT_NEAR(simulation.dissipated(), simulation.contact_tally().taken, 1e-9);
  EXPECT_EQ(simulation.contact_tally().solutions, 2000);
  EXPECT_EQ(simulation.contact_tally().not_converged, 0);
  EXPECT_EQ(simulation.divergence(), nullptr);
}

TYPED_TEST(ContactSimulation, ASnapshotGoesOnWithTheSameBits) {
  const Model model = ball_on_floor();
  Simulation<TypeParam> one(model, with_contacts(model)), other(model, with_contacts(model));
  one.q()[2] = TypeParam(0.12);
  one.v()[0] = TypeParam(1);
  for (int k = 0; k < 100; ++k) one.step();
  other.restore(one.snapshot());
  EXPECT_EQ(one.contact_force(1), other.contact_force(1));
  for (int k = 0; k < 100; ++k) one.step(), other.step();
  EXPECT_TRUE(std::equal(one.q().begin(), one.q().end(), other.q().begin()));
  EXPECT_TRUE(std::equal(one.v().begin(), one.v().end(), other.v().begin()));
}

TEST(ContactSimulations, InstancesAreSteppedAsIfAlone) {
  const Model model = ball_on_floor();
  SimulationOptions options = with_contacts(model);
  options.batch = 5;
  Simulation<double> many(model, options);
  for (std::size_t b = 0; b < 5; ++b) {
    many.q()[7 * b + 2] = 0.1 + 0.02 * static_cast<double>(b);
    many.v()[6 * b] = static_cast<double>(b);
  }
  const std::vector<Index> some = {3, 1};
  for (int k = 0; k < 50; ++k) many.step();
  for (int k = 0; k < 50; ++k) many.step({}, {}, some);
  for (std::size_t b = 0; b < 5; ++b) {
    Simulation<double> alone(model, with_contacts(model));
    alone.q()[2] = 0.1 + 0.02 * static_cast<double>(b);
    alone.v()[0] = static_cast<double>(b);
    for (int k = 0; k < (b == 3 || b == 1 ? 100 : 50); ++k) alone.step();
    for (std::size_t k = 0; k < 7; ++k) EXPECT_EQ(many.q()[7 * b + k], alone.q()[k]);
    EXPECT_EQ(many.contact_force(1, static_cast<Index>(b)), alone.contact_force(1));
  }
  many.reset(Index{3});
  EXPECT_FALSE(many.touches(1, 3));
}

TEST(ContactSimulations, NameWhatTheyDoNotServe) {
  const Model model = ball_on_floor();
  const auto message = [&](auto&& change, const Model& of) -> std::string {
    SimulationOptions options = with_contacts(model);
    change(options);
    try {
      Simulation<double> refused(of, options);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message([](SimulationOptions& o) { o.integrator = Integrator::rk4; }, model),
              HasSubstr("contacts are simulated by semi_implicit_euler; integrator is rk4"));
  EXPECT_THAT(message([](SimulationOptions& o) { o.dynamics.method = Method::composite_rigid_body; }, model),
              HasSubstr("contacts are solved by articulated_body"));
  EXPECT_THAT(message([](SimulationOptions& o) { o.contact_dynamics.time_step = 0.5; }, model),
              HasSubstr("contacts have the time step 0.5 s"));
  EXPECT_THAT(message([](SimulationOptions&) {}, load("arm7")), HasSubstr("contacts are those of another robot, ball"));
  Simulation<double> without(model);
  EXPECT_THROW(without.contact_force(1), Error);
}

}  // namespace
}  // namespace tandem::test
