// SPDX-License-Identifier: Apache-2.0
/// Recorded functions as instructions for one state: the bits of the graph, where the user's numbers lie.
#include "tracing/jit/state_function.hpp"
#include "recording/recording_support.hpp"
#include "tracing/split_angles.hpp"
#include "support/errors.hpp"

namespace tandem::test {
namespace {

std::vector<Registers> kinds() {
  std::vector<Registers> kinds = registers_here();
  std::erase_if(kinds, [](Registers registers) { return !serves_single_states(registers); });
  return kinds;
}

template <class T>
class StateFunctions : public ::testing::Test {
  void SetUp() override {
    if (kinds().empty()) GTEST_SKIP() << "no Xbyak, or a processor without AVX2";
  }
};
TYPED_TEST_SUITE(StateFunctions, Reals);

/// Columns with numbers of nobody's around each, and memory to work in.
template <class T>
struct Guarded {
  static constexpr std::size_t guards = 16;
  static constexpr T guard = T(0.1875);

  explicit Guarded(const std::vector<std::vector<T>>& columns, std::size_t scratch_bytes)
      : scratch(scratch_bytes / sizeof(T) + 64 / sizeof(T) + 1, std::numeric_limits<T>::quiet_NaN()) {
    for (const auto& column : columns) {
      auto& numbers = all.emplace_back(column.size() + 2 * guards, guard);
      std::copy(column.begin(), column.end(), numbers.begin() + guards);
    }
    for (auto& numbers : all) addresses.push_back(numbers.size() == 2 * guards ? nullptr : numbers.data() + guards);
  }
  bool run(const StateFunction& function) {
    void* start = scratch.data();
    std::size_t space = scratch.size() * sizeof(T);
    return function(addresses.data(), std::align(64, function.scratch_bytes(), start, space));
  }
  T& at(std::size_t column, std::size_t row) { return all[column][guards + row]; }
  void expect_guards() const {
    for (const auto& numbers : all)
      for (std::size_t k = 0; k < guards; ++k) {
        EXPECT_EQ(numbers[k], guard);
        EXPECT_EQ(numbers[numbers.size() - 1 - k], guard);
      }
  }
  std::vector<std::vector<T>> all;
  std::vector<const void*> addresses;
  std::vector<T> scratch;
};

TYPED_TEST(StateFunctions, HaveTheBitsOfTheGraph) {
  using T = TypeParam;
  for_each_recording(
      [](const Algorithm& algorithm, const Options& options, const Case& c, const std::vector<std::string>& optional) {
        const RecordedFunction function =
            record(algorithm, c.model, options, {.precision = precision_of<T>, .optional = optional});
        if (error_of([&] { split_angles(function); }).find("depends on functions of another") != std::string::npos)
          return;
        const auto order = as_recorded(function);
        const auto state = library_call<T>(function, algorithm, c.model, options, c.seed);
        const auto expected = run_fused<T>(function, order, state);
        for (const Registers registers : kinds()) {
          const StateFunction assembled(function, registers);
          Guarded<T> call(state, assembled.scratch_bytes());
          ASSERT_TRUE(call.run(assembled));
          call.expect_guards();
          for (std::size_t k = 0; k < expected.size(); ++k)
            for (std::size_t row = 0; row < expected[k].size(); ++row)
              EXPECT_EQ(call.at(k, row), expected[k][row]) << function.columns[k].argument->name << ", row " << row;
        }
      });
}

TYPED_TEST(StateFunctions, LeaveOddStatesAlone) {
  using T = TypeParam;
  for (const char* name : {"every_joint", "mimic_branches", "humanoid"}) {
    const Case& c = case_named(name);
    const Algorithm& algorithm = find_algorithm("forward_dynamics");
    const RecordedFunction function = record(algorithm, c.model, {}, {.precision = precision_of<T>});
    const auto state = library_call<T>(function, algorithm, c.model, {}, c.seed);
    for (const Registers registers : kinds()) {
      const StateFunction assembled(function, registers);
      for (std::size_t k = 0; k < state.size(); ++k)
        for (std::size_t row = 0; is_input(*function.columns[k].argument) && row < state[k].size(); ++row)
          for (const T odd : {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::infinity()}) {
            Guarded<T> call(state, assembled.scratch_bytes());
            call.at(k, row) = odd;
            const auto before = call.all.back();
            EXPECT_FALSE(call.run(assembled)) << name << ", argument " << k << ", row " << row;
            EXPECT_EQ(call.all.back(), before) << name << ", argument " << k << ", row " << row;
          }
    }
  }
}

TYPED_TEST(StateFunctions, LeaveLargeAnglesAlone) {
  using T = TypeParam;
  const Case& c = case_named("every_joint");
  const Model& m = c.model;
  const Algorithm& algorithm = find_algorithm("gravity_forces");
  const RecordedFunction function = record(algorithm, m, {}, {.precision = precision_of<T>});
  const SplitAngles split = split_angles(function);
  const auto state = library_call<T>(function, algorithm, m, {}, c.seed);
  for (const Registers registers : kinds()) {
    const StateFunction assembled(function, registers);
    const T largest = SinCosConstants<T>::largest;
    std::size_t tried = 0;
    for (const Term& angle : split.angles) {
      const Node& node = split.function.graph.nodes()[static_cast<std::size_t>(angle.node)];
      if (node.operation != Operation::input) continue;
      ++tried;
      for (const T large : {largest, -largest, 4 * largest}) {
        Guarded<T> call(state, assembled.scratch_bytes());
        call.at(0, static_cast<std::size_t>(node.value)) = large;
        EXPECT_FALSE(call.run(assembled)) << "row " << node.value;
        call.at(0, static_cast<std::size_t>(node.value)) =
            large * (1 - 4 * std::numeric_limits<T>::epsilon()) / (std::abs(large) / largest);
        EXPECT_TRUE(call.run(assembled)) << "row " << node.value;
      }
    }
    EXPECT_GT(tried, 3u);
  }
}

}  // namespace
}  // namespace tandem::test
