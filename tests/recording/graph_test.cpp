// SPDX-License-Identifier: Apache-2.0
/// What a graph makes of the operations that it is told.
#include <gtest/gtest.h>

#include <cmath>

#include "tracing/graph.hpp"

namespace tandem::test {
namespace {

using Precision = Graph::Precision;

TEST(Graph, KnownNumbersAreComputedAtOnceInItsPrecision) {
  Graph in_double(Precision::double_precision), in_float(Precision::single_precision);
  EXPECT_EQ(in_double.value(in_double.divide(in_double.constant(1), in_double.constant(3))), 1.0 / 3.0);
  EXPECT_EQ(in_float.value(in_float.divide(in_float.constant(1), in_float.constant(3))), double{1.0f / 3.0f});
  EXPECT_EQ(in_float.value(in_float.constant(0.1)), double{0.1f});
  EXPECT_EQ(in_double.value(-in_double.multiply(in_double.constant(-2), in_double.constant(3))), 6);
  EXPECT_EQ(in_double.value(in_double.sine(in_double.constant(-0.5))),
            -in_double.value(in_double.sine(in_double.constant(0.5))));
}

TEST(Graph, ZerosAndOnesCostNothing) {
  Graph g(Precision::double_precision);
  const Term x = g.input(), y = g.input(), zero = g.constant(0), one = g.constant(1), minus_one = g.constant(-1);
  const std::size_t before = g.nodes().size();
  EXPECT_EQ(g.add(x, zero), x);
  EXPECT_EQ(g.add(zero, -x), -x);
  EXPECT_EQ(g.multiply(x, one), x);
  EXPECT_EQ(g.multiply(minus_one, x), -x);
  EXPECT_EQ(g.multiply(x, zero), zero);
  EXPECT_EQ(g.multiply_add(x, zero, y), y);
  EXPECT_EQ(g.divide(x, minus_one), -x);
  EXPECT_EQ(g.select(Operation::select_less, x, y, one, one), one);
  EXPECT_EQ(g.nodes().size(), before);
  EXPECT_EQ(g.multiply_add(x, one, y), g.add(x, y));
  EXPECT_EQ(g.multiply_add(x, y, zero), g.multiply(x, y));
}

TEST(Graph, EqualOperationsAreOneNodeWhateverTheirSigns) {
  Graph g(Precision::double_precision);
  const Term x = g.input(), y = g.input(), z = g.input();
  EXPECT_EQ(g.add(x, y), g.add(y, x));
  EXPECT_EQ(g.add(x, -y), -g.add(y, -x));
  EXPECT_EQ(g.multiply(-x, y), -g.multiply(y, x));
  EXPECT_EQ(g.multiply_add(-x, y, -z), -g.multiply_add(y, x, z));
  EXPECT_EQ(g.multiply_add(x, -y, z), -g.multiply_add(x, y, -z));
  EXPECT_EQ(g.sine(-x), -g.sine(x));
  EXPECT_EQ(g.cosine(-x), g.cosine(x));
  EXPECT_EQ(g.absolute(-x), g.absolute(x));
  EXPECT_EQ(g.select(Operation::select_less, -x, -y, z, x), g.select(Operation::select_less, y, x, z, x));
}

TEST(Graph, AProductIsTakenOutOfASumOnlyWhereThatRoundsNothing) {
  Graph g(Precision::double_precision);
  const Term x = g.input(), third = g.constant(1.0 / 3), tenth = g.constant(0.1), two = g.constant(2);
  EXPECT_EQ(g.nodes()[static_cast<std::size_t>(g.multiply_add(third, tenth, x).node)].operation,
            Operation::multiply_add);
  EXPECT_EQ(g.multiply_add(third, two, x), g.add(g.constant(2.0 / 3), x));
  EXPECT_EQ(g.value(g.multiply_add(third, tenth, two)), std::fma(1.0 / 3, 0.1, 2.0));
}

TEST(Graph, ForProcessorsWithoutFusedMultiplyAddProductsAreRoundedAndShared) {
  Graph g(Precision::double_precision, Graph::Products::rounded);
  const Term x = g.input(), y = g.input(), third = g.constant(1.0 / 3), tenth = g.constant(0.1);
  EXPECT_EQ(g.multiply_add(x, y, third), g.add(g.multiply(x, y), third));
  EXPECT_EQ(g.multiply_add(-x, y, -third), -g.multiply_add(x, y, third));
  EXPECT_EQ(g.value(g.multiply_add(third, tenth, third)), 1.0 / 3 * 0.1 + 1.0 / 3);
  for (const Node& node : g.nodes()) EXPECT_NE(node.operation, Operation::multiply_add);
}

}  // namespace
}  // namespace tandem::test
