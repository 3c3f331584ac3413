// SPDX-License-Identifier: Apache-2.0
/// Every algorithm recorded for robots of every kind: the graph computes what the library computes, to the bit.
#include <gmock/gmock.h>

#include "tracing/interleave.hpp"
#include "recording/recording_support.hpp"
#include "support/errors.hpp"

namespace tandem::test {
namespace {

template <class T>
class Record : public ::testing::Test {};
TYPED_TEST_SUITE(Record, Reals);

TYPED_TEST(Record, HasTheBitsOfTheLibrary) {
  using T = TypeParam;
  for_each_recording(
      [](const Algorithm& algorithm, const Options& options, const Case& c, const std::vector<std::string>& optional) {
        const RecordedFunction function =
            record(algorithm, c.model, options,
                   {.precision = precision_of<T>, .optional = optional, .products = products_in_use()});
        const auto columns = library_call<T>(function, algorithm, c.model, options, c.seed);
        const auto results = run_fused<T>(function, depth_first(function), columns);
        for (std::size_t k = 0; k < columns.size(); ++k)
          for (std::size_t row = 0; row < results[k].size(); ++row)
            EXPECT_EQ(results[k][row], columns[k][row]) << function.columns[k].argument->name << " " << row;
      });
}

TYPED_TEST(Record, OrdersComputeEveryOperandBeforeItIsUsed) {
  for_each_recording(
      [](const Algorithm& algorithm, const Options& options, const Case& c, const std::vector<std::string>& optional) {
        const RecordedFunction function =
            record(algorithm, c.model, options, {.precision = precision_of<TypeParam>, .optional = optional});
        const auto first = as_recorded(function), second = depth_first(function);
        const auto& nodes = function.graph.nodes();
        for (const auto& order : {first, second, interleaved(function, second, 1), interleaved(function, second, 40)}) {
          EXPECT_EQ(first.size(), order.size());
          std::vector<bool> there(nodes.size());
          for (const std::int32_t k : order) {
            const Node& node = nodes[static_cast<std::size_t>(k)];
            for (int i = 0; i < operand_count(node.operation); ++i)
              ASSERT_TRUE(there[static_cast<std::size_t>(node.operand[i].node)] ||
                          function.graph.is_known(node.operand[i]));
            EXPECT_FALSE(there[static_cast<std::size_t>(k)]);
            there[static_cast<std::size_t>(k)] = true;
          }
        }
      });
}

/// A limb is done with before the next begins: what waits does not grow with their number.
TEST(Recording, DepthFirstWaitsForOneLimbAtATime) {
  const Algorithm& algorithm = find_algorithm("inverse_dynamics");
  const auto waiting = [&](const char* robot, const auto& order_of) {
    const RecordedFunction function = record(algorithm, load(robot));
    return most_alive(function, order_of(function));
  };
  EXPECT_LT(waiting("humanoid", depth_first), waiting("humanoid", as_recorded) / 2);
  EXPECT_LT(waiting("quadruped", depth_first), waiting("quadruped", as_recorded));
}

TEST(Recording, SaysWhichOptionalArgumentAnAlgorithmDoesNotHave) {
  const Model model = load("arm7");
  const std::string error =
      error_of([&] { record(find_algorithm("mass_matrix"), model, {}, {.optional = {"f_ext"}}); });
  EXPECT_THAT(error, ::testing::HasSubstr("mass_matrix"));
  EXPECT_THAT(error, ::testing::HasSubstr("f_ext"));
  EXPECT_EQ(error_of([&] { record(find_algorithm("forward_kinematics"), model, {}, {.optional = {"velocity"}}); }),
            "forward_kinematics: velocity needs the argument v");
}

}  // namespace
}  // namespace tandem::test
