// SPDX-License-Identifier: Apache-2.0
/// What calls of specialised plans may give: optional arguments, parameters, states that their instructions do not
/// serve.
#include <optional>

#include "api/parameters.hpp"
#include "specialise/specialised_support.hpp"
#include "support/many.hpp"

namespace tandem::test {
namespace {

template <class T>
class SpecialisedCalls : public SpecialisedCase<T> {};
TYPED_TEST_SUITE(SpecialisedCalls, Reals);

/// Parameters of every state, in numbers that can be those of robots.
template <class T>
class Varied {
 public:
  Varied(const Model& model, Index states, const std::vector<Parameter>& which) {
    for (const Parameter parameter : which) {
      const Index rows = shape(parameters()[static_cast<std::size_t>(parameter)].rows, model.view<T>()).count();
      auto& numbers = numbers_.emplace_back(static_cast<std::size_t>(rows * states));
      for (Index k = 0; k < rows * states; ++k) {
        const T size = static_cast<T>(1 + (7 * k + static_cast<int>(parameter)) % 11) / T(8);
        const bool off_diagonal = parameter == Parameter::inertia && k % 6 != 0 && k % 6 != 3 && k % 6 != 5;
        numbers[static_cast<std::size_t>(k)] = off_diagonal ? size / 16 : size;
      }
      all_.push_back({parameter, {numbers.data(), rows, 1}});
    }
  }
  std::span<const BatchedParameter<T>> all() const { return all_; }
  T& last(std::size_t which, Index state) {
    return numbers_[which][static_cast<std::size_t>(all_[which].values.stride * (state + 1) - 1)];
  }

