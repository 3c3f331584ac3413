// SPDX-License-Identifier: Apache-2.0
/// Algorithms that are compiled for one state at a time, of which batches get lanes from instructions for the robot;
/// and those that can be recorded for some robots, options and arguments alone.
#include <optional>

#include "specialise/specialised_support.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

template <class T>
class WithoutLanes : public SpecialisedCase<T> {};
TYPED_TEST_SUITE(WithoutLanes, Reals);

template <class T>
Plan<T> plan_of(const char* algorithm, const Model& model, Specialise how, const Options& options = {}) {
  return Plan<T>(model, find_algorithm(algorithm), options, {}, how);
}

/// The same bits by both plans, in batches of every kind.
template <class T>
void expect_equal(const Plan<T>& ordinary, const Plan<T>& specialised) {
  const Model& model = ordinary.model();
  for (const Index n : {1, 7, 33}) {
    States<T> a(ordinary.algorithm(), model, n, false), b(ordinary.algorithm(), model, n, n == 33);
    a.run(ordinary);
    b.run(specialised, n == 33 ? 2 : 1);
    for (Index k = 0; k < n; ++k)
      EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << n << " states, state " << k;
  }
}

TYPED_TEST(WithoutLanes, SecondDerivativesAreAssembled) {
  for (const char* name : {"arm6", "every_joint", "mimic_branches"}) {
    const Model model = name == std::string_view("arm6") ? load(name) : case_named(name).model;
    for (const char* algorithm : {"inverse_dynamics_hvp", "forward_dynamics_hvp", "inverse_dynamics_second_derivatives",
                                  "forward_dynamics_second_derivatives"}) {
      const bool is_matrix = std::string_view(algorithm).ends_with("derivatives");
      if (is_matrix && name != std::string_view("arm6")) continue;  // these are the products along every coordinate
      SCOPED_TRACE(std::string(algorithm) + ", " + name);
      expect_equal(plan_of<TypeParam>(algorithm, model, Specialise::off),
                   plan_of<TypeParam>(algorithm, model, Specialise::wait));
    }
  }
}

TYPED_TEST(WithoutLanes, TooManyOperationsStayAsTheyAre) {
  const Model model = generate("chain:90", 1).build();
  EXPECT_THAT(error_of([&] { plan_of<TypeParam>("forward_dynamics_second_derivatives", model, Specialise::wait); }),
              HasSubstr("cannot be specialised: more than 524288 operations"));
}

/// A state costs several times as much as one in lanes: the line pays sooner.
TYPED_TEST(WithoutLanes, AreAssembledSooner) {
  const Model model = load("arm6");
  const auto plan = plan_of<TypeParam>("energy", model, Specialise::automatic);
  EXPECT_THAT(plan.served_by(), HasSubstr("until 2048 states"));
  States<TypeParam> states(plan.algorithm(), model, 1024, false);
  states.run(plan);
  EXPECT_THAT(plan.served_by(), HasSubstr("until 2048 states"));
  states.run(plan);
  EXPECT_TRUE(comes_true([&] { return plan.specialised(); })) << plan.served_by();
}

/// The first batch that pays for the line goes over to it when it is there.
TYPED_TEST(WithoutLanes, ABatchGoesOverOnItsWay) {
  const Model model = load("arm7");
  for (const char* algorithm : {"energy", "inverse_dynamics"})
    for (const bool rows_apart : {false, true}) {
      SCOPED_TRACE(algorithm);
      const auto plan = plan_of<TypeParam>(algorithm, model, Specialise::automatic);
      const Index n = 40007;
      States<TypeParam> a(plan.algorithm(), model, n, rows_apart), b(plan.algorithm(), model, n, rows_apart);
      a.run(plan_of<TypeParam>(algorithm, model, Specialise::off));
      b.run(plan, rows_apart ? 2 : 1);
      Index wrong = 0;
      for (Index k = 0; k < n; ++k) wrong += !equal(a.result(k, model), b.result(k, model));
      EXPECT_EQ(wrong, 0);
    }
}

Model without_friction(const Model& model) {
  const ModelBuilder described = describe(model);
  ModelBuilder b = described;
  for (const JointDescription& joint : described.joints())
    b.change_joint(joint.name, [](JointDescription& of) { of.friction = 0; });
  return b.build();
}

/// Steps branch at stops, where friction may hold a joint, and within iterations alone.
TYPED_TEST(WithoutLanes, StepsWithoutStopsAreAssembled) {
  for (const char* name : {"arm6", "every_joint", "passive"}) {
    const Model model =
        without_friction(name == std::string_view("arm6") ? load(name) : Model(case_named(name).model));
    for (const char* algorithm : {"step", "step_jvp"})
      for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
        SCOPED_TRACE(std::string(algorithm) + ", " + name + ", " + to_string(integrator));
        const Options options = {.integrator = integrator, .limits = Switch::off};
        expect_equal(plan_of<TypeParam>(algorithm, model, Specialise::off, options),
                     plan_of<TypeParam>(algorithm, model, Specialise::wait, options));
      }
  }
}

TYPED_TEST(WithoutLanes, StepsThatBranchSayWhy) {
  const Model model = load("arm6");
  const auto error = [&](const Options& options) {
    return error_of([&] { plan_of<TypeParam>("step", model, Specialise::wait, options); });
  };
  EXPECT_THAT(error({}), HasSubstr("step stops joints at position limits"));
  EXPECT_THAT(error_of([&] {
                plan_of<TypeParam>("step", case_named("passive").model, Specialise::wait, {.limits = Switch::off});
              }),
              HasSubstr("step has joints with dry friction"));
  EXPECT_THAT(error({.integrator = Integrator::implicit_midpoint, .limits = Switch::off}),
              HasSubstr("iterates by implicit_midpoint"));

  // a controller that comes to its limits
  const Options options = {.limits = Switch::off};
  const auto ordinary = plan_of<TypeParam>("step", model, Specialise::off, options);
  const auto asked = plan_of<TypeParam>("step", model, Specialise::wait, options);
  States<TypeParam> a(ordinary.algorithm(), model, 9, false), b(ordinary.algorithm(), model, 9, false);
  for (std::size_t k = 0; k < a.arrays.size(); ++k)
    if (const std::string_view of = a.algorithm.arguments[k].name; of == "q_target" || of == "kp" || of == "kd") {
      a.give(k, model);
      b.give(k, model);
      for (auto* numbers : {&a.columns[k], &b.columns[k]})
        for (TypeParam& x : *numbers) x *= TypeParam(of == "q_target" ? 1 : 1000);
    }
  a.run(ordinary);
  b.run(asked);
  for (Index k = 0; k < 9; ++k) EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << "state " << k;
}

}  // namespace
}  // namespace tandem::test
