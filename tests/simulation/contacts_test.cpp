// SPDX-License-Identifier: Apache-2.0
/// Simulations with contacts: closed forms of a ball, what a step keeps, and what is refused. Trajectories are compared
/// with MuJoCo's in tests/python/test_contact_simulation.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "rows_as_alone.hpp"
#include "support/property.hpp"
#include "touching_robots.hpp"

namespace tandem::test {
namespace {

template <class T>
class ContactSimulation : public ::testing::Test {};
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

/// Fingers with a soft loop joint between their tips, a body that a loop joint holds to one of them and to the
/// world, and a coupler; with and without columns over joints.
Model held_fingers(bool with_coupler) {
  ModelBuilder builder = describe(fingers());
  if (!with_coupler) builder.remove_tendon("coupling");
  builder.loop({.name = "tips",
                .type = JointType::spherical,
                .link_1 = "one",
                .link_2 = "two",
                .placement_1 = {.position = {0.1, 0, -0.2}},
                .placement_2 = {.position = {-0.1, 0, -0.175}}});
  builder.link({.name = "free", .mass = 0.3, .inertia = {0.01, 0, 0, 0.01, 0, 0.01}});
  builder.joint({.name = "free", .type = JointType::free, .parent = "world", .child = "free"});
  builder.loop({.name = "hung",
                .type = JointType::fixed,
                .link_1 = "free",
                .link_2 = "one",
                .placement_2 = {.position = {0, 0.1, -0.3}},
                .softness = {.solref = {0.1, 0.7}},
                .torque_scale = 0.3});
  builder.loop({.name = "on_rail",
                .type = JointType::prismatic,
                .link_1 = "world",
                .link_2 = "free",
                .axis = {1, 0, 0},
                .softness = {.solref = {0.2, 1}}});
  if (with_coupler)
    builder.coupler(
        {.name = "follows", .first = "root_one", .second = "root_two", .polynomial = {0.01, -1, 0.5, 0, 0}});
  return builder.build();
}

TYPED_TEST(ContactSimulation, HeldRobotsOfAnyBatchMoveAsEachAlone) {
  for (const bool with_coupler : {false, true})
    for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
      SCOPED_TRACE(std::string(to_string(integrator)) + (with_coupler ? " with a coupler" : ""));
      const Model hand = held_fingers(with_coupler);
      SimulationOptions options = with_contacts(hand);
      options.integrator = integrator;
      expect_rows_as_alone<TypeParam>(hand, options, 0, -0.02, 0.02);
    }
}

/// Every batch of states has forces of loop joints and couplers of one state.
TEST(ContactStates, ForcesOfLoopsAndCouplersAreThoseOfOneAlone) {
  const Model model = held_fingers(true);
  const ContactDynamics dynamics{ContactSet(model)};
  std::vector<double> q(static_cast<std::size_t>(model.nq())), v(static_cast<std::size_t>(model.nv()), 0.1);
  q[8] = 1;
  const ContactAcceleration one = dynamics(q, v, v);
  ASSERT_EQ(one.f_loop.size(), 3U);
  ASSERT_EQ(one.f_coupler.size(), 1U);
  for (const std::size_t n : {2U, 7U, 33U}) {
    std::vector<double> qs, vs;
    for (std::size_t b = 0; b < n; ++b) {
      qs.insert(qs.end(), q.begin(), q.end());
      vs.insert(vs.end(), v.begin(), v.end());
    }
    std::vector<double> a(vs.size()), f_loop(18 * n), f_coupler(n);
    const auto states = static_cast<Index>(n);
    dynamics({.n = states, .q = qs, .v = vs, .tau = vs, .a = a, .f_loop = f_loop, .f_coupler = f_coupler});
    for (std::size_t b = 0; b < n; ++b) {
      EXPECT_EQ(f_coupler[b], one.f_coupler[0]);
      for (std::size_t k = 0; k < 18; ++k) EXPECT_EQ(f_loop[18 * b + k], one.f_loop[k / 6][k % 6]);
    }
  }
}

TYPED_TEST(ContactSimulation, RobotsOfAnyBatchMoveAsEachAlone) {
  const Model ball = ball_on_floor(), hand = fingers();
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
    SCOPED_TRACE(to_string(integrator));
    SimulationOptions options = with_contacts(ball);
    options.integrator = integrator;
    expect_rows_as_alone<TypeParam>(ball, options, 2, 0.0995, 0.002);
    options.contacts = ContactSet(hand);
    Simulation<TypeParam> one(hand, options);
    one.q()[0] = TypeParam(-0.02);
    one.step();
    EXPECT_GE(std::ranges::count_if(one.contact_forces(), [](double f) { return f > 0; }), 2) << "the robot touches";
    expect_rows_as_alone<TypeParam>(hand, options, 0, -0.02, 0.02);
  }
}

