// SPDX-License-Identifier: Apache-2.0
/// Simulations with contacts: closed forms of a ball, what a step keeps, and what is refused. Trajectories are compared
/// with MuJoCo's in tests/python/test_contact_simulation.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

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

/// Robots in batches with and without whole packs move as each of them alone: neighbours differ, by `apart` in `row` of
/// q. Arrays have exactly their size.
template <class T>
void expect_rows_as_alone(const Model& model, SimulationOptions options, std::size_t row, double at, double apart) {
  constexpr std::size_t kinds = 3;
  const auto nq = static_cast<std::size_t>(model.nq()), nv = static_cast<std::size_t>(model.nv());
  const auto start = [&](std::size_t b) { return static_cast<T>(at + apart * static_cast<double>(b % kinds)); };
  std::vector<Simulation<T>> alone;
  for (std::size_t b = 0; b < kinds; ++b) {
    Simulation<T>& one = alone.emplace_back(model, options);
    one.q()[row] = start(b);
    one.v()[0] = 1;
    one.run(20, std::vector<T>(nv, T(0.1)));
  }
  for (const Index n : {1, 2, 7, 64, 300})
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(std::to_string(n) + " robots, threads: " + std::to_string(threads));
      options.batch = n;
      options.threads = threads;
      Simulation<T> together(model, options);
      const auto all = static_cast<std::size_t>(n);
      for (std::size_t b = 0; b < all; ++b) {
        together.q()[b * nq + row] = start(b);
        together.v()[b * nv] = 1;
      }
      together.run(20, std::vector<T>(all * nv, T(0.1)));
      for (std::size_t b = 0; b < all; ++b) {
        EXPECT_TRUE(std::ranges::equal(together.q().subspan(b * nq, nq), alone[b % kinds].q())) << b;
        EXPECT_TRUE(std::ranges::equal(together.v().subspan(b * nv, nv), alone[b % kinds].v())) << b;
      }
    }
}

/// Two fingers above a floor, coupled by a tendon at its limit, that touch each other and, the second one, the floor.
Model fingers() {
  ModelBuilder builder("fingers");
  builder.link({.name = "world"});
  builder.shape({.name = "floor", .link = "world", .type = ShapeType::plane});
  for (const auto& [name, x] : {std::pair{"one", -0.1}, {"two", 0.1}}) {
    builder.link({.name = name, .mass = 0.5, .com = {0, 0, -0.2}, .inertia = {0.01, 0, 0, 0.01, 0, 0.01}});
    builder.joint({.name = std::string("root_") + name,
                   .type = JointType::revolute,
                   .parent = "world",
                   .child = name,
                   .placement = {.position = {x, 0, x < 0 ? 0.32 : 0.295}},
                   .axis = {0, 1, 0},
                   .lower = -1,
                   .upper = 1,
                   .damping = 0.01,
                   .friction = 0.01,
                   .stiffness = 0.5});
    builder.shape({.name = std::string("tip_") + name,
                   .link = name,
                   .type = ShapeType::capsule,
                   .placement = {.position = {0, 0, -0.2}},
                   .size = {0.098, 0.001, 0}});
  }
  builder.tendon({.name = "coupling", .joints = {{"root_one", 1}, {"root_two", -1}}, .lower = -0.2, .upper = 0.005});
  return builder.build();
}

/// The same fingers with a soft loop joint between their tips, a body that a loop joint holds to one of them and to the
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
  const Model held = held_fingers(true);
  EXPECT_THAT(message([&](SimulationOptions& o) { o.contacts = ContactSet(held.without_loops()); }, held),
              HasSubstr("contacts are those of a robot with 0 loop joints; fingers has 3"));
  Simulation<double> without(model);
  EXPECT_THROW(without.contact_force(1), Error);
}

/// Balls that fall on a floor, the last of which starts where it is not.
TEST(ContactRollouts, ReportForcesAndStatisticsAsSimulationsDo) {
  const Model model = ball_on_floor();
  constexpr std::size_t n = 5;
  constexpr Index steps = 300;
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
    SCOPED_TRACE(to_string(integrator));
    SimulationOptions options = with_contacts(model);
    options.integrator = integrator;
    options.batch = n;
    Simulation<double> simulation(model, options);
    std::vector<double> q(7 * n), v(6 * n), forces(6 * n, 1.0);
    for (std::size_t b = 0; b < n; ++b) {
      q[7 * b + 2] = 0.1 + 0.03 * static_cast<double>(b);
      q[7 * b + 6] = 1;
    }
    std::ranges::copy(q, simulation.q().begin());
    simulation.run(steps);
    q[7 * (n - 1)] = std::nan("");
    std::vector<ContactTally> tallies(n);
    std::vector<Status> status(n);
    RolloutArrays<double> a;
    a.q0 = a.q = Array<double>::output(q.data(), 7);
    a.v = Array<double>::output(v.data(), 6);
    a.contact_forces = forces;
    a.contact_tally = tallies;
    Workspace<double> work;
    const RolloutOptions how = {.steps = steps, .integrator = integrator, .contacts = ContactSet(model)};
    rollout<double>(model, a, Batch<double>(Index{n}, 1, status), work, how);
    for (std::size_t b = 0; b + 1 < n; ++b) {
      const ContactTally& expected = simulation.contact_tally(static_cast<Index>(b));
      EXPECT_TRUE(std::ranges::equal(std::span(forces).subspan(6 * b, 6),
                                     simulation.contact_forces(static_cast<Index>(b))));
      EXPECT_EQ(tallies[b].solutions, integrator == Integrator::rk4 ? 4 * steps : steps);
      EXPECT_EQ(tallies[b].steps, expected.steps);
      EXPECT_EQ(tallies[b].not_converged, expected.not_converged);
      EXPECT_EQ(tallies[b].taken, expected.taken);
      EXPECT_EQ(status[b], Status::ok);
    }
    EXPECT_GT(forces[0], weight_per_mass);
    EXPECT_EQ(status[n - 1], Status::non_finite);
    EXPECT_EQ(forces[6 * (n - 1)], 0);
    EXPECT_EQ(tallies[n - 1].solutions, 0);
  }
}

