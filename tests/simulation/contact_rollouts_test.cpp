// SPDX-License-Identifier: Apache-2.0
/// Rollouts with contacts: what they report, and what is refused. Trajectories are compared with MuJoCo's in
/// tests/python/test_contact_rollout.py, bits with those of simulations in same_bits_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "rollout/contacts.hpp"
#include "tandem/api/rollout_gradient.hpp"
#include "touching_robots.hpp"

namespace tandem::test {
namespace {

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

/// Device cuda, before a GPU is looked for.
TEST(ContactRollouts, NamePairsThatAGpuDoesNotCompute) {
  ModelBuilder builder("two");
  builder.link({.name = "world"}).shape({.name = "floor", .link = "world", .type = ShapeType::plane});
  for (const char* name : {"egg", "drum"}) {
    builder.link({.name = name, .mass = 1, .inertia = {0.01, 0, 0, 0.01, 0, 0.01}});
    builder.joint({.name = std::string(name) + "_root", .type = JointType::free, .parent = "world", .child = name});
    builder.shape({.name = name,
                   .link = name,
                   .type = std::string_view(name) == "egg" ? ShapeType::ellipsoid : ShapeType::cylinder,
                   .size = {0.1, 0.1, 0.2}});
  }
  const Model model = builder.build();
  const auto message = [&](const ContactSet& set, const ContactDynamicsOptions& how) -> std::string {
    std::optional<ContactDynamics> last;
    try {
      step_contacts("rollout", model, {.contacts = set, .contact_dynamics = how}, false, last, {Device::cuda});
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(ContactSet(model), {}),
            "rollout: contacts of shape \"egg\" (ellipsoid) with shape \"drum\" (cylinder) are computed by support "
            "functions, which do not run on a GPU; use device cpu, or a ContactSet without such pairs");
  EXPECT_EQ(message(ContactSet(model, {.self_contact = false}), {.max_contacts = 4}), "no error");
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
  EXPECT_THAT(message([](O& o, A&) { o.contact_dynamics.max_contacts = 4; }, roll),
              HasSubstr("max_contacts and max_contact_columns are for device cuda"));
  std::vector<double> seed(6), by(6);
  EXPECT_THAT(message([](O&, A&) {}, [&](const O& how, const A& a, auto& work) {
                RolloutGradientArrays<double> gradients;
                gradients.of_q = Array<double>::input(seed.data(), 0);
                gradients.by_q0 = Array<double>::output(by.data(), 6);
                rollout_gradient<double>(model, a, gradients, one, work, how);
              }),
              HasSubstr("rollout_gradient: contacts are not differentiated"));
}

}  // namespace
}  // namespace tandem::test
