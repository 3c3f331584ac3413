// SPDX-License-Identifier: Apache-2.0
/// A chain on a row of threads gives what conjugate_gradient and the direct methods give.
#include <gmock/gmock.h>

#include "links/link_call.hpp"
#include "support/errors.hpp"
#include "support/papers.hpp"
#include "tandem/api/macroparallel.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

struct Solved {
  MacroparallelReport report;
  Vector a;
};
Solved solved(const Model& model, const State& s, const MacroparallelOptions& options, bool forces = true) {
  Solved done = {{}, Vector::Constant(model.nv(), std::nan(""))};
  const auto span = [](const Vector& x) {
    return std::span<const double>(x.data(), static_cast<std::size_t>(x.size()));
  };
  done.report =
      Macroparallel(model, options)
          .forward_dynamics(span(s.q), span(s.v), span(s.tau), forces ? span(s.f_ext) : std::span<const double>(),
                            {done.a.data(), static_cast<std::size_t>(done.a.size())});
  return done;
}
Vector direct(const Model& model, const State& s, bool forces = true) {
  return call_method<double>("forward_dynamics", model, {.method = Method::articulated_body},
                             {s.q, s.v, s.tau, forces ? s.f_ext : Vector(), Vector()});
}

/// The fewest bodies, one body a thread, and runs of them, equal or not.
TEST(Macroparallel, GivesWhatTheDirectMethodGives) {
  for (const char* spec : {"chain:1", "chain:2", "chain:3", "chain:10", "rope:9", "snake:20", "chain:33"}) {
    const Model model = generate(spec, 3).build();
    for (int p = 1; p < model.n_links(); p = p < 4 ? p + 1 : 2 * p + 1) {
      const State s = calm_state(model, 4);
      const bool forces = p % 2 == 0;
      const Vector expected = direct(model, s, forces);
      const Solved found = solved(model, s, {.processors = p}, forces);
      EXPECT_LE((found.a - expected).cwiseAbs().maxCoeff(), 1e-8 * (1 + expected.cwiseAbs().maxCoeff()))
          << spec << " on " << p;
      EXPECT_TRUE(found.report.converged);
    }
  }
}

TEST(Macroparallel, ServesEveryJointAndRotors) {
  const Model model = every_joint(3).build();
  for (const int p : {1, 2, 5}) {
    const State s = calm_state(model, 5);
    const Vector expected = direct(model, s);
    EXPECT_LE((solved(model, s, {.processors = p}).a - expected).cwiseAbs().maxCoeff(),
              1e-7 * (1 + expected.cwiseAbs().maxCoeff()))
        << p;
  }
}

/// Along a motion the forces of the last call are nearly those of the next, [Pond] p. 75.
TEST(Macroparallel, BeginsAtTheForcesOfTheLastCall) {
  const auto span = [](Vector& x) { return std::span<double>(x.data(), static_cast<std::size_t>(x.size())); };
  for (const char* spec : {"chain:10", "chain:64", "rope:20"})
    for (const int p : {1, 2, 7})
      for (const Freezing freezing : {Freezing::none, Freezing::forces}) {
        const Model model = generate(spec, 3).build();
        State s = calm_state(model, 6);
        Vector a(model.nv());
        const MacroparallelOptions zero = {.processors = p, .tolerance = 1e-6, .freezing = freezing};
        MacroparallelOptions last = zero;
        last.from_last = true;
        Macroparallel row(model, last);
        const auto solve = [&](const MacroparallelOptions& options) {
          row.set_options(options);
          return row.forward_dynamics(span(s.q), span(s.v), span(s.tau), span(s.f_ext), span(a));
        };
        const std::string what = std::string(spec) + " on " + std::to_string(p) + ", " + to_string(freezing);
        const Index first = solve(last).iterations;
        EXPECT_EQ(first, solve(zero).iterations) << what << ": nothing is known yet";
        s.v *= 1 + 1e-4;
        const Index from_last = solve(last).iterations;
        if (freezing == Freezing::none) {
          const Vector expected = direct(model, s);
          EXPECT_LE((a - expected).cwiseAbs().maxCoeff(), 1e-4 * (1 + expected.cwiseAbs().maxCoeff())) << what;
          EXPECT_LE(solve(last).iterations, 1) << what << ": it is the solution";
        }
        const Index from_zero = solve(zero).iterations;
        EXPECT_LT(from_last, from_zero) << what;
      }
}