/// Shapes whose contacts are computed lane by lane, behind tests of all lanes.
TYPED_TEST(ContactSimulation, ConvexShapesOfAnyBatchMoveAsEachAlone) {
  const Model model = stamp();
  SimulationOptions options = with_contacts(model);
  Simulation<TypeParam> one(model, options);
  one.q()[2] = TypeParam(-0.004);
  one.step();
  EXPECT_GE(std::ranges::count_if(one.contact_forces(), [](double f) { return f > 0; }), 8) << "the robot touches";
  expect_rows_as_alone<TypeParam>(model, options, 2, -0.004, 0.002, 2);
}

/// In arrays of exactly their sizes.
TEST(ContactStates, OfConvexShapesHaveTheBitsOfOneAlone) {
  const Model model = stamp();
  const ContactSet set(model);
  const ContactDynamics dynamics{set};
  const auto slots = static_cast<std::size_t>(set.n_slots());
  constexpr std::size_t kinds = 6;
  std::vector<std::vector<double>> q(kinds, {0, 0, 0, 0, 0, 0, 1}), v(kinds, {0, 0, 0.1, 0, 0.2, 0});
  std::vector<ContactAcceleration> alone;
  for (std::size_t k = 0; k < kinds; ++k) {
    q[k][2] = 0.002 * static_cast<double>(k) - 0.006;
    alone.push_back(dynamics(q[k], v[k], std::vector<double>(6)));
  }
  for (const std::size_t n : {1U, 2U, 7U, 64U, 300U}) {
    SCOPED_TRACE(std::to_string(n) + " states");
    std::vector<double> qs, vs;
    for (std::size_t b = 0; b < n; ++b) {
      qs.insert(qs.end(), q[b % kinds].begin(), q[b % kinds].end());
      vs.insert(vs.end(), v[b % kinds].begin(), v[b % kinds].end());
    }
    qs.shrink_to_fit();
    vs.shrink_to_fit();
    const std::vector<double> tau(6 * n);
    std::vector<double> a(6 * n), contact(6 * slots * n);
    const auto states = static_cast<Index>(n);
    dynamics({.n = states, .threads = 2, .q = qs, .v = vs, .tau = tau, .a = a, .f_contact = contact});
    for (std::size_t b = 0; b < n; ++b) {
      const ContactAcceleration& one = alone[b % kinds];
      for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(a[6 * b + k], one.a[k]) << b;
      for (std::size_t k = 0; k < 6 * slots; ++k)
        EXPECT_EQ(contact[6 * slots * b + k], one.f_contact[k / 6][k % 6]) << b;
    }
  }
}

/// Beside one that has NaN or infinity for a position all others have the bits that they have alone.
TEST(ContactStates, NumbersThatAreNoneStayInTheirState) {
  const Model model = stamp();
  const ContactDynamics dynamics{ContactSet(model)};
  const std::vector<double> q = {0, 0, -0.002, 0, 0, 0, 1}, v(6);
  const ContactAcceleration alone = dynamics(q, v, v);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e300}) {
    constexpr std::size_t n = 17, spoilt = 5;
    std::vector<double> qs, a(6 * n);
    for (std::size_t b = 0; b < n; ++b) qs.insert(qs.end(), q.begin(), q.end());
    qs[7 * spoilt + 2] = bad;
    const std::vector<double> vs(6 * n);
    dynamics({.n = Index{n}, .q = qs, .v = vs, .tau = vs, .a = a});
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t k = 0; b != spoilt && k < 6; ++k) EXPECT_EQ(a[6 * b + k], alone.a[k]) << b;
  }
}

