// SPDX-License-Identifier: Apache-2.0
/// One step in all its forms: robots alone, batches, rollouts in one and in several calls, in two layouts, and the
/// function `step` give the same bits, over integrators, drives, limits, methods and parameters; those that have
/// contacts, with contacts, too.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "robots.hpp"
#include "support/many.hpp"
#include "support/property.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::test {
namespace {

/// What drives a robot, and what limits it.
struct StepDrive {
  const char* name;
  bool tau, target, gravity, effort_limits, limits, parameters;
};
constexpr StepDrive every_drive[] = {
    {"forces", true, false, false, false, true, false},
    {"forces, without limits", true, false, false, false, false, false},
    {"forces within effort limits", true, false, false, true, true, true},
    {"a controller", false, true, false, false, true, false},
    {"forces and a controller within effort limits", true, true, false, true, true, true},
    {"gravity compensation", false, false, true, false, true, true},
    {"forces, a controller and gravity compensation", true, true, true, false, true, false},
    {"forces, a controller and gravity compensation within effort limits", true, true, true, true, true, true},
};

/// Robots, their drive, and the state after all steps.
template <class T>
class SteppedRobots {
 public:
  static constexpr Index steps = few_cases ? 2 : 10;
  static constexpr double dt = 2e-3;
  const Index n;

  SteppedRobots(const Model& model, const StepDrive& drive, Integrator integrator, Method method, bool stands = false,
                bool touches = false, Index count = 9)
      : n(count), model_(model), drive_(drive), integrator_(integrator), method_(method) {
    if (touches) contacts_.emplace(model);
    for (std::uint64_t b = 0; b < static_cast<std::uint64_t>(n); ++b) {
      add(q0_, stands ? standing(b) : random_configuration(model, b));
      add(v0_, random_velocity(model, b, 3));
      add(target_, random_configuration(model, b + 50));
      add(tau_, random_velocity(model, b + 90, 30));
      add(kp_, random_velocity(model, b + 130, 40));
      add(kd_, random_velocity(model, b + 170, 0.05));
      add(damping_, random_velocity(model, b + 210, 0.01));  // more makes rk4 diverge
      add(friction_, random_velocity(model, b + 250, stands ? 0.1 : 0.0));
    }
    for (std::vector<T>* x : {&kp_, &kd_, &damping_, &friction_})
      for (T& number : *x) number = std::abs(number);
  }

  /// q, v of all after the steps of simulations of `together` robots each, all steps in one call or each in its own.
  std::vector<T> simulated(Index together, bool at_once) const {
    std::vector<T> q, v;
    for (Index b = 0; b < n; b += together) {
      SimulationOptions options = {.dt = dt,
                                   .integrator = integrator_,
                                   .gravity_compensation = drive_.gravity,
                                   .effort_limits = drive_.effort_limits,
                                   .dynamics = {.method = method_},
                                   .limits = drive_.limits,
                                   .batch = together,
                                   .excess = unlimited,
                                   .max_speed = unlimited};
      if (drive_.target)
        options.controller = {part<double>(target_, b, together), part<double>(kp_, b, together),
                              part<double>(kd_, b, together)};
      if (drive_.parameters)
        options.parameters = {{Parameter::damping, part<double>(damping_, b, together)}};
      if (drive_.parameters && contacts_)
        options.parameters.push_back({Parameter::friction, part<double>(friction_, b, together)});
      options.contacts = contacts_;
      Simulation<T> s(model_, options);
      std::ranges::copy(part<T>(q0_, b, together), s.q().begin());
      std::ranges::copy(part<T>(v0_, b, together), s.v().begin());
      const std::vector<T> tau = drive_.tau ? part<T>(tau_, b, together) : std::vector<T>();
      if (at_once)
        s.run(steps, tau);
      else
        for (Index k = 0; k < steps; ++k) s.step(tau);
      q.insert(q.end(), s.q().begin(), s.q().end());
      v.insert(v.end(), s.v().begin(), s.v().end());
    }
    q.insert(q.end(), v.begin(), v.end());
    return q;
  }