 private:
  std::vector<std::vector<T>> numbers_;
  std::vector<BatchedParameter<T>> all_;
};

/// Whether there is a line for such calls.
template <class T>
bool line_is_there(const Plan<T>& plan, const States<T>& states, std::span<const BatchedParameter<T>> varied = {}) {
  const ParametersOfModel<T> given(plan.model(), varied, states.size);
  Call<T> call = {plan.model().template view<T>(), plan.options(), states.arrays.data()};
  if (!varied.empty()) call.parameters = &given.arrays();
  return plan.execution_path().specialised->line_for(plan.model(), call, states.size) != nullptr;
}
/// True once there is one.
template <class T>
bool line_comes(const Plan<T>& plan, const States<T>& states, std::span<const BatchedParameter<T>> varied = {}) {
  return comes_true([&] { return line_is_there(plan, states, varied); });
}

template <class T>
void give_all(States<T>& states, const Model& model) {
  for (std::size_t k = 0; k < states.arrays.size(); ++k)
    if (is_optional(states.algorithm.arguments[k])) states.give(k, model);
}

/// A line for every choice of optional arguments that calls give, before the first of them if they are to wait.
TYPED_TEST(SpecialisedCalls, ServeOptionalArguments) {
  const Model model = load("arm7");
  for (const Algorithm& algorithm : algorithms()) {
    if (!can_be_printed(algorithm)) continue;
    std::vector<std::size_t> optional;
    for (std::size_t k = 0; k < algorithm.arguments.size(); ++k)
      if (is_optional(algorithm.arguments[k])) optional.push_back(k);
    if (optional.empty()) continue;
    const Plan<TypeParam> ordinary(model, algorithm, {}, {}, Specialise::off);
    std::optional<Plan<TypeParam>> plan;
    for (unsigned choice = 0, lines = 0; choice < 1u << optional.size(); ++choice) {
      States<TypeParam> a(algorithm, model, 19, false), b(algorithm, model, 19, false);
      for (std::size_t k = 0; k < optional.size(); ++k)
        if (choice >> k & 1) {
          a.give(optional[k], model);
          b.give(optional[k], model);
        }
      if (a.lacks_an_input()) continue;
      if (lines++ % 15 == 0)
        plan.emplace(model, algorithm, Options{}, Device{}, Specialise::wait);  // each keeps 16, one of them its own
      a.run(ordinary);
      SCOPED_TRACE(std::string(algorithm.name) + ", optional arguments " + std::to_string(choice));
      EXPECT_TRUE(line_is_there(*plan, b));
      b.run(*plan);
      for (Index k = 0; k < 19; ++k) EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << "state " << k;
    }
  }
}

/// All algorithms with all that calls can give, with and without optional arguments; and some with every parameter
/// alone.
TYPED_TEST(SpecialisedCalls, TakeParameters) {
  std::vector<Parameter> all;
  for (int k = 0; k < n_parameters; ++k) all.push_back(static_cast<Parameter>(k));
  for (const char* name : {"every_joint", "mimic_branches"})
    for (const Algorithm& algorithm : algorithms()) {
      if (!can_be_printed(algorithm)) continue;
      const Model& model = case_named(name).model;
      std::vector<std::vector<Parameter>> choices = {all};
      // under sanitizers of one algorithm: they do not look into code that is assembled
      const bool reads_all =
          algorithm.name == std::string_view("energy") || (!few_cases && algorithm.methods.size() > 0);
      if (reads_all && name == std::string_view("every_joint"))
        for (const Parameter one : all) choices.push_back({one});
      const Plan<TypeParam> ordinary(model, algorithm, {}, {}, Specialise::off);
      for (const auto& which : choices)
        for (const bool optional : {false, true}) {
          SCOPED_TRACE(std::string(algorithm.name) + ", " + name + ", " + std::to_string(which.size()) +
                       " parameters, the first " + to_string(which.front()) + (optional ? ", all arguments" : ""));
          const Plan<TypeParam> plan(model, algorithm, {}, {}, Specialise::on);
          const Varied<TypeParam> varied(model, 19, which);
          States<TypeParam> a(algorithm, model, 19, false), b(algorithm, model, 19, false);
          if (optional) give_all(a, model);
          if (optional) give_all(b, model);
          a.run(ordinary, 1, varied.all());
          ASSERT_TRUE(line_comes(plan, b, varied.all()));
          b.run(plan, 1, varied.all());
          for (Index k = 0; k < 19; ++k) EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << "state " << k;
        }
    }
}

/// NaN, infinity, angles that are too large, numbers whose products overflow, in inputs of any kind: such states go the
/// ordinary way, and no other notices.
template <class T>
void expect_odd_states_apart(const Plan<T>& ordinary, const Plan<T>& specialised, bool all) {
  const Model& model = ordinary.model();
  const Algorithm& algorithm = ordinary.algorithm();
  const std::vector<T> odd = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(), T(3e7),
                              std::numeric_limits<T>::max() / 8, -std::sqrt(std::numeric_limits<T>::max())};
  const auto is_odd = [&](Index b) { return b % 2 == 1 && b / 2 < static_cast<Index>(odd.size()); };
  const Index n = 19;
  const std::vector<Parameter> which = all ? std::vector{Parameter::com, Parameter::gravity} : std::vector<Parameter>();
  const auto states = [&] {
    States<T> made(algorithm, model, n, false);
    if (all) give_all(made, model);
    return made;
  };
  States<T> clean = states();
  clean.run(specialised, 1, Varied<T>(model, n, which).all());
  const std::size_t n_arguments = algorithm.arguments.size();
  for (std::size_t input = 0; input < n_arguments + which.size(); ++input) {
    if (input < n_arguments && (!is_input(algorithm.arguments[input]) || clean.columns[input].empty())) continue;
    SCOPED_TRACE("input " + std::to_string(input));
    Varied<T> varied(model, n, which);
    States<T> a = states(), b = states();
    for (Index k = 0; k < n; ++k)
      if (is_odd(k) && input < n_arguments)
        a.last(input, k) = b.last(input, k) = odd[static_cast<std::size_t>(k / 2)];
      else if (is_odd(k))
        varied.last(input - n_arguments, k) = odd[static_cast<std::size_t>(k / 2)];
    a.run(ordinary, 1, varied.all());
    b.run(specialised, 1, varied.all());
    for (Index k = 0; k < n; ++k) {
      EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << "state " << k;
      if (!is_odd(k)) {
        EXPECT_TRUE(equal(clean.result(k, model), b.result(k, model))) << "state " << k;
      }
    }
  }
}

TYPED_TEST(SpecialisedCalls, LeaveOddStatesToTheOrdinaryWay) {
  for_each_pair<TypeParam>(
      [](const Algorithm&, const Model&, const Plan<TypeParam>& ordinary, const Plan<TypeParam>& specialised) {
        expect_odd_states_apart(ordinary, specialised, false);
      });
}

TYPED_TEST(SpecialisedCalls, LeaveOddStatesWithAllThatCallsCanGiveToTheOrdinaryWay) {
  const Model& model = case_named("every_joint").model;
  for (const Algorithm& algorithm : algorithms()) {
    if (!can_be_printed(algorithm)) continue;
    SCOPED_TRACE(algorithm.name);
    const Plan<TypeParam> ordinary(model, algorithm, {}, {}, Specialise::off);
    const Plan<TypeParam> specialised(model, algorithm, {}, {}, Specialise::on);
    States<TypeParam> states(algorithm, model, 19, false);
    give_all(states, model);
    ASSERT_TRUE(line_comes<TypeParam>(specialised, states,
                                      Varied<TypeParam>(model, 19, {Parameter::com, Parameter::gravity}).all()));
    expect_odd_states_apart(ordinary, specialised, true);
  }
}

/// Accelerations in the place of joint forces: those are still there when a state goes the ordinary way.
TYPED_TEST(SpecialisedCalls, MayWriteWhereTheyRead) {
  const Model model = load("arm7");
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  const Plan<TypeParam> specialised(model, algorithm, {}, {}, Specialise::wait);
  States<TypeParam> a(algorithm, model, 21, false), b(algorithm, model, 21, false);
  for (States<TypeParam>* states : {&a, &b}) {
    states->last(0, 4) = TypeParam(3e7);
    states->last(1, 20) = std::numeric_limits<TypeParam>::quiet_NaN();
  }
  a.run(Plan<TypeParam>(model, algorithm, {}, {}, Specialise::off));
  const std::size_t out = algorithm.arguments.size() - 1;
  b.arrays[out] = b.arrays[2];
  b.run(specialised);
  for (Index k = 0; k < 21; ++k) EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << "state " << k;
}

/// One state that stands for all is an input like others.
TYPED_TEST(SpecialisedCalls, MayShareInputs) {
  const Model model = load("arm7");
  const Algorithm& algorithm = find_algorithm("inverse_dynamics");
  const Plan<TypeParam> specialised(model, algorithm, {}, {}, Specialise::wait);
  States<TypeParam> a(algorithm, model, 21, false), b(algorithm, model, 21, false);
  a.arrays[1].stride = b.arrays[1].stride = 0;
  a.run(Plan<TypeParam>(model, algorithm, {}, {}, Specialise::off));
  b.run(specialised);
  for (Index k = 0; k < 21; ++k) EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << "state " << k;
}

}  // namespace
}  // namespace tandem::test
