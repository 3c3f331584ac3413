// SPDX-License-Identifier: Apache-2.0
/// What a call tells of an iteration, and what it can be told: steps, tolerance, limit, and whether they met.
#include <gmock/gmock.h>

#include "papers/forward_dynamics_by.hpp"
#include "support/errors.hpp"

namespace tandem::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;

/// The two names of conjugate gradients.
const std::vector<Options>& names_of_conjugate_gradients() {
  static const std::vector<Options> list = {
      {.method = Method::constraint_force, .solver = Solver::conjugate_gradient},
      {.method = Method::conjugate_gradient},
  };
  return list;
}

/// Forward dynamics of a few states, with all that is reported of each.
template <class T>
struct Watched {
  std::vector<Status> status;
  std::vector<std::int32_t> iterations;
  std::vector<Vector> a;

  Watched(const Model& model, const Options& options, const std::vector<State>& states, int threads = 1)
      : status(states.size()), iterations(states.size(), -1) {
    const auto n = static_cast<std::size_t>(model.nv()), batch = states.size();
    std::vector<T> q, v, tau, out(n * batch);
    for (const State& s : states) {
      q.insert(q.end(), s.q.begin(), s.q.end());
      v.insert(v.end(), s.v.begin(), s.v.end());
      tau.insert(tau.end(), s.tau.begin(), s.tau.end());
    }
    const std::vector<Array<T>> arrays = {
        {q.data(), model.nq()}, {v.data(), model.nv()}, {tau.data(), model.nv()}, {}, {}, {out.data(), model.nv()}};
    Batch<T> all(static_cast<Index>(batch), threads, status);
    all.iterations = iterations;
    Workspace<T> work;
    evaluate<T>(find_algorithm("forward_dynamics"), model, arrays, all, work, options);
    for (std::size_t b = 0; b < batch; ++b)
      a.push_back(Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>(out.data() + b * n, model.nv())
                      .template cast<double>());
  }
};

std::vector<State> some_states(const Model& model, int n) {
  std::vector<State> states;
  for (int k = 0; k < n; ++k) states.push_back(calm_state(model, static_cast<std::uint64_t>(k + 1)));
  return states;
}

template <class T>
class Iterating : public ::testing::Test {};
TYPED_TEST_SUITE(Iterating, Reals);

TYPED_TEST(Iterating, CountsTheStepsOfEveryState) {
  const Model model = generate("chain:30", 3).build();
  const auto states = some_states(model, 5);
  for (const Options& o : names_of_conjugate_gradients())
    for (const int threads : {1, 2, 8}) {  // states side by side, and each divided
      const Watched<TypeParam> all(model, o, states, threads);
      EXPECT_THAT(all.iterations, Each(Gt(3)));
      EXPECT_THAT(all.status, Each(Status::ok));
      for (std::size_t b = 0; b < states.size(); ++b) {
        const Watched<TypeParam> one(model, o, {states[b]});
        EXPECT_EQ(one.iterations[0], all.iterations[b]);
        EXPECT_EQ(one.a[0], all.a[b]);
      }
    }
}

TYPED_TEST(Iterating, StopsAtItsLimitAndSaysSo) {
  const Model model = generate("chain:30", 3).build();
  const auto states = some_states(model, 2);
  for (Options o : names_of_conjugate_gradients()) {
    o.max_iterations = 4;
    const Watched<TypeParam> stopped(model, o, states);
    EXPECT_THAT(stopped.iterations, ElementsAre(4, 4));
    EXPECT_THAT(stopped.status, Each(Status::not_converged));
    for (const Vector& a : stopped.a) EXPECT_TRUE(a.allFinite());
  }
}

TYPED_TEST(Iterating, GoesOnUntilItsTolerance) {
  const Model model = generate("chain:30", 3).build();
  const State s = calm_state(model, 4);
  for (Options o : names_of_conjugate_gradients()) {
    std::int32_t before = 0;
    for (const double tolerance : {1e-1, 1e-3, 1e-5}) {
      o.tolerance = tolerance;
      const Watched<TypeParam> run(model, o, {s});
      EXPECT_EQ(run.status[0], Status::ok);
      EXPECT_GE(run.iterations[0], before);
      before = run.iterations[0];
    }
    o.tolerance = 1e-1;
    EXPECT_LT(Watched<TypeParam>(model, o, {s}).iterations[0], before);
    o.tolerance = 0;  // the method's own
    EXPECT_EQ(Watched<TypeParam>(model, o, {s}).status[0], Status::ok);
  }
}

/// NaN, no inverse and no convergence say more than a limit does; a bad state touches no other.
TYPED_TEST(Iterating, BadStatesAreToldApart) {
  const Model model = generate("chain:30", 3).build();
  auto states = some_states(model, 3);
  states[1].v[2] = std::numeric_limits<double>::quiet_NaN();
  for (Options o : names_of_conjugate_gradients()) {
    const Watched<TypeParam> run(model, o, states);
    EXPECT_THAT(run.status, ElementsAre(Status::ok, Status::non_finite, Status::ok));
    o.max_iterations = 2;
    EXPECT_EQ(Watched<TypeParam>(model, o, states).status[0], Status::not_converged);
  }
}

TEST(Iterations, AreNoneWhereNothingIterates) {
  const Model model = generate("chain:30", 3).build();
  const auto states = some_states(model, 3);
  for (const Options& o : {Options{}, Options{.method = Method::constraint_force}, Options{.method = Method::scan},
                           Options{.method = Method::composite_rigid_body}})
    EXPECT_THAT(Watched<double>(model, o, states).iterations, Each(0));
}

