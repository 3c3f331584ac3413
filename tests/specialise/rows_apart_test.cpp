// SPDX-License-Identifier: Apache-2.0
/// Arrays [row][batch] of many states, which are brought over in blocks: the results of arrays [batch][row].
#include "specialise/specialised_support.hpp"

namespace tandem::test {
namespace {

template <class T>
class RowsApart : public ::testing::Test {};
TYPED_TEST_SUITE(RowsApart, Reals);

/// A whole number of pages apart and not, of numbers of states that fill the last block and do not.
TYPED_TEST(RowsApart, HaveTheResultsOfStatesApart) {
  using T = TypeParam;
  const Model model = case_named("humanoid").model;
  constexpr Index page = 4096 / sizeof(T);
  for (const char* name : {"mass_matrix", "forward_dynamics", "inverse_dynamics"})
    for (const Specialise specialise : {Specialise::off, Specialise::automatic})
      for (const auto& [n, threads] : {std::pair(page, 1), std::pair(page + 1, 3)}) {
        SCOPED_TRACE(std::string(name) + ", " + std::to_string(n) + " states, " + std::to_string(threads) + " threads");
        const Algorithm& algorithm = find_algorithm(name);
        const Plan<T> plan(model, algorithm, {}, {}, specialise);
        States<T> apart(algorithm, model, n, true), together(algorithm, model, n, false);
        for (States<T>* states : {&apart, &together}) {
          states->at(0, n - 1, 8) = std::numeric_limits<T>::quiet_NaN();
          states->at(0, n / 2, 9) = T(1e7);  // too large for lines
          states->run(plan, threads);
        }
        for (const Index k : {Index{0}, Index{1}, n / 3, n / 2, n - 2, n - 1})
          EXPECT_TRUE(equal(apart.result(k, model), together.result(k, model))) << "state " << k;
        Index wrong = 0;
        for (Index k = 0; k < n; ++k) wrong += !equal(apart.result(k, model), together.result(k, model));
        EXPECT_EQ(wrong, 0);
      }
}

/// Results in the place of an input, parameters for every state.
TYPED_TEST(RowsApart, MayBeWrittenWhereInputsLie) {
  using T = TypeParam;
  const Model model = case_named("humanoid").model;
  const Algorithm& algorithm = find_algorithm("inverse_dynamics");
  constexpr Index n = 4096 / sizeof(T);
  const Plan<T> plan(model, algorithm);
  States<T> apart(algorithm, model, n, true), together(algorithm, model, n, false);
  apart.arrays.back() = apart.arrays[2];
  std::vector<T> gravity(static_cast<std::size_t>(3 * n));
  for (std::size_t k = 0; k < gravity.size(); ++k) gravity[k] = static_cast<T>(k % 7);
  const BatchedParameter<T> varied[] = {{Parameter::gravity, {gravity.data(), 3, 1}}};
  apart.run(plan, 1, varied);
  together.run(plan, 1, varied);
  for (Index k = 0; k < n; ++k)
    for (Index row = 0; row < model.nv(); ++row)
      ASSERT_EQ(apart.at(2, k, row), together.at(together.arrays.size() - 1, k, row)) << "state " << k;
}

}  // namespace
}  // namespace tandem::test
