// SPDX-License-Identifier: Apache-2.0
/// Plans whose algorithm was assembled for their robot: the results of those that were not, in every batch, layout and lane.
#include <gmock/gmock.h>

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

/// States of one robot as [batch][row] or [row][batch], what is needed given and nothing else.
template <class T>
struct States {
  States(const Algorithm& a, const Model& m, Index n, bool rows_apart) : algorithm(a), size(n) {
    for (const Argument& argument : a.arguments) {
      const Index rows = shape(argument.rows, m.view<T>()).count();
      auto& column = columns.emplace_back(is_optional(argument) ? 0 : static_cast<std::size_t>(rows * n));
      arrays.push_back({column.data(), rows_apart ? 1 : rows, rows_apart ? n : 1});
      if (is_optional(argument)) arrays.back() = {};
      for (Index b = 0; b < n && is_input(argument); ++b) {
        const State s =
            random_state(m, static_cast<std::uint64_t>(b) + (argument.name == std::string_view("q1") ? 500 : 0));
        const Vector& values = argument.rows == Rows::q ? s.q : argument.name == std::string_view("v") ? s.v : s.tau;
        for (Index row = 0; row < rows && !column.empty(); ++row)
          at(arrays.size() - 1, b, row) = static_cast<T>(values[row]);
      }
    }
    status.resize(static_cast<std::size_t>(n));
  }
  T& at(std::size_t argument, Index b, Index row) {
    const Array<T>& array = arrays[argument];
    return array.data[b * array.stride + row * array.row_stride];
  }
  /// The outputs of a state, its status behind them.
  std::vector<T> result(Index b, const Model& m) {
    std::vector<T> numbers;
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (!is_input(algorithm.arguments[k]) && !columns[k].empty())
        for (Index row = 0; row < shape(algorithm.arguments[k].rows, m.view<T>()).count(); ++row)
          numbers.push_back(at(k, b, row));
    numbers.push_back(static_cast<T>(static_cast<int>(status[static_cast<std::size_t>(b)])));
    return numbers;
  }
  void run(const Plan<T>& plan, int threads = 1) {
    Workspace<T> work;
    Batch<T> batch(size, threads);
    batch.status = status;
    evaluate(plan, arrays, batch, work);
  }

  const Algorithm& algorithm;
  Index size;
  std::vector<std::vector<T>> columns;
  std::vector<Array<T>> arrays;
  std::vector<Status> status;
};

/// Equal as numbers, NaN beside NaN: a zero may have another sign.
template <class T>
bool equal(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](T x, T y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

/// f(algorithm, model, plan that is not specialised, plan that is) for all that can be assembled.
template <class T, class F>
void for_each_pair(F&& f) {
  for (const char* name : {"arm6", "every_joint", "mimic_branches", "humanoid"}) {
    const Model model = name == std::string_view("arm6") ? load(name) : case_named(name).model;
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.name == std::string_view("difference")) continue;  // needs atan2
      SCOPED_TRACE(std::string(algorithm.name) + ", " + name);
      const auto plan = [&](Specialise specialise) { return Plan<T>(model, algorithm, {}, {}, specialise); };
      const Plan<T> ordinary = plan(Specialise::never), specialised = plan(Specialise::always);
      EXPECT_EQ(ordinary.way().assembled, nullptr);
      EXPECT_NE(specialised.way().assembled, nullptr);
      f(algorithm, model, ordinary, specialised);
    }
  }
}

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
  const Plan<TypeParam> plan(model, algorithm, {}, {}, Specialise::always);
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

TYPED_TEST(SpecialisedPlans, SayWhyThereAreNone) {
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  const Model long_chain = generate("chain:200", 1).build();
  const auto plan = [](const Model& model, const Algorithm& asked, Specialise specialise, const Options& options = {}) {
    return Plan<TypeParam>(model, asked, options, {}, specialise);
  };
  EXPECT_EQ(plan(long_chain, algorithm, Specialise::automatic).way().assembled, nullptr);
  EXPECT_THAT(error_of([&] { plan(long_chain, algorithm, Specialise::always, {.method = Method::articulated_body}); }),
              HasSubstr("200 links"));
  EXPECT_THAT(error_of([&] { plan(long_chain, algorithm, Specialise::always, {.method = Method::scan}); }),
              HasSubstr("divides"));
  EXPECT_THAT(error_of([&] { plan(load("humanoid"), find_algorithm("difference"), Specialise::always); }),
              HasSubstr("angle"));
  EXPECT_NE(plan(load("arm7"), algorithm, Specialise::automatic).way().assembled, nullptr);
}

}  // namespace
}  // namespace tandem::test