/// A batch that begins where it ended is done at once; what stands in the guess does not depend on where it began.
TYPED_TEST(Iterating, BeginsWhereItIsTold) {
  for (const char* spec : {"chain:30", "rope:20"}) {
    const Model model = generate(spec, 3).build();
    const auto rows = static_cast<std::size_t>(6 * model.n_links());
    std::vector<TypeParam> q, v, tau, a(static_cast<std::size_t>(3 * model.nv())), guess(3 * rows, TypeParam(0));
    for (const State& s : some_states(model, 3)) {
      q.insert(q.end(), s.q.begin(), s.q.end());
      v.insert(v.end(), s.v.begin(), s.v.end());
      tau.insert(tau.end(), s.tau.begin(), s.tau.end());
    }
    const std::vector<Array<TypeParam>> arrays = {
        {q.data(), model.nq()}, {v.data(), model.nv()}, {tau.data(), model.nv()}, {}, {}, {a.data(), model.nv()}};
    std::vector<std::int32_t> cold(3), again(3);
    Workspace<TypeParam> work;
    for (Options o : names_of_conjugate_gradients()) {
      std::fill(guess.begin(), guess.end(), TypeParam(0));
      Batch<TypeParam> all(3);
      all.iterations = cold;
      all.guess = guess;
      evaluate<TypeParam>(find_algorithm("forward_dynamics"), model, arrays, all, work, o);
      const auto found = a;
      EXPECT_EQ(guess[0], TypeParam(0));
      EXPECT_NE(guess[6], TypeParam(0));
      o.tolerance = sizeof(TypeParam) == 4 ? 1e-3 : 1e-9;
      all.iterations = again;
      evaluate<TypeParam>(find_algorithm("forward_dynamics"), model, arrays, all, work, o);
      for (std::size_t b = 0; b < 3; ++b) EXPECT_LT(again[b], cold[b] / 4) << spec;
      for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], found[k], 1e-2 * (1 + std::abs(found[k])));
    }
  }
}

TEST(Iterations, BeginOnlyWhereThereAreSome) {
  const Model model = generate("chain:5", 3).build();
  std::vector<double> memory(5, 0.0), out(5), guess(36);
  const std::vector<Array<double>> arrays = {{memory.data()}, {memory.data()}, {memory.data()}, {}, {},
                                             {out.data(), 5}};
  Workspace<double> work;
  const auto error = [&](Method method, std::span<double> given) {
    Batch<double> one = 1;
    one.guess = given;
    return error_of(
        [&] { evaluate<double>(find_algorithm("forward_dynamics"), model, arrays, one, work, {.method = method}); });
  };
  EXPECT_EQ(
      error(Method::articulated_body, guess),
      "forward_dynamics: guess requires an iterative method such as conjugate_gradient; method is articulated_body");
  EXPECT_EQ(error(Method::conjugate_gradient, std::span(guess).first(35)),
            "forward_dynamics: guess has 35 numbers, expected 36");
  EXPECT_EQ(error(Method::conjugate_gradient, guess), "no error");
}

TEST(Iterations, OfTheWrongNumberAreRefused) {
  const Model model = generate("chain:5", 3).build();
  std::vector<double> memory(5, 0.0);
  const std::vector<Array<double>> arrays = {{memory.data()},   {memory.data()}, {memory.data()}, {}, {},
                                             {memory.data(), 5}};
  std::vector<std::int32_t> iterations(3);
  Batch<double> one = 1;
  one.iterations = iterations;
  Workspace<double> work;
  EXPECT_EQ(error_of([&] { evaluate<double>(find_algorithm("forward_dynamics"), model, arrays, one, work); }),
            "forward_dynamics: iterations has 3 entries, expected 1");
}

TEST(Iterations, LimitsAreReadByNoOther) {
  const Model model = generate("chain:5", 3).build();
  const State s = random_state(model, 1);
  for (const Method method : {Method::automatic, Method::articulated_body, Method::scan}) {
    const std::string unread =
        std::string("forward_dynamics: method ") + to_string(method) + " does not use the option ";
    const auto error = [&](const Options& o) { return error_of([&] { Watched<double>(model, o, {s}); }); };
    EXPECT_EQ(error({.method = method, .tolerance = 1e-3}), unread + "tolerance");
    EXPECT_EQ(error({.method = method, .max_iterations = 3}), unread + "max_iterations");
  }
  for (const Solver solver : {Solver::automatic, Solver::block_lu, Solver::cyclic_reduction}) {
    const auto error = [&](Options o) {
      o.method = Method::constraint_force;
      o.solver = solver;
      return error_of([&] { Watched<double>(model, o, {s}); });
    };
    EXPECT_THAT(error({.tolerance = 1e-3}), HasSubstr("its solver does not iterate"));
    EXPECT_THAT(error({.max_iterations = 3}), HasSubstr("its solver does not iterate"));
  }
}

TEST(Iterations, LimitsMustBeSome) {
  const Model model = generate("chain:5", 3).build();
  const State s = random_state(model, 1);
  const auto error = [&](const Options& o) { return error_of([&] { Watched<double>(model, o, {s}); }); };
  for (const Options& o : names_of_conjugate_gradients()) {
    Options wrong = o;
    wrong.tolerance = -1e-3;
    EXPECT_THAT(error(wrong), HasSubstr("tolerance is -0.001, expected"));
    wrong.tolerance = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(error(wrong), HasSubstr("tolerance is nan, expected"));
    wrong = o;
    wrong.max_iterations = -1;
    EXPECT_THAT(error(wrong), HasSubstr("max_iterations is -1, expected"));
  }
}

}  // namespace
}  // namespace tandem::test
