// SPDX-License-Identifier: Apache-2.0
/// Divergence: it is detected, at the right joint and with advice that fits, and only where a run diverges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "robots.hpp"
#include "support/errors.hpp"

namespace tandem::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Steps until it diverges, `most` times at most.
template <class T>
const Divergence* run_until_diverged(Simulation<T>& s, int most) {
  for (int k = 0; k < most && !s.divergence(); ++k) s.step();
  return s.divergence();
}

TEST(Divergence, OfAStepThatIsFarTooLongIsSeen) {
  Simulation<double> s(load("arm7"), {.dt = 0.5, .integrator = Integrator::rk4});
  set(s.q(), random_configuration(s.model(), 1));
  set(s.v(), random_velocity(s.model(), 1));
  const Divergence* d = run_until_diverged(s, 4);
  ASSERT_TRUE(d);
  EXPECT_GE(d->joint, 1);
  EXPECT_EQ(d->time, 0.5 * static_cast<double>(d->step));
  EXPECT_THAT(d->what, HasSubstr(s.model().joint_name(d->joint)));
  EXPECT_TRUE(s.finite());
  EXPECT_LT(total_energy(s), 1e4) << "the state is the last one within reason";
}

TEST(Divergence, GoesBackAndStaysUntilTheStateIsSet) {
  Simulation<double> s(load("arm7"), {.dt = 0.5, .integrator = Integrator::rk4});
  set(s.q(), random_configuration(s.model(), 1));
  set(s.v(), random_velocity(s.model(), 1));
  const Divergence* d = run_until_diverged(s, 4);
  ASSERT_TRUE(d);
  const std::vector<double> q(s.q().begin(), s.q().end());
  const double dissipated = s.dissipated();
  const std::int64_t step = d->step;
  s.step();
  EXPECT_TRUE(std::equal(q.begin(), q.end(), s.q().begin()));
  EXPECT_EQ(s.dissipated(), dissipated);
  ASSERT_TRUE(s.divergence());
  EXPECT_EQ(s.divergence()->step, step);
  std::fill(s.q().begin(), s.q().end(), 0.0);
  std::fill(s.v().begin(), s.v().end(), 0.0);
  s.step();
  EXPECT_EQ(s.divergence(), nullptr);
}

TEST(Divergence, OfExplicitDampingNamesTheJointAndTheOtherIntegrator) {
  const Model model = OneJoint{.joint = {.type = JointType::prismatic, .damping = 100}}.build({0, 0, 0});
  Simulation<double> s(model, {.dt = 0.1, .integrator = Integrator::rk4});
  s.v()[0] = 1;
  const Divergence* d = run_until_diverged(s, 10);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->kind, Divergence::too_much_energy);
  EXPECT_THAT(d->advice, AllOf(HasSubstr("the damping of joint \"joint\" is too stiff for rk4"),
                               HasSubstr("rk4 with dt below 0.05 s")));
  Simulation<double> implicitly(model, {.dt = 0.1});
  implicitly.v()[0] = 1;
  EXPECT_FALSE(run_until_diverged(implicitly, 100));
}

TEST(Divergence, IsNotOfDryFrictionOnALightLink) {
  OneJoint wheel{.joint = {.type = JointType::continuous, .axis = {0, 1, 0}, .friction = 0.5}};
  wheel.body = {.name = "body", .mass = 1e-3, .com = {0, 0, 0}, .inertia = {1e-6, 0, 0, 1e-6, 0, 1e-6}};
  Simulation<double> s(wheel.build(), {.integrator = Integrator::rk4});
  s.v()[0] = 5e-4;  // which friction takes in a millionth of a second
  EXPECT_FALSE(run_until_diverged(s, 10));
  EXPECT_LT(std::abs(s.v()[0]), 1e-9);
}

TEST(Divergence, OfAForceThatIsTooLargeSaysSo) {
  const Model model = OneJoint{.joint = {.type = JointType::continuous, .axis = {0, 1, 0}}}.build();
  Simulation<double> s(model);
  const double push[] = {1e5};
  for (int k = 0; k < 1000 && !s.divergence(); ++k) s.step(push);
  ASSERT_TRUE(s.divergence());
  EXPECT_EQ(s.divergence()->kind, Divergence::too_fast);
  EXPECT_THAT(s.divergence()->advice, HasSubstr("driving forces have done work"));
  EXPECT_THAT(s.divergence()->what, HasSubstr("a full turn per step"));
}

