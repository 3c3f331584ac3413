// SPDX-License-Identifier: Apache-2.0
/// Every algorithm's body on numbers that count. That this compiles says that no number falls back to double on its way
/// through a body and that no branch depends on one, so that packs of numbers can take their place.
#include <gtest/gtest.h>

#include <type_traits>

#include "scalars/bodies.hpp"

namespace tandem::test {
namespace {

static_assert(!std::is_convertible_v<double, Counting> && std::is_constructible_v<Counting, double>);
static_assert(!std::is_constructible_v<double, Counting> && !std::is_constructible_v<bool, Condition>);

Columns<Counting> counting(const Columns<double>& columns) {
  Columns<Counting> result;
  for (const auto& column : columns) {
    result.emplace_back();
    for (const double x : column) result.back().push_back(Counting(x));
  }
  return result;
}

TEST(Counting, CountsWhatIsDone) {
  Counting::count = {};
  const Counting x(3), y(4);
  const auto [s, c] = sincos(-x);
  const Counting z = select(x < y, sqrt(x * x + y * y) / y - x, s * c);
  const Operations count = Counting::count;
  EXPECT_EQ(count.additions, 2);
  EXPECT_EQ(count.multiplications, 3);
  EXPECT_EQ(count.divisions, 1);
  EXPECT_EQ(count.square_roots, 1);
  EXPECT_EQ(count.angles, 1);
  EXPECT_EQ(count.flops(), 7);
  EXPECT_EQ(z.value(), 5.0 / 4 - 3);
}

/// The library may sum in another order and fuse multiplications with additions: the results agree up to rounding,
/// which the small masses of some robots make larger than usual.
TEST(Counting, BodiesComputeWhatTheLibraryComputes) {
  for (const std::string& robot : robots_for_scalars()) {
    const Model& model = case_named(robot).model;
    for (const Body<Counting>& body : counting_bodies())
      for (const Options& options : own_options(find_algorithm(body.name), model))
        for (const Optional optional : {Optional::left_out, Optional::given}) {
          SCOPED_TRACE(robot + ", " + body.name);
          Columns<double> expected = random_arguments(body.arguments, model, 5, optional);
          Columns<Counting> ours = counting(expected);
          run_in_double(body.name, model, options, expected);
          body.run(model.view<double>(), options, ours);
          for (std::size_t k = 0; k < expected.size(); ++k) {
            double scale = 0;
            for (const double x : expected[k]) scale = std::max(scale, std::abs(x));
            for (std::size_t row = 0; row < expected[k].size(); ++row)
              EXPECT_NEAR(ours[k][row].value(), expected[k][row], 1e-11 * scale)
                  << body.arguments[k].name << ", row " << row;
          }
        }
  }
}

}  // namespace
}  // namespace tandem::test
