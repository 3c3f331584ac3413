// SPDX-License-Identifier: Apache-2.0
/// States that are set, reset, kept and brought back; wrenches, parameters, and many robots at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>

#include "robots.hpp"
#include "support/errors.hpp"
#include "support/many.hpp"

namespace tandem::test {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

TEST(Reset, LeadsBackToWhereItBegan) {
  Simulation<double> s(load("arm7"));
  const std::vector<double> q = random_configuration(s.model(), 1), v = random_velocity(s.model(), 2);
  set(s.q(), q);
  set(s.v(), v);
  run(s, 300);
  const std::vector<double> end = numbers(s.q());
  const double dissipated = s.dissipated();
  s.reset();
  EXPECT_EQ(numbers(s.q()), q);
  EXPECT_EQ(numbers(s.v()), v);
  EXPECT_EQ(s.time(), 0);
  EXPECT_EQ(s.steps(), 0);
  EXPECT_EQ(s.dissipated(), 0);
  run(s, 300);
  EXPECT_EQ(numbers(s.q()), end);
  EXPECT_EQ(s.dissipated(), dissipated);

  s.reset(end, {});
  EXPECT_EQ(numbers(s.q()), end);
  EXPECT_EQ(numbers(s.v()), std::vector<double>(7, 0.0));
  run(s, 3);
  s.reset();
  EXPECT_EQ(numbers(s.q()), end) << "that is where it began the second time";
}

TEST(Reset, RefusesWhatIsNoState) {
  Simulation<double> s(load("arm6"));
  const std::vector<double> six(6, 0.0), five(5, 0.0), nan(6, std::nan(""));
  EXPECT_THAT(error_of([&] { s.reset(five, {}); }), HasSubstr("5 numbers q, expected 6"));
  EXPECT_THAT(error_of([&] { s.reset(six, five); }), HasSubstr("5 numbers v, expected 6"));
  EXPECT_THAT(error_of([&] { s.reset(nan, {}); }), HasSubstr("reset expects finite numbers, q has nan"));
  EXPECT_THAT(error_of([&] { s.reset(six, {}, 1); }), HasSubstr("no instance 1, expected 0 to 0"));
  EXPECT_THAT(error_of([&] { s.set_time(std::nan("")); }), HasSubstr("time is nan"));
}

TEST(Time, CanBeSet) {
  Simulation<double> s(load("arm6"), {.dt = 0.1});
  run(s, 3);
  s.set_time(100);
  EXPECT_EQ(s.time(), 100);
  run(s, 5);
  EXPECT_EQ(s.time(), 100.5);
  EXPECT_EQ(s.steps(), 8);
}

TEST(Wrenches, OnALinkAreThoseOfForwardDynamics) {
  const Model model = load("humanoid");
  std::vector<double> f_ext(static_cast<std::size_t>(6 * model.n_links()));
  Random random(3);
  for (double& f : f_ext) f = random.uniform(-3, 3);
  Simulation<double> s(model, {.losses = false, .limits = false});
  set(s.q(), random_configuration(model, 1));
  set(s.v(), random_velocity(model, 2));
  const std::vector<double> zero(static_cast<std::size_t>(model.nv()), 0.0), v = numbers(s.v());
  std::vector<double> a(zero.size());
  Workspace<double> work;
  forward_dynamics(model, s.q(), s.v(), zero, a, work, f_ext);
  s.step({}, f_ext);
  std::vector<double> expected;
  for (std::size_t k = 0; k < a.size(); ++k) expected.push_back(v[k] + 1e-3 * a[k]);
  // the base's velocity along its new axes is stepped along axes that do not turn, with a + w x v
  const Eigen::Vector3d linear(v[0], v[1], v[2]), w(v[3], v[4], v[5]), turn(expected[3], expected[4], expected[5]);
  const Eigen::Vector3d stepped = linear + 1e-3 * (Eigen::Vector3d(a[0], a[1], a[2]) + w.cross(linear));
  Eigen::Map<Eigen::Vector3d>(expected.data()) =
      Eigen::AngleAxisd(1e-3 * turn.norm(), turn.normalized()).toRotationMatrix().transpose() * stepped;
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(s.v()[k], expected[k], 1e-12 * (1 + std::abs(a[k]))) << k;
}

TEST(Wrenches, DoWorkThatIsAccountedFor) {
  const Model model = OneJoint{.joint = {.type = JointType::free}}.build({0, 0, 0});
  for (const Integrator integrator : integrators) {
    Simulation<double> s(model, {.integrator = integrator});
    std::vector<double> f_ext(12, 0.0);
    f_ext[6] = 4;   // N along x of the body
    f_ext[11] = 1;  // N m about its z: it goes in circles
    for (int k = 0; k < 1000; ++k) s.step({}, f_ext);
    EXPECT_GT(s.work(), 1);
    EXPECT_NEAR(s.work(), total_energy(s), (integrator == Integrator::rk4 ? 1e-9 : 1e-2) * s.work());
    EXPECT_EQ(s.divergence(), nullptr);
  }
}

TEST(Parameters, AreThoseOfAModelThatHasThem) {
  OneJoint light{.joint = {.type = JointType::revolute, .axis = {0, 1, 0}, .damping = 0.3, .stiffness = 2}};
  OneJoint heavy = light;
  heavy.body.mass = 5;
  heavy.joint.damping = 1;
  heavy.joint.stiffness = 7;
  for (const Integrator integrator : integrators) {
    const Model model = heavy.build({1, 0, -5});
    Simulation<double> expected(model, {.integrator = integrator});
    std::vector<SimulationParameter> parameters = {{Parameter::mass, {0, 5}},
                                                   {Parameter::damping, {1}},
                                                   {Parameter::stiffness, {7}},
                                                   {Parameter::gravity, {1, 0, -5}}};
    Simulation<double> s(light.build(), {.integrator = integrator, .parameters = parameters});
    for (auto* each : {&s, &expected}) {
      each->q()[0] = 1;
      run(*each, 500);
    }
    EXPECT_NEAR(s.q()[0], expected.q()[0], 1e-12);
    EXPECT_NEAR(s.dissipated(), expected.dissipated(), 1e-12);
    EXPECT_GT(s.dissipated(), 0.1);
    s.set_parameters({});
    Simulation<double> without(light.build(), {.integrator = integrator});
    for (auto* each : {&s, &without}) {
      each->reset(std::vector<double>{1}, {});
      run(*each, 10);
    }
    EXPECT_EQ(s.q()[0], without.q()[0]);
  }
}

TEST(Parameters, ThatDoNotFitAreRefused) {
  const auto refused = [](std::vector<SimulationParameter> parameters) {
    return error_of([&] { Simulation<double>(load("arm6"), {.batch = 3, .parameters = parameters}); });
  };
  const std::vector<double> six(6, 1.0);
  EXPECT_THAT(refused({{Parameter::damping, {1, 2}}}), HasSubstr("parameter damping has 2 numbers, expected 6, or 3"));
  EXPECT_THAT(refused({{Parameter::damping, six}, {Parameter::damping, six}}), HasSubstr("given twice"));
  EXPECT_THAT(refused({{Parameter::gravity, {0, 0, std::nan("")}}}), HasSubstr("gravity has nan"));
  EXPECT_THAT(refused({{Parameter::friction, std::vector<double>(18, -1.0)}}), HasSubstr("friction has -1"));
  EXPECT_THAT(error_of([&] {
                Simulation<double>(load("arm6"),
                                   {.dynamics = {.method = Method::scan}, .parameters = {{Parameter::damping, six}}});
              }),
              HasSubstr("method scan does not support parameters"));
}

/// States of a batch are those of simulations of their own, to the last bit: in lanes, at stops, with forces.
TEST(Instances, MoveAsIfTheyWereAlone) {
  double stopped = 0;
  for (const char* robot : {"arm7", "tree:9", "quadruped"})
    for (const Integrator integrator : integrators) {
      const Model model = load(robot);
      constexpr Index n = 9;
      const auto nv = static_cast<std::size_t>(model.nv()), nq = static_cast<std::size_t>(model.nq());
      const std::vector<double> gains(nv, 3.0);
      SimulationOptions options = {
          .dt = 2e-3, .integrator = integrator, .controller = {neutral_configuration(model), gains, gains}, .batch = n};
      Simulation<double> together(model, options);
      std::vector<double> damping, tau;
      std::vector<Simulation<double>> alone;
      for (Index b = 0; b < n; ++b) {
        const auto seed = static_cast<std::uint64_t>(b);
        const std::vector<double> q = random_configuration(model, seed), v = random_velocity(model, seed, 20);
        std::vector<double> own(nv, 0.1 * static_cast<double>(b));
        std::copy(q.begin(), q.end(), together.q().begin() + static_cast<std::ptrdiff_t>(seed * nq));
        std::copy(v.begin(), v.end(), together.v().begin() + static_cast<std::ptrdiff_t>(seed * nv));
        damping.insert(damping.end(), own.begin(), own.end());
        const std::vector<double> push = random_velocity(model, seed + 50);
        tau.insert(tau.end(), push.begin(), push.end());
        options.batch = 1;
        options.parameters = {{Parameter::damping, own}};
        alone.emplace_back(model, options);
        set(alone.back().q(), q);
        set(alone.back().v(), v);
      }
      together.set_parameters({{Parameter::damping, damping}});
      for (int k = 0; k < many(100); ++k) together.step(tau);
      for (std::size_t b = 0; b < static_cast<std::size_t>(n); ++b) {
        for (int k = 0; k < many(100); ++k) alone[b].step(std::span<const double>(tau).subspan(b * nv, nv));
        ASSERT_EQ(numbers(together.q().subspan(b * nq, nq)), numbers(alone[b].q())) << robot << ' ' << b;
        ASSERT_EQ(together.dissipated(static_cast<Index>(b)), alone[b].dissipated());
        ASSERT_EQ(together.work(static_cast<Index>(b)), alone[b].work());
        stopped += alone[b].stopped();
      }
    }
  EXPECT_GT(stopped, 0) << "no stop was met";
}

TEST(Instances, GoOnWhenOneDiverges) {
  const Model model = load("arm7");
  Simulation<double> s(model, {.dt = 1e-2, .integrator = Integrator::rk4, .batch = 3});
  const std::vector<double> q = random_configuration(model, 1);
  for (std::size_t b = 0; b < 3; ++b) std::copy(q.begin(), q.end(), s.q().begin() + static_cast<std::ptrdiff_t>(7 * b));
  s.v()[7 + 3] = 1e6;
  run(s, 20);
  EXPECT_EQ(s.divergence(0), nullptr);
  EXPECT_EQ(s.divergence(2), nullptr);
  ASSERT_TRUE(s.divergence(1));
  EXPECT_EQ(s.v()[7 + 3], 1e6) << "the state before its first step";
  EXPECT_EQ(numbers(s.q().subspan(0, 7)), numbers(s.q().subspan(14, 7)));
  EXPECT_NE(numbers(s.q().subspan(0, 7)), q);
  s.reset(q, {}, 1);
  run(s, 20);
  EXPECT_EQ(s.divergence(1), nullptr);
  EXPECT_THAT(error_of([&] { s.divergence(3); }), HasSubstr("no instance 3, expected 0 to 2"));
}

/// The steps of a call in lanes are those of robots alone, in one call each: states, energies, and where and why robots
/// diverge, some of them in every call.
template <class T>
int diverged_in_runs(Integrator integrator, bool driven) {
  const Model model = load("arm7");
  constexpr Index n = 21;
  const auto all = static_cast<std::size_t>(n);
  // steps have larger errors
  SimulationOptions options = {.dt = 0.02, .integrator = integrator, .losses = false, .excess = 0};
  if (driven) {
    options.controller = {std::vector<double>(7, 0.2), std::vector<double>(7, 20), std::vector<double>(7, 0.1)};
    options.gravity_compensation = options.effort_limits = true;
  }
  std::vector<T> tau, wrenches(all * 48);
  for (Index k = 0; k < n * 7; ++k) tau.push_back(static_cast<T>(std::cos(static_cast<double>(k))));
  for (std::size_t k = 0; k < wrenches.size(); ++k) wrenches[k] = static_cast<T>(std::sin(static_cast<double>(k)));
  tau[4 * 7 + 3] = std::numeric_limits<T>::quiet_NaN();
  std::vector<Simulation<T>> alone;
  for (Index b = 0; b < n; ++b) alone.emplace_back(model, options);
  options.batch = n;
  Simulation<T> together(model, options);
  int diverged = 0;
  for (const Index steps : {Index{1}, Index{29}, Index{30}}) {
    together.run(steps, tau, wrenches);
    for (std::size_t b = 0; b < all; ++b) {
      Simulation<T>& s = alone[b];
      for (Index k = 0; k < steps; ++k)
        s.step(std::span<const T>(tau).subspan(b * 7, 7), std::span<const T>(wrenches).subspan(b * 48, 48));
      const auto i = static_cast<Index>(b);
      EXPECT_TRUE(std::ranges::equal(together.q().subspan(b * 7, 7), s.q())) << b;
      EXPECT_TRUE(std::ranges::equal(together.v().subspan(b * 7, 7), s.v())) << b;
      EXPECT_EQ(together.work(i), s.work());
      EXPECT_EQ(together.dissipated(i), s.dissipated());
      EXPECT_EQ(together.stopped(i), s.stopped());
      EXPECT_EQ(together.steps_of(i), s.steps_of(0));
      const Divergence *found = together.divergence(i), *expected = s.divergence();
      EXPECT_EQ(found == nullptr, expected == nullptr) << b;
      if (!found || !expected) continue;
      ++diverged;
      EXPECT_EQ(found->kind, expected->kind);
      EXPECT_EQ(found->step, expected->step);
      EXPECT_EQ(found->time, expected->time);
      EXPECT_EQ(found->what, expected->what);
      EXPECT_EQ(found->advice, expected->advice);
    }
    EXPECT_EQ(together.steps(), alone[0].steps());
    for (std::size_t b = 0; steps == 1 && b < all; ++b) {  // states that are set in between are watched anew
      const std::vector<double> q = random_configuration(model, b), v = random_velocity(model, b, 6);
      set(together.q().subspan(b * 7, 7), q);
      set(together.v().subspan(b * 7, 7), v);
      set(alone[b].q(), q);
      set(alone[b].v(), v);
    }
  }
  return diverged;
}

TEST(Runs, AreTheStepsOfRobotsAlone) {
  for (const Integrator integrator : integrators)
    for (const bool driven : {false, true}) {
      if (few_cases && driven != (integrator == Integrator::rk4)) continue;
      SCOPED_TRACE(std::string(to_string(integrator)) + (driven ? ", driven" : ""));
      EXPECT_GT(diverged_in_runs<double>(integrator, driven), 2);
      if (few_cases) continue;
      EXPECT_GT(diverged_in_runs<float>(integrator, driven), 2);
    }
}

TEST(Snapshot, GoesOnWithTheSameBits) {
  for (const char* robot : {"arm7", "tree:9"})
    for (const Integrator integrator : integrators) {
      const Model model = load(robot);
      const SimulationOptions options = {.integrator = integrator, .batch = 2};
      Simulation<double> s(model, options), other(model, options);
      for (std::size_t k = 0; k < s.v().size(); ++k) s.v()[k] = 3.0 * (k % 3);
      run(s, 400);
      other.restore(s.snapshot());
      EXPECT_EQ(other.time(), s.time());
      run(s, 200);
      run(other, 200);
      EXPECT_EQ(numbers(other.q()), numbers(s.q()));
      EXPECT_EQ(other.dissipated(1), s.dissipated(1));
      s.reset();
      other.reset();
      EXPECT_EQ(numbers(other.v()), numbers(s.v()));
      EXPECT_THAT(error_of([&] { other.restore(std::vector<double>(3)); }), HasSubstr("the snapshot has 3 numbers"));
    }
}

}  // namespace
}  // namespace tandem::test