TEST(Divergence, OfASingularRobotSaysSo) {
  ModelBuilder builder("light");
  builder.link({.name = "base"}).link({.name = "point", .mass = 1});  // on its own axis
  builder.joint({.name = "pin", .type = JointType::continuous, .parent = "base", .child = "point"});
  Simulation<double> s(builder.build());
  s.step();
  ASSERT_TRUE(s.divergence());
  EXPECT_TRUE(s.divergence()->singular);
  EXPECT_EQ(s.divergence()->kind, Divergence::not_finite);
  EXPECT_THAT(s.divergence()->advice, AllOf(HasSubstr("joint \"pin\" moves no inertia"), HasSubstr("armature")));
}

TEST(Divergence, OfAStateThatWasSetSaysSo) {
  Simulation<double> s(load("arm6"));
  s.v()[2] = std::numeric_limits<double>::quiet_NaN();
  s.step();
  ASSERT_TRUE(s.divergence());
  EXPECT_THAT(s.divergence()->advice, HasSubstr("a number that is not finite was set; set q and v"));
}

TEST(Divergence, HasBoundsThatCanBeSet) {
  const Model model = OneJoint{.joint = {.type = JointType::prismatic, .axis = {0, 0, 1}}}.build();
  Simulation<double> slow(model, {.max_speed = 5});
  const Divergence* d = run_until_diverged(slow, 1000);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->kind, Divergence::too_fast);
  EXPECT_EQ(d->bound, 5);
  EXPECT_NEAR(d->time, 5 / 9.81, 2e-3);
  EXPECT_THAT(d->what, HasSubstr("m/s, max_speed"));

  Simulation<double> unwatched(load("arm7"),
                               {.dt = 0.5, .integrator = Integrator::rk4, .excess = unlimited, .max_speed = unlimited});
  set(unwatched.q(), random_configuration(unwatched.model(), 1));
  set(unwatched.v(), random_velocity(unwatched.model(), 1));
  run(unwatched, 2);
  EXPECT_EQ(unwatched.divergence(), nullptr);
}

TEST(Divergence, BoundsAreChecked) {
  const auto refused = [](const SimulationOptions& options) {
    return error_of([&] { Simulation<double>(load("arm6"), options); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refused({.excess = -1}), HasSubstr("excess is -1"));
  EXPECT_THAT(refused({.excess = nan}), HasSubstr("excess is nan"));
  EXPECT_THAT(refused({.max_speed = -2}), HasSubstr("max_speed is -2"));
  EXPECT_THAT(refused({.batch = 0}), HasSubstr("batch is 0"));
  EXPECT_THAT(refused({.threads = -1}), HasSubstr("threads is -1"));
}

/// The inertia that each joint feels while the others are free.
std::vector<double> inertias(const Model& model) {
  const auto nv = static_cast<std::size_t>(model.nv());
  std::vector<double> felt(nv), unit(nv), a(nv);
  Workspace<double> work;
  for (std::size_t k = 0; k < nv; ++k) {
    unit[k] = 1;
    inverse_mass_matrix_product(model, neutral_configuration(model), unit, a, work);
    unit[k] = 0;
    felt[k] = 1 / a[k];
  }
  return felt;
}

/// Sound runs of many kinds are left alone: falls, springs, controllers, forces.
TEST(SlowDivergence, IsNotSeenWhereThereIsNone) {
  for (const char* robot : {"arm6", "arm7", "quadruped", "humanoid", "chain:10", "rope:8", "snake:6", "tree:12"})
    for (const Integrator integrator : integrators) {
      const Model model = load(robot);
      std::vector<double> gains = inertias(model), push = random_velocity(model, 8, 20);
      for (std::size_t k = 0; k < gains.size(); ++k) {
        push[k] *= gains[k];
        gains[k] *= 5;
      }
      for (const bool controlled : {false, true}) {
        SimulationOptions options = {.dt = 5e-4, .integrator = integrator};
        if (controlled) options.controller = {random_configuration(model, 5), gains, gains};
        Simulation<double> s(model, options);
        set(s.q(), random_configuration(model, 6));
        set(s.v(), random_velocity(model, 7, 2));
        for (int k = 0; k < 1500 && !s.divergence(); ++k) {
          if (k % 500 < 250)
            s.step();
          else
            s.step(push);
        }
        EXPECT_FALSE(s.divergence()) << robot << ' ' << to_string(integrator) << ' ' << s.divergence()->what << " at "
                                     << s.divergence()->time << "; " << s.divergence()->advice;
      }
    }
}

}  // namespace
}  // namespace tandem::test