/// States in batches with and without whole packs.
TEST(ContactStates, OfAnyNumberHaveTheNumbersOfOneAlone) {
  const Model model = ball_on_floor();
  const ContactDynamics dynamics{ContactSet(model)};
  const std::vector<double> q = {0, 0, 0.0995, 0, 0, 0, 1}, v = {0.5, 0, -0.1, 0, 1, 0}, tau(6, 0.1), wrenches(12, 0.2);
  for (const Index n : {1, 2, 7, 64, 300})
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(std::to_string(n) + " states, threads: " + std::to_string(threads));
      const auto all = static_cast<std::size_t>(n);
      const auto repeated = [&](const std::vector<double>& one) {
        std::vector<double> many;
        for (std::size_t b = 0; b < all; ++b) many.insert(many.end(), one.begin(), one.end());
        return many;
      };
      const std::vector<double> qs = repeated(q), vs = repeated(v), taus = repeated(tau), of_links = repeated(wrenches);
      std::vector<double> a(6 * all), limit(6 * all), friction(6 * all), contact(6 * all);
      std::vector<std::uint8_t> converged(all);
      std::vector<std::int32_t> steps(all);
      dynamics({.n = n,
                .threads = threads,
                .q = qs,
                .v = vs,
                .tau = taus,
                .f_ext = of_links,
                .a = a,
                .f_limit = limit,
                .f_friction = friction,
                .f_contact = contact,
                .converged = converged,
                .steps = steps});
      // m (a + w x v) = f on a ball: its weight, the forces of its joint, the wrench, and the contact from below, whose
      // tangents are unit vectors in the floor; w x v = (-0.1, 0, -0.5)
      EXPECT_NEAR(a[2] - 0.5, -weight_per_mass + (0.1 + 0.2 + contact[0]) / 2, 1e-9);
      EXPECT_NEAR(std::hypot(2 * (a[0] - 0.1) - 0.3, 2 * a[1] - 0.3), std::hypot(contact[1], contact[2]), 1e-9);
      EXPECT_GT(contact[0], 0);
      EXPECT_THAT(converged, testing::Each(1));
      for (const auto* x : {&a, &limit, &friction, &contact})
        for (std::size_t k = 0; k < x->size(); ++k) EXPECT_EQ((*x)[k], (*x)[k % 6]) << k;
    }
}

TEST(Runs, RobotsOfAnyBatchMoveAsEachAlone) { expect_rows_as_alone<double>(load("arm7"), {}, 1, 1.79, 0.01); }

TEST(ContactSimulations, InstancesAreSteppedAsIfAlone) {
  const Model model = ball_on_floor();
  for (const FrictionCone cone : {FrictionCone::elliptic, FrictionCone::pyramidal, FrictionCone::disc}) {
    SCOPED_TRACE(to_string(cone));
    SimulationOptions of_one = with_contacts(model);
    of_one.contact_dynamics.cone = cone;
    SimulationOptions options = of_one;
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
      Simulation<double> alone(model, of_one);
      alone.q()[2] = 0.1 + 0.02 * static_cast<double>(b);
      alone.v()[0] = static_cast<double>(b);
      for (int k = 0; k < (b == 3 || b == 1 ? 100 : 50); ++k) alone.step();
      for (std::size_t k = 0; k < 7; ++k) EXPECT_EQ(many.q()[7 * b + k], alone.q()[k]);
      EXPECT_EQ(many.contact_force(1, static_cast<Index>(b)), alone.contact_force(1));
    }
    many.reset(Index{3});
    EXPECT_FALSE(many.touches(1, 3));
  }
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
  EXPECT_THAT(message([](SimulationOptions& o) { o.integrator = Integrator::implicit_midpoint; }, model),
              HasSubstr("contacts are simulated by semi_implicit_euler and rk4; integrator is implicit_midpoint"));
  EXPECT_THAT(message(
                  [](SimulationOptions& o) {
                    o.integrator = Integrator::rk4;
                    o.contact_damping = ContactDamping::within;
                  },
                  model),
              HasSubstr("contacts have joint damping in every stage of rk4"));
  EXPECT_THAT(message([](SimulationOptions& o) { o.dynamics.method = Method::composite_rigid_body; }, model),
              HasSubstr("contacts are solved by articulated_body"));
  EXPECT_THAT(message([](SimulationOptions& o) { o.contact_dynamics.time_step = 0.5; }, model),
              HasSubstr("contacts have the time step 0.5 s"));
  EXPECT_THAT(message([](SimulationOptions&) {}, load("arm7")), HasSubstr("contacts are those of another robot, ball"));
  EXPECT_THAT(message(
                  [](SimulationOptions& o) {
                    o.integrator = Integrator::rk4;
                    o.contact_dynamics.cone = FrictionCone::disc;
                  },
                  model),
              HasSubstr("disc needs the normal forces of the step before"));
  const Model held = held_fingers(true);
  EXPECT_THAT(message([&](SimulationOptions& o) { o.contacts = ContactSet(held.without_loops()); }, held),
              HasSubstr("contacts are those of a robot with 0 loop joints; fingers has 3"));
  Simulation<double> without(model);
  EXPECT_THROW(without.contact_force(1), Error);
}

}  // namespace
}  // namespace tandem::test