/// A limit of one Newton step is reported.
TEST(ContactRollouts, CountStepsThatDidNotConverge) {
  const Model model = fingers();
  std::vector<double> q = {0.3, -0.3}, v = {5, -5};
  std::vector<ContactTally> tallies(1);
  RolloutArrays<double> a;
  a.q0 = a.q = Array<double>::output(q.data(), 2);
  a.v0 = a.v = Array<double>::output(v.data(), 2);
  a.contact_tally = tallies;
  Workspace<double> work;
  RolloutOptions how = {.steps = 20, .contacts = ContactSet(model)};
  how.contact_dynamics.most_steps = 1;
  how.contact_dynamics.tolerance = 1e-9;
  rollout<double>(model, a, Batch<double>(1, 1), work, how);
  EXPECT_GT(tallies[0].not_converged, 0);
  EXPECT_LE(tallies[0].not_converged, 20);
}

TEST(ContactRollouts, NameWhatTheyDoNotServe) {
  const Model model = ball_on_floor();
  const auto message = [&](auto&& change, auto&& run) -> std::string {
    std::vector<double> q = {0, 0, 0.2, 0, 0, 0, 1}, target = q, gains(6, 1.0);
    RolloutArrays<double> a;
    a.q0 = a.q = Array<double>::output(q.data(), 7);
    RolloutOptions how = {.steps = 1, .contacts = ContactSet(model)};
    Workspace<double> work;
    change(how, a);
    if (how.integrator == Integrator::rk4) {
      a.q_target = Series<double>::input(target.data(), 0, 0);
      a.kp = a.kd = Array<double>::input(gains.data(), 0);
    }
    try {
      run(how, a, work);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  using O = RolloutOptions;
  using A = RolloutArrays<double>;
  using ::testing::HasSubstr;
  const Batch<double> one(1, 1);
  const auto roll = [&](const O& how, const A& a, Workspace<double>& work) {
    rollout<double>(model, a, one, work, how);
  };
  EXPECT_THAT(message([](O& o, A&) { o.integrator = Integrator::implicit_midpoint; }, roll),
              HasSubstr("rollout: contacts are simulated by semi_implicit_euler and rk4"));
  EXPECT_THAT(message([](O& o, A&) { o.integrator = Integrator::rk4; }, roll),
              HasSubstr("a controller with contacts is simulated by semi_implicit_euler; integrator is rk4"));
  EXPECT_THAT(message([](O& o, A&) { o.dynamics.method = Method::composite_rigid_body; }, roll),
              HasSubstr("contacts are solved by articulated_body"));
  EXPECT_THAT(message([](O& o, A&) { o.specialise = Specialise::on; }, roll),
              HasSubstr("contacts are not compiled for a robot"));
  EXPECT_THAT(message([](O& o, A&) { o.contact_dynamics.time_step = 0.5; }, roll),
              HasSubstr("contacts have the time step 0.5 s, and the rollout 0.001 s"));
  EXPECT_THAT(message([](O& o, A&) { o.contacts.reset(), o.contact_damping = ContactDamping::after; }, roll),
              HasSubstr("contact_damping without contacts"));
  std::vector<double> few(1);
  EXPECT_THAT(message([&](O&, A& a) { a.contact_forces = few; }, roll),
              HasSubstr("contact_forces has 1 entries, expected 6"));
  EXPECT_THAT(message([](O&, A&) {}, [&](const O& how, const A& a, auto& work) {
                rollout<double>(model, a, one, work, how, {Device::cuda});
              }),
              HasSubstr("contacts are not simulated on a GPU"));
  std::vector<double> seed(6), by(6);
  EXPECT_THAT(message([](O&, A&) {}, [&](const O& how, const A& a, auto& work) {
                RolloutGradientArrays<double> g;
                g.of_q = Array<double>::input(seed.data(), 0);
                g.by_q0 = Array<double>::output(by.data(), 6);
                rollout_gradient<double>(model, a, g, one, work, how);
              }),
              HasSubstr("rollout_gradient: contacts are not differentiated"));
}

}  // namespace
}  // namespace tandem::test
