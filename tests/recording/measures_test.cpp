// SPDX-License-Identifier: Apache-2.0
/// Counts, depths and edges of graphs small enough to be counted by hand, and of robots.
#include "tracing/measures.hpp"

#include "recording/recording_support.hpp"

namespace tandem::test {
namespace {

/// One row in, one row out.
constexpr Argument in = {"x", Rows::scalar, Role::input, "m", "in"},
                   out = {"y", Rows::scalar, Role::output, "m", "out"};

/// y = sqrt(x x + 3) + x, and something that nobody asks for.
RecordedFunction small_function() {
  RecordedFunction f = {"small", Graph(Graph::Precision::double_precision), {}};
  const Term x = f.graph.input();
  f.graph.divide(x, f.graph.constant(7));
  const Term root = f.graph.square_root(f.graph.multiply_add(x, x, f.graph.constant(3)));
  const Term y = f.graph.add(root, x);
  f.columns = {{&in, {x}}, {&out, {y}}};
  return f;
}

TEST(Measures, OfASmallFunction) {
  const RecordedFunction f = small_function();
  const OperationCounts counts = operation_counts(f);
  EXPECT_EQ(counts[static_cast<std::size_t>(Operation::input)], 1);
  EXPECT_EQ(counts[static_cast<std::size_t>(Operation::constant)], 1);
  EXPECT_EQ(counts[static_cast<std::size_t>(Operation::multiply_add)], 1);
  EXPECT_EQ(counts[static_cast<std::size_t>(Operation::square_root)], 1);
  EXPECT_EQ(counts[static_cast<std::size_t>(Operation::add)], 1);
  EXPECT_EQ(counts[static_cast<std::size_t>(Operation::divide)], 0);
  EXPECT_EQ(operations(f), 3);
  EXPECT_EQ(depth(f), 3);
  EXPECT_EQ(parallelism(f), 1);
  const auto dear_roots = [](Operation operation) { return operation == Operation::square_root ? 10.0 : 1.0; };
  EXPECT_EQ(depth(f, dear_roots), 13);  // reading the input is one, too
  EXPECT_EQ(edges(f).size(), 5u);       // x to the product twice, that to the root, that and x to the sum
}

TEST(Measures, WhatIsBehindEndsWithTheOutputs) {
  const RecordedFunction f = small_function();
  const auto before = earliest(f), after = behind(f);
  const auto node = [](Term t) { return static_cast<std::size_t>(t.node); };
  EXPECT_EQ(after[node(f.columns[1].rows[0])], 0);
  EXPECT_EQ(after[node(f.columns[0].rows[0])], depth(f));
  EXPECT_EQ(*std::max_element(before.begin(), before.end()), 3);
  EXPECT_EQ(std::count(after.begin(), after.end(), -1.0), 3);  // 0, 7 and the quotient lead nowhere
}

/// Edges lead from earlier nodes to later ones, nothing takes longer than the whole, and limbs side by side are no
/// deeper.
TEST(Measures, OfRobots) {
  for (const char* robot : {"arm7", "quadruped", "humanoid"})
    for (const char* name : {"inverse_dynamics", "forward_dynamics", "mass_matrix"}) {
      SCOPED_TRACE(std::string(robot) + ", " + name);
      const RecordedFunction f = record(find_algorithm(name), load(robot));
      const auto before = earliest(f), after = behind(f);
      const double longest = depth(f);
      for (const Edge& edge : edges(f)) {
        EXPECT_LT(edge.from, edge.to);
        EXPECT_LT(before[static_cast<std::size_t>(edge.from)], before[static_cast<std::size_t>(edge.to)]);
      }
      for (const std::int32_t k : as_recorded(f))
        EXPECT_LE(before[static_cast<std::size_t>(k)] + after[static_cast<std::size_t>(k)], longest);
      EXPECT_GT(parallelism(f), 2);
    }
  const auto of = [](const char* robot) { return record(find_algorithm("inverse_dynamics"), load(robot)); };
  EXPECT_GT(operations(of("quadruped")), operations(of("arm7")));
  EXPECT_LE(depth(of("quadruped")),
            depth(of("arm7")));  // seven joints one after the other, and six with four legs of three
}

}  // namespace
}  // namespace tandem::test
