// SPDX-License-Identifier: Apache-2.0
/// Calls of one state, which instructions for the robot serve once there are some: the results of the ordinary way.
#include <gmock/gmock.h>

#include <thread>

#include "api/plan.hpp"
#include "backends/cpu/run_state.hpp"
#include "specialise/specialised_support.hpp"

namespace tandem::test {
namespace {

template <class T>
class OneState : public ::testing::Test {
  void SetUp() override {
    const auto here = registers_here();
    if (here.empty() || !serves_single_states(here.front()) || instruction_set() == "baseline")
      GTEST_SKIP() << "no Xbyak, or no AVX2";
  }
};
TYPED_TEST_SUITE(OneState, Reals);

/// Whether the state alone is served by instructions, with their results in it.
template <class T>
bool served(const Plan<T>& plan, States<T>& states, Index b = 0) {
  Workspace<T> work;
  const Call<T> call = {plan.model().template view<T>(), plan.options(), states.arrays.data()};
  const Assembled<T>* const line = plan.execution_path().specialised->line_for(plan.model(), call, 1);
  return line && run_state(*line, call, b, work);
}

template <class T>
void run_alone(const Plan<T>& plan, States<T>& states, Index b) {
  Workspace<T> work;
  std::vector<Array<T>> arrays = states.arrays;
  for (Array<T>& array : arrays)
    if (array.data) array.data += b * array.stride;
  evaluate(plan, arrays, 1, work);
}

TYPED_TEST(OneState, HasTheResultsOfTheOrdinaryWay) {
  using T = TypeParam;
  for_each_pair<T>(
      [](const Algorithm& algorithm, const Model& model, const Plan<T>& ordinary, const Plan<T>& specialised) {
        for (const bool rows_apart : {false, true}) {
          States<T> a(algorithm, model, 5, rows_apart), b(algorithm, model, 5, rows_apart);
          for (Index k = 0; k < 5; ++k) {
            run_alone(ordinary, a, k);
            run_alone(specialised, b, k);
            EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << "state " << k;
            // of a planar joint that is an angle of functions of an angle, which packs serve
            if (!rows_apart && algorithm.name != std::string_view("difference")) {
              EXPECT_TRUE(served(specialised, b, k));
              EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << "state " << k;
            }
          }
        }
      });
}

TYPED_TEST(OneState, LeavesOddStatesToTheOrdinaryWay) {
  using T = TypeParam;
  for_each_pair<T>([](const Algorithm& algorithm, const Model& model, const Plan<T>& ordinary,
                      const Plan<T>& specialised) {
    for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 3e7})
      for (std::size_t k = 0; k < algorithm.arguments.size(); ++k) {
        States<T> a(algorithm, model, 1, false), b(algorithm, model, 1, false);
        if (!is_input(algorithm.arguments[k]) || a.columns[k].empty()) continue;
        const auto last = static_cast<Index>(a.columns[k].size()) - 1;
        a.at(k, 0, last) = b.at(k, 0, last) = static_cast<T>(odd);
        run_alone(ordinary, a, 0);
        run_alone(specialised, b, 0);
        EXPECT_TRUE(equal(a.result(0, model), b.result(0, model))) << odd << " in " << algorithm.arguments[k].name;
        EXPECT_TRUE(std::isfinite(odd) || !served(specialised, b)) << odd << " in " << algorithm.arguments[k].name;
      }
  });
}

TYPED_TEST(OneState, LeavesQuaternionsOfAnyLengthToTheOrdinaryWay) {
  using T = TypeParam;
  const Model model = case_named("humanoid").model;
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  const Plan<T> ordinary(model, algorithm, {}, {}, Specialise::off), plan(model, algorithm, {}, {}, Specialise::wait);
  for (const double length : {0.0, 1e-30, 1e30}) {
    States<T> a(algorithm, model, 1, false), b(algorithm, model, 1, false);
    for (const Index row : {3, 4, 5, 6})
      a.at(0, 0, row) = b.at(0, 0, row) = static_cast<T>(length * length * double{a.at(0, 0, row)});
    run_alone(ordinary, a, 0);
    run_alone(plan, b, 0);
    EXPECT_TRUE(equal(a.result(0, model), b.result(0, model))) << length;
    if (sizeof(T) == 4) {
      EXPECT_FALSE(served(plan, b)) << length;
    }
  }
}