  /// The same by rollouts of `together` robots each, in so many calls; `in_rows`: states of neighbours side by side.
  std::vector<T> rolled(Index together, Index calls, bool in_rows, int threads = 1) const {
    std::vector<T> end;
    const Index nq = model_.nq(), nv = model_.nv();
    std::vector<T> q = laid(q0_, nq, in_rows), v = laid(v0_, nv, in_rows), stops(size(3 * n * nv));
    const std::vector<T> target = laid(target_, nq, in_rows), tau = laid(tau_, nv, in_rows),
                         kp = laid(kp_, nv, in_rows), kd = laid(kd_, nv, in_rows),
                         damping = laid(damping_, nv, in_rows), friction = laid(friction_, nv, in_rows);
    const auto at = [&](const std::vector<T>& x, Index rows, Index b) {
      T* const data = const_cast<T*>(x.data());
      return in_rows ? Array<T>{data + b, 1, n} : Array<T>{data + b * rows, rows};
    };
    Workspace<T> work;
    RolloutOptions options = {.dt = dt,
                              .steps = steps / calls,
                              .integrator = integrator_,
                              .gravity_compensation = drive_.gravity,
                              .effort_limits = drive_.effort_limits,
                              .limits = drive_.limits,
                              .dynamics = {.method = method_},
                              .max_speed = unlimited,
                              .contacts = contacts_};
    for (Index b = 0; b < n; b += together) {
      RolloutArrays<T> a;
      a.q0 = a.q = at(q, nq, b);
      a.v0 = a.v = at(v, nv, b);
      a.stops = at(stops, 3 * nv, b);
      if (drive_.tau) a.tau = series_of(at(tau, nv, b));
      if (drive_.target) {
        a.q_target = series_of(at(target, nq, b));
        a.kp = at(kp, nv, b);
        a.kd = at(kd, nv, b);
      }
      const BatchedParameter<T> varied[] = {{Parameter::damping, at(damping, nv, b)},
                                            {Parameter::friction, at(friction, nv, b)}};
      Batch<T> batch(together, threads);
      if (drive_.parameters) batch.parameters = std::span(varied).first(contacts_ ? 2 : 1);
      for (Index call = 0; call < calls; ++call) {
        options.first_step = call * options.steps;
        rollout<T>(model_, a, batch, work, options);
      }
    }
    return whole(q, v, in_rows);
  }

  /// The same by the function step, which has no gravity compensation.
  std::vector<T> stepped(Index together, Index calls, bool in_rows) const {
    const Index nq = model_.nq(), nv = model_.nv();
    std::vector<T> q = laid(q0_, nq, in_rows), v = laid(v0_, nv, in_rows), stops(size(3 * n * nv));
    const std::vector<T> target = laid(target_, nq, in_rows), kp = laid(kp_, nv, in_rows),
                         kd = laid(kd_, nv, in_rows), damping = laid(damping_, nv, in_rows),
                         tau = drive_.tau ? laid(tau_, nv, in_rows) : std::vector<T>(tau_.size());
    const auto at = [&](const std::vector<T>& x, Index rows, Index b) {
      T* const data = const_cast<T*>(x.data());
      return in_rows ? Array<T>{data + b, 1, n} : Array<T>{data + b * rows, rows};
    };
    Workspace<T> work;
    Options options = {.method = method_};
    options.integrator = integrator_;
    options.steps = static_cast<int>(steps / calls);
    options.limits = drive_.limits ? Switch::on : Switch::off;
    options.effort_limits = drive_.effort_limits ? Switch::on : Switch::off;
    const T h = static_cast<T>(dt);
    for (Index b = 0; b < n; b += together) {
      const Array<T> state = at(q, nq, b), speed = at(v, nv, b), none,
                     limits = Array<T>::output(stops.data() + b * 3 * nv, 3 * nv);
      const Array<T> arguments[] = {state,
                                    speed,
                                    at(tau, nv, b),
                                    Array<T>::input(&h, 0),
                                    none,
                                    drive_.target ? at(target, nq, b) : none,
                                    drive_.target ? at(kp, nv, b) : none,
                                    drive_.target ? at(kd, nv, b) : none,
                                    limits,
                                    state,
                                    speed,
                                    limits,
                                    none};
      const BatchedParameter<T> varied[] = {{Parameter::damping, at(damping, nv, b)}};
      Batch<T> batch(together, 1);
      if (drive_.parameters) batch.parameters = varied;
      for (Index call = 0; call < calls; ++call)
        evaluate<T>(find_algorithm("step"), model_, arguments, batch, work, options);
    }
    return whole(q, v, in_rows);
  }

