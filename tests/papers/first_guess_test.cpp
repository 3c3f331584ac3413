// SPDX-License-Identifier: Apache-2.0
/// Conjugate gradients from step to step: where they begin, what they took, what that saved.
#include <gmock/gmock.h>

#include "simulation/robots.hpp"
#include "support/errors.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

constexpr FirstGuess guesses[] = {FirstGuess::zero, FirstGuess::last, FirstGuess::linear};

SimulationOptions by_conjugate_gradients(FirstGuess guess, double dt, Integrator integrator) {
  SimulationOptions o = {.dt = dt, .integrator = integrator, .losses = false};
  o.dynamics = {.method = Method::conjugate_gradient, .tolerance = 1e-8};
  o.first_guess = guess;
  return o;
}

Simulation<double> falling(const Model& model, const SimulationOptions& options) {
  Simulation<double> s(model, options);
  for (Index b = 0; b < options.batch; ++b)
    set(s.q().subspan(static_cast<std::size_t>(b * model.nq())),
        random_configuration(model, 7 + static_cast<std::uint64_t>(b)));
  return s;
}

TEST(FirstGuess, LeadsWhereTheDirectMethodLeads) {
  const Model model = generate("chain:12", 3).build();
  for (const Integrator integrator : integrators) {
    SimulationOptions direct = by_conjugate_gradients(FirstGuess::zero, 1e-3, integrator);
    direct.dynamics = {.method = Method::articulated_body};
    Simulation<double> expected = falling(model, direct);
    run(expected, 100);
    EXPECT_EQ(expected.iterated().solutions, 0);
    for (const FirstGuess guess : guesses) {
      Simulation<double> s = falling(model, by_conjugate_gradients(guess, 1e-3, integrator));
      run(s, 100);
      EXPECT_LE(distance(s, expected), 1e-6) << to_string(guess);
      const Iterated& i = s.iterated();
      EXPECT_GE(i.solutions, integrator == Integrator::rk4 ? 400 : 100);
      EXPECT_GT(i.steps, i.solutions);
      EXPECT_EQ(i.not_converged, 0);
      EXPECT_EQ(i.compared > 0, guess != FirstGuess::zero);
    }
  }
}

/// On a rope with short steps, as the page says.
TEST(FirstGuess, SavesSteps) {
  const Model model = generate("rope:10", 3).build();
  std::int64_t steps[3] = {};
  for (const FirstGuess guess : guesses) {
    SimulationOptions o = by_conjugate_gradients(guess, 1e-4, Integrator::semi_implicit_euler);
    o.dynamics.tolerance = 1e-6;
    Simulation<double> s = falling(model, o);
    run(s, 200);
    const Iterated& i = s.iterated();
    steps[static_cast<int>(guess)] = i.steps;
    const auto gained = static_cast<double>(steps[0] - i.steps);
    EXPECT_NEAR(i.saved(), gained, 0.05 * static_cast<double>(steps[0])) << to_string(guess);
  }
  EXPECT_LT(steps[1], 0.9 * static_cast<double>(steps[0]));
  EXPECT_LT(steps[2], 0.9 * static_cast<double>(steps[1]));
}

TEST(FirstGuess, OfZeroIsForwardDynamics) {
  const Model model = generate("chain:8", 3).build();
  const SimulationOptions o = by_conjugate_gradients(FirstGuess::zero, 1e-3, Integrator::rk4);
  Simulation<double> first = falling(model, o), second(model, o);
  run(first, 5);
  std::copy(first.q().begin(), first.q().end(), second.q().begin());
  std::copy(first.v().begin(), first.v().end(), second.v().begin());
  first.step();
  second.step();
  EXPECT_EQ(distance(first, second), 0);
}

TEST(FirstGuess, IsPartOfASnapshot) {
  const Model model = generate("chain:8", 3).build();
  for (const FirstGuess guess : guesses) {
    SimulationOptions o = by_conjugate_gradients(guess, 1e-3, Integrator::rk4);
    o.batch = 2;
    Simulation<double> s = falling(model, o), other(model, o);
    run(s, 20);
    other.restore(s.snapshot());
    run(s, 20);
    run(other, 20);
    EXPECT_TRUE(std::equal(s.q().begin(), s.q().end(), other.q().begin())) << to_string(guess);
    EXPECT_EQ(s.iterated(1).steps, other.iterated(1).steps);
  }
}

/// What was found for another state is no guess: a simulation that is set begins as one that has just begun.
TEST(FirstGuess, IsForgottenWithTheState) {
  const Model model = generate("chain:8", 3).build();
  const SimulationOptions o = by_conjugate_gradients(FirstGuess::linear, 1e-3, Integrator::semi_implicit_euler);
  Simulation<double> used = falling(model, o), fresh = falling(model, o);
  run(used, 30);
  used.reset();
  EXPECT_EQ(used.iterated().steps, 0);
  run(used, 10);
  run(fresh, 10);
  EXPECT_EQ(distance(used, fresh), 0);
  EXPECT_EQ(used.iterated().steps, fresh.iterated().steps);
}

TEST(FirstGuess, TellsOfSolutionsThatDidNotConverge) {
  const Model model = generate("chain:12", 3).build();
  SimulationOptions o = by_conjugate_gradients(FirstGuess::last, 1e-3, Integrator::semi_implicit_euler);
  o.dynamics.max_iterations = 3;
  Simulation<double> s = falling(model, o);
  s.step();
  EXPECT_EQ(s.iterated().not_converged, s.iterated().solutions);
  EXPECT_EQ(s.iterated().steps, 3 * s.iterated().solutions);
}

TEST(FirstGuess, IsForMethodsThatIterate) {
  const Model model = generate("chain:5", 3).build();
  const auto error = [&](const SimulationOptions& o) { return error_of([&] { Simulation<double>(model, o); }); };
  SimulationOptions o = by_conjugate_gradients(FirstGuess::last, 1e-3, Integrator::rk4);
  o.dynamics = {.method = Method::articulated_body};
  EXPECT_EQ(error(o),
            "simulation: first_guess is last, and method articulated_body does not iterate; use conjugate_gradient");
  o.first_guess = static_cast<FirstGuess>(9);
  EXPECT_THAT(error(o), HasSubstr("first_guess is 9, not a valid value; expected one of zero, last, linear"));
}

}  // namespace
}  // namespace tandem::test
