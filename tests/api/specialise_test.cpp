// SPDX-License-Identifier: Apache-2.0
/// Plans whose algorithm was assembled for their robot: the results of those that were not, in every batch, layout and lane.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>

#include "api/specialise.hpp"
#include "api/specialised_support.hpp"
#include "recording/assembled/assemble.hpp"
#include "support/errors.hpp"
#include "support/property.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

template <class T>
class SpecialisedPlans : public ::testing::Test {
  void SetUp() override {
    if (registers_here().empty()) GTEST_SKIP() << "no assembler";
  }
};
TYPED_TEST_SUITE(SpecialisedPlans, Reals);

TYPED_TEST(SpecialisedPlans, GiveTheResultsOfOrdinaryOnes) {
  for_each_pair<TypeParam>([](const Algorithm& algorithm, const Model& model, const Plan<TypeParam>& ordinary,
                              const Plan<TypeParam>& specialised) {
    for (const Index n : {1, 7, 33})
      for (const bool rows_apart : {false, true}) {
        States<TypeParam> a(algorithm, model, n, rows_apart), b(algorithm, model, n, rows_apart);
        a.run(ordinary);
        b.run(specialised, n == 33 ? 4 : 1);
        for (Index k = 0; k < n; ++k)
          EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << n << " states, state " << k;
      }
  });
}

TYPED_TEST(SpecialisedPlans, LeaveOddStatesToTheOrdinaryWay) {
  for_each_pair<TypeParam>([](const Algorithm& algorithm, const Model& model, const Plan<TypeParam>& ordinary,
                              const Plan<TypeParam>& specialised) {
    const auto spoil = [](States<TypeParam>& states) {
      for (std::size_t k = 0; k < states.columns.size(); ++k)
        if (is_input(states.algorithm.arguments[k]) && !states.columns[k].empty()) {
          const Index last = static_cast<Index>(states.columns[k].size()) / states.size - 1;
          states.at(k, 3, last) = std::numeric_limits<TypeParam>::quiet_NaN();
          states.at(k, 5, last) = TypeParam(3e7);  // of an angle: too large for the arithmetic of moderate ones
        }
    };
    States<TypeParam> clean(algorithm, model, 9, false), a(algorithm, model, 9, false), b(algorithm, model, 9, false);
    spoil(a);
    spoil(b);
    clean.run(specialised);
    a.run(ordinary);
    b.run(specialised);
    for (Index k = 0; k < 9; ++k) {
      EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << "state " << k;
      if (k != 3 && k != 5) {
        EXPECT_TRUE(equal(clean.result(k, model), b.result(k, model))) << "state " << k;
      }
    }
  });
}

TYPED_TEST(SpecialisedPlans, TakeOptionalArgumentsAndParametersTheOrdinaryWay) {
  const Model model = load("arm7");
  const Algorithm& algorithm = find_algorithm("inverse_dynamics");
  const Plan<TypeParam> plan(model, algorithm, {}, {}, Specialise::wait);
  States<TypeParam> plain(algorithm, model, 4, false), pushed(algorithm, model, 4, false),
      heavier(algorithm, model, 4, false);
  std::vector<TypeParam> f_ext(static_cast<std::size_t>(4 * 6 * model.n_links()), TypeParam(1));
  pushed.arrays[3] = {f_ext.data(), 6 * model.n_links(), 1};
  plain.run(plan);
  pushed.run(plan);
  EXPECT_FALSE(equal(plain.result(0, model), pushed.result(0, model)));
  Workspace<TypeParam> work;
  std::vector<TypeParam> masses(static_cast<std::size_t>(4 * model.n_links()), TypeParam(9));
  const BatchedParameter<TypeParam> parameters[] = {{Parameter::mass, {masses.data(), model.n_links(), 1}}};
  Batch<TypeParam> batch(4, 1);
  batch.parameters = parameters;
  evaluate(plan, heavier.arrays, batch, work);
  EXPECT_FALSE(equal(plain.result(0, model), heavier.result(0, model)));
}

/// Calls without a plan are specialised once many states have gone by, and nobody notices but by the clock.
TYPED_TEST(SpecialisedPlans, ManyCallsWithoutAPlanKeepTheirResults) {
  const Model model = load("arm6");
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  Workspace<TypeParam> work;
  std::vector<TypeParam> first;
  for (int k = 0; k < 5; ++k) {
    States<TypeParam> states(algorithm, model, 5000, false);
    Batch<TypeParam> batch(states.size, 1);
    batch.status = states.status;
    evaluate<TypeParam>(algorithm, model, states.arrays, batch, work);
    const auto result = states.result(4999, model);
    if (k == 0) first = result;
    EXPECT_TRUE(equal(first, result)) << "call " << k;
  }
}

/// Calls go on while instructions are assembled, by one thread and by several, and nobody sees when they take over.
TYPED_TEST(SpecialisedPlans, TakeOverInTheMiddleOfCalls) {
  const Model model = case_named("humanoid").model;
  for (const char* name : {"forward_dynamics", "mass_matrix"}) {
    const Algorithm& algorithm = find_algorithm(name);
    const Plan<TypeParam> ordinary(model, algorithm, {}, {}, Specialise::off);
    States<TypeParam> reference(algorithm, model, 40, false);
    reference.run(ordinary);
    const Plan<TypeParam> plan(model, algorithm, {}, {}, Specialise::on);
    std::atomic<int> wrong = 0, before = 0;
    const auto call = [&] {
      for (bool last = false; !last;) {
        last = plan.specialised();
        before += !last;
        States<TypeParam> states(algorithm, model, 40, false);
        states.run(plan);
        for (Index k = 0; k < 40; ++k) wrong += !equal(reference.result(k, model), states.result(k, model));
      }
    };
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; ++k) threads.emplace_back(call);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0) << name << ", of them before the change: " << before;
    EXPECT_THAT(plan.served_by(), HasSubstr("instructions for this robot"));
  }
}

