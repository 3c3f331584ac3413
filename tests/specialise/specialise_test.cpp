// SPDX-License-Identifier: Apache-2.0
/// Plans whose algorithm was assembled for their robot: the results of those that were not, in every batch, layout and
/// lane.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>

#include "specialise/specialised_support.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

template <class T>
class SpecialisedPlans : public SpecialisedCase<T> {};
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
    EXPECT_THAT(plan.served_by(), HasSubstr("compiled for this robot"));
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

TEST(Specialised, PaysIfShortOrIfMostStaysInRegisters) {
  EXPECT_TRUE(pays(32768, 5000, 5000));
  EXPECT_FALSE(pays(32769, 2501, 5000));
  EXPECT_TRUE(pays(32769, 2500, 5000));
}

/// Matrices of a thousand numbers, too: measured faster in every layout, precision and instruction set.
TYPED_TEST(SpecialisedPlans, TakeTheMassMatrixOfAHumanoidByThemselves) {
  const Model model = case_named("humanoid").model;
  const Plan<TypeParam> plan(model, find_algorithm("mass_matrix"));
  States<TypeParam> states(plan.algorithm(), model, 4096, false);
  for (int k = 0; k < 4; ++k) states.run(plan);
  EXPECT_TRUE(comes_true([&] { return plan.specialised(); })) << plan.served_by();
}

TYPED_TEST(SpecialisedPlans, MayEndBeforeTheyAreSpecialised) {
  const Model model = case_named("humanoid").model;
  for (int k = 0; k < 20; ++k) {
    const Algorithm& algorithm = algorithms()[static_cast<std::size_t>(k)];
    if (!can_be_printed(algorithm)) continue;
    std::optional<Plan<TypeParam>> plan(std::in_place, model, algorithm, Options{}, Device{}, Specialise::on);
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
  EXPECT_THAT(error_of([&] { plan(load("arm7"), algorithm, static_cast<Specialise>(9)); }),
              HasSubstr("forward_dynamics: specialise is 9"));
  EXPECT_THAT(plan(long_chain, algorithm, Specialise::automatic, serial).served_by(),
              HasSubstr("generic kernels: the robot has 200 links"));
  EXPECT_EQ(plan(load("arm7"), algorithm, Specialise::off).served_by(), "generic kernels");
}

}  // namespace
}  // namespace tandem::test