 private:
  /// The quadruped on its feet, or up to two centimetres in the floor or above it.
  std::vector<double> standing(std::uint64_t b) const {
    std::vector<double> q = neutral_configuration(model_);
    const std::vector<double> shifts = random_velocity(model_, b, 0.02);
    for (std::size_t k = 7; k < q.size(); k += 3) q[k + 1] = 0.8 + shifts[k], q[k + 2] = -1.6 + shifts[k + 1];
    q[2] = 0.287 + shifts[0];
    return q;
  }
  static std::size_t size(Index k) { return static_cast<std::size_t>(k); }
  static void add(std::vector<T>& to, const std::vector<double>& from) {
    for (const double x : from) to.push_back(static_cast<T>(x));
  }
  /// Numbers of the robots b, b + 1, ...
  template <class X>
  std::vector<X> part(const std::vector<T>& of, Index b, Index count) const {
    const auto rows = static_cast<Index>(of.size()) / n;
    return {of.begin() + b * rows, of.begin() + (b + count) * rows};
  }
  /// [n][rows], or [rows][n].
  std::vector<T> laid(const std::vector<T>& x, Index rows, bool in_rows) const {
    std::vector<T> to = x;
    for (Index b = 0; in_rows && b < n; ++b)
      for (Index k = 0; k < rows; ++k) to[size(k * n + b)] = x[size(b * rows + k)];
    return to;
  }
  std::vector<T> whole(const std::vector<T>& q, const std::vector<T>& v, bool in_rows) const {
    std::vector<T> all;
    for (const std::vector<T>* x : {&q, &v}) {
      const Index rows = static_cast<Index>(x->size()) / n;
      for (Index b = 0; b < n; ++b)
        for (Index k = 0; k < rows; ++k) all.push_back((*x)[size(in_rows ? k * n + b : b * rows + k)]);
    }
    return all;
  }