TYPED_TEST(OneState, MayLieWhereAnInputDoes) {
  using T = TypeParam;
  const Model model = load("arm7");
  for (const char* name : {"forward_dynamics", "inverse_dynamics"}) {
    const Algorithm& algorithm = find_algorithm(name);
    const Plan<T> plan(model, algorithm, {}, {}, Specialise::wait);
    States<T> apart(algorithm, model, 1, false), together(algorithm, model, 1, false);
    const auto is_output = [](const Argument& argument) { return !is_input(argument); };
    const auto output = static_cast<std::size_t>(
        std::find_if(algorithm.arguments.begin(), algorithm.arguments.end(), is_output) - algorithm.arguments.begin());
    together.arrays[output] = together.arrays[2];
    run_alone(plan, apart, 0);
    EXPECT_FALSE(served(plan, together));
    run_alone(plan, together, 0);
    EXPECT_EQ(apart.columns[output], together.columns[2]) << name;
  }
}

/// Through the functions by name: nobody notices but by the clock, whichever of the robot's copies is meant.
TYPED_TEST(OneState, CallsByNameKeepTheirResults) {
  using T = TypeParam;
  const Model arm = load("arm7"), on_the_moon = arm.with_gravity({0, 0, -1.62}), other = load("arm6");
  const auto torque = [](const Model& model, Workspace<T>& work, int k) {
    std::vector<T> q(static_cast<std::size_t>(model.nq())), v(static_cast<std::size_t>(model.nv())), tau = v;
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = v[i] = T(0.01) * static_cast<T>(i + 1) * static_cast<T>(k % 50);
    inverse_dynamics(model, q, v, v, tau, work);
    return tau;
  };
  Workspace<T> work;
  for (int k = 0; k < 6000; ++k) torque(arm, work, k);
  const Array<T> some{reinterpret_cast<T*>(&work), 0, 1};
  const std::vector<Array<T>> arrays = {some, some, some, {}, some};
  const Options options;
  const Algorithm& algorithm = find_algorithm("inverse_dynamics");
  const Call<T> call = {arm.view<T>(), options, arrays.data()};
  const ExecutionPath<T>& way = kept(work).own_path(algorithm, arm, options);
  EXPECT_TRUE(comes_true([&] { return way.specialised->line_for(arm, call, 1) != nullptr; }));
  for (int k = 0; k < 50; ++k)
    for (const Model& model : {arm, on_the_moon, other, arm}) {
      Workspace<T> fresh;
      EXPECT_TRUE(equal(torque(model, work, k), torque(model, fresh, k))) << model.name() << ", call " << k;
    }
  for (int k = 0; k < 6000; ++k) torque(on_the_moon, work, k);
  const ExecutionPath<T>& there = kept(work).own_path(algorithm, on_the_moon, options);
  EXPECT_TRUE(comes_true([&] { return there.specialised->line_for(on_the_moon, call, 1) != nullptr; }));
  for (int k = 0; k < 50; ++k)
    for (const Model& model : {on_the_moon, arm}) {
      Workspace<T> fresh;
      EXPECT_TRUE(equal(torque(model, work, k), torque(model, fresh, k))) << model.name() << ", call " << k;
    }
}

/// Threads with workspaces of their own, robots that come and go.
TYPED_TEST(OneState, ServesThreadsAndPassingRobots) {
  using T = TypeParam;
  const Algorithm& algorithm = find_algorithm("mass_matrix");
  const Model arm = load("arm7");
  const Plan<T> ordinary(arm, algorithm, {}, {}, Specialise::off), plan(arm, algorithm, {}, {}, Specialise::on);
  States<T> reference(algorithm, arm, 1, false);
  run_alone(ordinary, reference, 0);
  std::atomic<int> wrong = 0;
  const auto call = [&] {
    Workspace<T> work;
    for (int k = 0; k < 300; ++k) {
      States<T> states(algorithm, arm, 1, false);
      evaluate(plan, states.arrays, 1, work);
      wrong += !equal(reference.result(0, arm), states.result(0, arm));
    }
    for (int k = 0; k < 20; ++k) {
      const Model passing = load("arm6").with_gravity({0, 0, -1.0 - k});
      std::vector<T> q(6, T(0.3)), M(36);
      for (int again = 0; again < 400; ++again) mass_matrix(passing, q, M, work);
    }
  };
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k) threads.emplace_back(call);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tandem::test