/// A state that is no number leaves no trace in the next call.
TEST(Macroparallel, BeginsAtZeroBehindWhatIsNoNumber) {
  const Model model = generate("chain:10", 3).build();
  State s = calm_state(model, 6);
  Vector a(model.nv());
  Macroparallel row(model, {.processors = 2, .from_last = true});
  const auto span = [](Vector& x) { return std::span<double>(x.data(), static_cast<std::size_t>(x.size())); };
  const auto solve = [&] { return row.forward_dynamics(span(s.q), span(s.v), span(s.tau), {}, span(a)); };
  const double speed = s.v[3];
  s.v[3] = std::nan("");
  solve();
  s.v[3] = speed;
  EXPECT_TRUE(solve().converged);
  const Vector expected = direct(model, s, false);
  EXPECT_LE((a - expected).cwiseAbs().maxCoeff(), 1e-8 * (1 + expected.cwiseAbs().maxCoeff()));
}

/// Sums are formed in another order, which is all.
TEST(Macroparallel, TakesTheStepsOfTheMethod) {
  if (!has_papers) GTEST_SKIP() << "this build leaves the method out (TANDEM_PAPERS=OFF)";
  for (const char* spec : {"chain:10", "chain:64", "rope:20"}) {
    const Model model = generate(spec, 3).build();
    const State s = calm_state(model, 6);
    for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
      std::int32_t steps = 0;
      Vector a(model.nv());
      const auto in = [](const Vector& x) { return Array<double>::input(x.data(), x.size()); };
      const std::vector<Array<double>> arrays = {in(s.q), in(s.v), in(s.tau), in(s.f_ext), {}, {a.data(), a.size()}};
      Batch<double> one = 1;
      one.iterations = std::span(&steps, 1);
      Workspace<double> work;
      evaluate<double>(find_algorithm("forward_dynamics"), model, arrays, one, work,
                       {.method = Method::conjugate_gradient, .tolerance = tolerance});
      for (const int p : {1, 2, 7}) {
        const Solved found = solved(model, s, {.processors = p, .tolerance = tolerance});
        EXPECT_NEAR(static_cast<double>(found.report.iterations), steps, 1 + 0.03 * steps) << spec << " on " << p;
        EXPECT_LE((found.a - a).cwiseAbs().maxCoeff(), 30 * tolerance * (1 + a.cwiseAbs().maxCoeff()));
      }
    }
  }
}

TEST(Macroparallel, StopsAtItsLimitAndSaysSo) {
  const Model model = generate("chain:30", 3).build();
  const State s = calm_state(model, 6);
  const Solved short_of = solved(model, s, {.processors = 2, .max_iterations = 5});
  EXPECT_EQ(short_of.report.iterations, 5);
  EXPECT_FALSE(short_of.report.converged);
  EXPECT_TRUE(short_of.a.allFinite());
  EXPECT_EQ(solved(model, s, {.processors = 2, .fixed_iterations = 17}).report.iterations, 17);
}

/// A chain that hangs still without weight needs no step.
TEST(Macroparallel, EndsAtOnceWhereNothingHolds) {
  const Model model = generate("chain:6", 3).gravity({0, 0, 0}).build();
  State s = calm_state(model, 6);
  s.v.setZero();
  s.tau.setZero();
  s.f_ext.setZero();
  const Solved found = solved(model, s, {.processors = 3});
  EXPECT_EQ(found.report.iterations, 0);
  EXPECT_TRUE(found.report.converged);
  EXPECT_EQ(found.a.cwiseAbs().maxCoeff(), 0);
}

/// [Pond] p. 77 - 79: processors at the ends go on before the others, and digits are lost; as printed, all of them.
TEST(Macroparallel, FreezingLosesDigits) {
  const Model model = generate("chain:64", 1).build();
  double errors[3] = {};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const State s = calm_state(model, seed);
    const Vector expected = direct(model, s);
    for (const Freezing how : {Freezing::none, Freezing::values, Freezing::forces}) {
      const Solved found =
          solved(model, s, {.processors = 64, .tolerance = 1e-6, .max_iterations = 300, .freezing = how});
      const double error = (found.a - expected).norm() / expected.norm();
      errors[static_cast<int>(how)] = std::max(errors[static_cast<int>(how)], error);
      EXPECT_EQ(found.report.converged || how == Freezing::values, true);
      if (how == Freezing::none) {
        EXPECT_EQ(found.report.stopped_early, 0);
      }
      if (how == Freezing::forces) {
        EXPECT_GT(found.report.stopped_early, 10);
      }
    }
  }
  EXPECT_LT(errors[0], 5e-6);
  EXPECT_GT(errors[1], 1) << "diverges";
  EXPECT_GT(errors[2], 5 * errors[0]);
  EXPECT_LT(errors[2], 1e-3);
}