TYPED_TEST(SpecialisedPlans, AreSpecialisedOnceItPays) {
  const Model model = load("arm6");
  const Algorithm& algorithm = find_algorithm("inverse_dynamics");
  const Plan<TypeParam> plan(model, algorithm), copy = plan;
  States<TypeParam> states(algorithm, model, 4096, false);
  for (int k = 0; k < 3; ++k) states.run(plan);
  EXPECT_THAT(plan.served_by(), HasSubstr("until 16384 states"));
  EXPECT_FALSE(plan.specialised());
  states.run(copy);
  EXPECT_TRUE(comes_true([&] { return plan.specialised(); })) << plan.served_by();
  EXPECT_EQ(plan.served_by(), copy.served_by());
}

/// A line for every choice of optional arguments that calls give.
TYPED_TEST(SpecialisedPlans, ServeOptionalArguments) {
  const Model model = load("arm7");
  for (const Algorithm& algorithm : algorithms()) {
    std::vector<std::size_t> optional;
    for (std::size_t k = 0; k < algorithm.arguments.size(); ++k)
      if (is_optional(algorithm.arguments[k])) optional.push_back(k);
    if (optional.empty()) continue;
    const Plan<TypeParam> ordinary(model, algorithm, {}, {}, Specialise::off);
    const Plan<TypeParam> plan(model, algorithm, {}, {}, Specialise::wait);
    for (unsigned choice = 0; choice < 1u << optional.size(); ++choice) {
      States<TypeParam> a(algorithm, model, 19, false), b(algorithm, model, 19, false);
      for (std::size_t k = 0; k < optional.size(); ++k)
        if (choice >> k & 1) {
          a.give(optional[k], model);
          b.give(optional[k], model);
        }
      if (a.lacks_an_input()) continue;
      a.run(ordinary);
      b.run(plan);
      SCOPED_TRACE(std::string(algorithm.name) + ", optional arguments " + std::to_string(choice));
      for (Index k = 0; k < 19; ++k) EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << "state " << k;
      const Call<TypeParam> call = {model.view<TypeParam>(), plan.options(), b.arrays.data()};
      const auto line = [&] { return plan.way().specialised->line_for(model, call, 1); };
      EXPECT_TRUE(comes_true([&] { return line() != nullptr; }));
      b.run(plan);
      for (Index k = 0; k < 19; ++k) EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << "state " << k;
    }
  }
}

TYPED_TEST(SpecialisedPlans, MayEndBeforeTheyAreSpecialised) {
  const Model model = case_named("humanoid").model;
  for (int k = 0; k < 20; ++k) {
    std::optional<Plan<TypeParam>> plan(std::in_place, model, algorithms()[static_cast<std::size_t>(k) % 20], Options{},
                                        Device{}, Specialise::on);
    if (k % 2) plan.reset();
  }
}

TYPED_TEST(SpecialisedPlans, AreSharedWithProcessesThatAreForkedOff) {
  const Model model = case_named("humanoid").model;
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  States<TypeParam> reference(algorithm, model, 3, false);
  reference.run(Plan<TypeParam>(model, algorithm, {}, {}, Specialise::off));
  std::optional<Plan<TypeParam>> plan(std::in_place, model, algorithm, Options{}, Device{}, Specialise::on);
  const ::pid_t child = ::fork();
  if (child == 0) {
    States<TypeParam> states(algorithm, model, 3, false);
    states.run(*plan);
    const bool good = equal(reference.result(2, model), states.result(2, model));
    plan.reset();
    ::_exit(good ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TYPED_TEST(SpecialisedPlans, SayWhyThereAreNone) {
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  const Model long_chain = generate("chain:200", 1).build();
  const auto plan = [](const Model& model, const Algorithm& asked, Specialise specialise, const Options& options = {}) {
    return Plan<TypeParam>(model, asked, options, {}, specialise);
  };
  const Options serial = {.method = Method::articulated_body}, divided = {.method = Method::scan};
  for (const Specialise asked : {Specialise::on, Specialise::wait}) {
    EXPECT_THAT(error_of([&] { plan(long_chain, algorithm, asked, serial); }), HasSubstr("200 links, more than 100"));
    EXPECT_THAT(error_of([&] { plan(long_chain, algorithm, asked, divided); }), HasSubstr("divides"));
  }
  EXPECT_THAT(error_of([&] { plan(load("humanoid"), find_algorithm("difference"), Specialise::wait); }),
              HasSubstr("angle"));
  EXPECT_THAT(error_of([&] { plan(load("arm7"), algorithm, static_cast<Specialise>(9)); }),
              HasSubstr("forward_dynamics: specialise is 9"));
  EXPECT_THAT(plan(long_chain, algorithm, Specialise::automatic, serial).served_by(),
              HasSubstr("kernels for every robot: the robot has 200 links"));
  EXPECT_EQ(plan(load("arm7"), algorithm, Specialise::off).served_by(), "kernels for every robot");
  const Plan<TypeParam> refused = plan(load("humanoid"), find_algorithm("difference"), Specialise::on);
  EXPECT_TRUE(comes_true([&] { return refused.served_by().find("angle") != std::string::npos; }))
      << refused.served_by();
}

}  // namespace
}  // namespace tandem::test