  Model model_;
  StepDrive drive_;
  Integrator integrator_;
  Method method_;
  std::optional<ContactSet> contacts_;
  std::vector<T> q0_, v0_, tau_, target_, kp_, kd_, damping_, friction_;
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
class OneStep : public testing::Test {};
TYPED_TEST_SUITE(OneStep, Reals);

TYPED_TEST(OneStep, HasTheSameBitsInAllItsForms) {
  using T = TypeParam;
  constexpr Index steps = SteppedRobots<T>::steps;
  for (const char* name : {"arm7", "quadruped"})
    for (const Integrator integrator : integrators)
      for (const Method method : {Method::articulated_body, Method::composite_rigid_body}) {
        if (few_cases && method == Method::composite_rigid_body && name == std::string_view("quadruped")) continue;
        std::vector<std::vector<T>> others;
        for (const StepDrive& drive : every_drive) {
          SCOPED_TRACE(std::string(name) + ", " + to_string(integrator) + ", " + to_string(method) + ", " + drive.name);
          const SteppedRobots<T> robots(load(name), drive, integrator, method);
          const Index n = robots.n;
          const std::vector<T> expected = robots.simulated(1, false);
          for (const T x : expected) ASSERT_TRUE(std::isfinite(x));
          for (const std::vector<T>& other : others)
            EXPECT_FALSE(same_bits(expected, other)) << "the drive has no effect";
          others.push_back(expected);
          EXPECT_TRUE(same_bits(expected, robots.simulated(1, true))) << "a robot alone, all steps in one call";
          EXPECT_TRUE(same_bits(expected, robots.simulated(n, false))) << "a batch, step by step";
          EXPECT_TRUE(same_bits(expected, robots.simulated(n, true))) << "a batch, all steps in one call";
          EXPECT_TRUE(same_bits(expected, robots.rolled(n, 1, false))) << "a rollout";
          EXPECT_TRUE(same_bits(expected, robots.rolled(n, 1, true))) << "a rollout, robots side by side";
          EXPECT_TRUE(same_bits(expected, robots.rolled(1, 1, false))) << "a rollout of one robot";
          EXPECT_TRUE(same_bits(expected, robots.rolled(n, 2, false))) << "a rollout in two calls";
          if (drive.gravity) continue;
          EXPECT_TRUE(same_bits(expected, robots.stepped(n, 1, false))) << "the function step";
          EXPECT_TRUE(same_bits(expected, robots.stepped(n, steps, true))) << "the function step, robots side by side";
          EXPECT_TRUE(same_bits(expected, robots.stepped(1, 1, false))) << "the function step of one robot";
        }
      }
}

/// Batches that fill a part of a pack of lanes, some packs and a rest, and parts for several threads.
TYPED_TEST(OneStep, HasTheSameBitsInBatchesOfAllSizes) {
  using T = TypeParam;
  for (const Index n : {2, 7, 64, 300})
    for (const StepDrive& drive : {every_drive[0], every_drive[3], every_drive[4]}) {
      SCOPED_TRACE(std::to_string(n) + ", " + drive.name);
      const SteppedRobots<T> robots(load("arm7"), drive, Integrator::semi_implicit_euler, Method::automatic, false,
                                    false, n);
      const std::vector<T> expected = robots.simulated(1, false);
      EXPECT_TRUE(same_bits(expected, robots.simulated(n, false))) << "a batch, step by step";
      EXPECT_TRUE(same_bits(expected, robots.simulated(n, true))) << "a batch, all steps in one call";
      for (const int threads : {1, 3})
        EXPECT_TRUE(same_bits(expected, robots.rolled(n, 1, false, threads))) << "a rollout";
      EXPECT_TRUE(same_bits(expected, robots.rolled(n, 2, true))) << "a rollout in two calls, robots side by side";
      EXPECT_TRUE(same_bits(expected, robots.stepped(n, 1, false))) << "the function step";
    }
}

/// The shipped quadruped with a sphere at each foot, and a floor.
Model quadruped_on_feet() {
  ModelBuilder builder = describe("quadruped");
  builder.shape({.name = "floor", .link = "world", .type = ShapeType::plane});
  for (const char* leg : {"FL", "FR", "RL", "RR"})
    builder.shape({.name = std::string(leg) + "_foot",
                   .link = std::string(leg) + "_shank",
                   .type = ShapeType::sphere,
                   .placement = {.position = {0, 0, -0.195}},
                   .size = {0.015, 0, 0}});
  return builder.build();
}

TYPED_TEST(OneStep, WithContactsHasTheSameBitsInAllItsForms) {
  using T = TypeParam;
  constexpr Index steps = SteppedRobots<T>::steps;
  const Model model = quadruped_on_feet();
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
    std::vector<std::vector<T>> others;
    for (const StepDrive& drive : every_drive) {
      if (integrator == Integrator::rk4 && drive.target) continue;  // refused
      SCOPED_TRACE(std::string(to_string(integrator)) + ", " + drive.name);
      const SteppedRobots<T> robots(model, drive, integrator, Method::automatic, true, true);
      const Index n = robots.n;
      const std::vector<T> expected = robots.simulated(1, false);
      for (const T x : expected) ASSERT_TRUE(std::isfinite(x));
      const SteppedRobots<T> in_the_air(model, drive, integrator, Method::automatic, true);
      EXPECT_FALSE(same_bits(expected, in_the_air.simulated(1, false))) << "contacts have no effect";
      for (const std::vector<T>& other : others)  // two steps lead to no limit
        EXPECT_TRUE(few_cases || !same_bits(expected, other)) << "the drive has no effect";
      others.push_back(expected);
      EXPECT_TRUE(same_bits(expected, robots.simulated(1, true))) << "a robot alone, all steps in one call";
      EXPECT_TRUE(same_bits(expected, robots.simulated(n, false))) << "a batch, step by step";
      EXPECT_TRUE(same_bits(expected, robots.simulated(n, true))) << "a batch, all steps in one call";
      for (const int threads : {1, 2}) {
        EXPECT_TRUE(same_bits(expected, robots.rolled(n, 1, false, threads))) << "a rollout";
        EXPECT_TRUE(same_bits(expected, robots.rolled(n, 1, true, threads))) << "a rollout, robots side by side";
      }
      EXPECT_TRUE(same_bits(expected, robots.rolled(1, 1, false))) << "a rollout of one robot";
      EXPECT_TRUE(same_bits(expected, robots.rolled(n, 2, false))) << "a rollout in two calls";
      EXPECT_TRUE(same_bits(expected, robots.rolled(n, steps, true))) << "a call a step, robots side by side";
    }
  }
}

}  // namespace
}  // namespace tandem::test