TEST(Macroparallel, FreezesOnAnyNumberOfProcessors) {
  for (const char* spec : {"chain:1", "chain:5", "rope:12", "chain:40"}) {
    const Model model = generate(spec, 3).build();
    const State s = calm_state(model, 4);
    const Vector expected = direct(model, s);
    for (const int p : {1, 2, 3, 5, 12, 40}) {
      if (p >= model.n_links()) continue;
      const Solved found = solved(model, s, {.processors = p, .tolerance = 1e-9, .freezing = Freezing::forces});
      EXPECT_TRUE(found.report.converged);
      EXPECT_LE((found.a - expected).norm(), 1e-2 * expected.norm()) << spec << " on " << p;
    }
  }
}

/// What is left out is left out: fewer messages; and the rest is done.
TEST(Macroparallel, LeavesOutWhatIsToBeTimed) {
  const Model model = generate("chain:12", 3).build();
  const State s = calm_state(model, 4);
  const auto messages = [&](LeftOut what) {
    return solved(model, s, {.processors = 4, .fixed_iterations = 10, .left_out = what}).report.messages;
  };
  const double all = messages(LeftOut::nothing);
  EXPECT_NEAR(all - messages(LeftOut::velocities), 0.75, 1e-12);              // three of four send to the tip
  EXPECT_NEAR(all - messages(LeftOut::sums), (2 * 10 + 1) * 6 / 4.0, 1e-12);  // along three links, there and back
}

/// The stages make up the whole, but for who is waited for.
TEST(Macroparallel, TellsTheTimesOfStages) {
  const Model model = generate("chain:20", 3).build();
  const MacroparallelReport r = solved(model, calm_state(model, 4), {.processors = 1}).report;
  double sum = 0;
  for (const double t : r.stage) {
    EXPECT_GT(t, 0);
    sum += t;
  }
  EXPECT_NEAR(sum, r.seconds, 1e-9);
  EXPECT_EQ(r.messages, 0);
}

TEST(Macroparallel, IsUsedAgainAndAgain) {
  const Model model = generate("chain:10", 3).build();
  Macroparallel row(model, {.processors = 3});
  EXPECT_EQ(row.processors(), 3);
  Macroparallel moved = std::move(row);
  EXPECT_EQ(row.processors(), 0);
  Vector a(model.nv());
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const State s = calm_state(model, seed);
    const auto span = [](const Vector& x) {
      return std::span<const double>(x.data(), static_cast<std::size_t>(x.size()));
    };
    moved.set_options({.tolerance = seed % 2 == 0 ? 1e-9 : 1e-12});
    moved.forward_dynamics(span(s.q), span(s.v), span(s.tau), span(s.f_ext),
                           {a.data(), static_cast<std::size_t>(a.size())});
    const Vector expected = direct(model, s);
    EXPECT_LE((a - expected).norm(), 1e-6 * expected.norm());
  }
  EXPECT_THAT(error_of([&] { row.set_options({}); }), HasSubstr("moved from"));
  EXPECT_THAT(error_of([&] { moved.set_options({.processors = 2}); }), HasSubstr("processors is 2, expected 3"));
}

TEST(Macroparallel, RefusesWhatItCannotDo) {
  const Model chain = generate("chain:5", 3).build();
  const auto error = [](const Model& model, const MacroparallelOptions& o) {
    return error_of([&] { Macroparallel(model, o); });
  };
  EXPECT_EQ(error(chain, {.processors = 6}),
            "macroparallel: processors is 6, expected at most the number of bodies, 5");
  EXPECT_THAT(error(chain, {.processors = -1}), HasSubstr("processors is -1, expected"));
  EXPECT_THAT(error(chain, {.tolerance = -1}), HasSubstr("tolerance is -1, expected"));
  EXPECT_THAT(error(chain, {.max_iterations = -1}), HasSubstr("max_iterations is -1, expected"));
  EXPECT_THAT(error(chain, {.left_out = LeftOut::sums}), HasSubstr("set fixed_iterations"));
  EXPECT_THAT(error(chain, {.fixed_iterations = 5, .freezing = Freezing::values}), HasSubstr("mutually exclusive"));
  EXPECT_THAT(error(generate("tree:9", 3).build(), {}), HasSubstr("it has branches; macroparallel is for chains"));
  EXPECT_THAT(error(load("humanoid"), {}), HasSubstr("it has branches; macroparallel is for chains"));
  EXPECT_THAT(error(load("four_bar"), {}), HasSubstr("closed loops"));
  State s = calm_state(chain, 1);
  s.v = Vector::Zero(3);
  EXPECT_THAT(error_of([&] { solved(chain, s, {}); }), HasSubstr("v has 3 numbers, expected 5"));
}

}  // namespace
}  // namespace tandem::test
