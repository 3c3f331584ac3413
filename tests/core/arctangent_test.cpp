// SPDX-License-Identifier: Apache-2.0
/// Our own angle of a point, measured in units of the last place against a wider type.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "core/random.hpp"
#include "core/ulps.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem::test {
namespace {

template <class R>
class Arctangent : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Arctangent, Reals);

TYPED_TEST(Arctangent, IsWithinTwoAndAHalfUlpEverywhere) {
  using R = TypeParam;
  using W = typename Wider<R>::type;
  Random random(1);
  double worst = 0;
  R at_y = 0, at_x = 0;
  const auto measure = [&](R y, R x) {
    const double error = ulps(arctangent(y, x), std::atan2(static_cast<W>(y), static_cast<W>(x)));
    if (error > worst) {
      worst = error;
      at_y = y;
      at_x = x;
    }
  };
  for (int k = 0; k < 200000; ++k) {
    const W angle = static_cast<W>(random.uniform(-std::numbers::pi, std::numbers::pi));
    measure(static_cast<R>(std::sin(angle)), static_cast<R>(std::cos(angle)));
    measure(static_cast<R>(random.uniform(-1, 1)), static_cast<R>(random.uniform(-1, 1)));
    const double size = std::exp(random.uniform(-60, 60));  // of any size, near the axes
    measure(static_cast<R>(random.uniform(-1, 1) * size), static_cast<R>(random.uniform(-1, 1)));
  }
  EXPECT_LE(worst, 2.5) << "arctangent(" << at_y << ", " << at_x << ")";
}

TYPED_TEST(Arctangent, KnowsTheAxesAndTheOrigin) {
  using R = TypeParam;
  constexpr R pi = std::numbers::pi_v<R>, huge = std::numeric_limits<R>::max() / 4;
  EXPECT_EQ(arctangent(R(0), R(2)), R(0));
  EXPECT_EQ(arctangent(R(0), R(-2)), pi);
  EXPECT_EQ(arctangent(R(2), R(0)), pi / 2);
  EXPECT_EQ(arctangent(R(-2), R(0)), -pi / 2);
  EXPECT_EQ(arctangent(R(3), R(3)), pi / 4);
  EXPECT_EQ(arctangent(R(-3), R(-3)), -R(3) * (pi / 4));
  EXPECT_EQ(arctangent(R(0), R(0)), R(0));
  EXPECT_EQ(arctangent(huge, huge), pi / 4);
  EXPECT_TRUE(std::isnan(arctangent(std::numeric_limits<R>::quiet_NaN(), R(1))));
  EXPECT_TRUE(std::isnan(arctangent(R(1), std::numeric_limits<R>::quiet_NaN())));
}

}  // namespace
}  // namespace tandem::test
