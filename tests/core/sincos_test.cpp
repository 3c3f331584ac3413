// SPDX-License-Identifier: Apache-2.0
/// Our own sine and cosine, measured in units of the last place against a wider type.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "core/random.hpp"
#include "core/ulps.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem::test {
namespace {

/// Largest error seen, and where.
template <class R>
class Worst {
 public:
  void measure(R x) {
    using W = typename Wider<R>::type;
    const auto [s, c] = sincos(x);
    const double error = std::max(ulps(s, std::sin(static_cast<W>(x))), ulps(c, std::cos(static_cast<W>(x))));
    if (error > error_) {
      error_ = error;
      at_ = x;
    }
  }
  double error() const { return error_; }
  R at() const { return at_; }

 private:
  double error_ = 0;
  R at_ = 0;
};

template <class R>
class SinCosOf : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(SinCosOf, Reals);

/// Rounding of the reduced angle adds up to 1 ulp to that of the polynomials.
constexpr double allowed = 2.5;  // ulp
constexpr double allowed_up_to_one_turn = 1.5;

TYPED_TEST(SinCosOf, ErrorStaysBelowAFewUlpsOnEveryRange) {
  const double largest = SinCosConstants<TypeParam>::largest;
  Random random(1);
  for (const double range : {0.8, 3.2, 100.0, largest, 100 * largest}) {
    Worst<TypeParam> worst;
    for (int k = 0; k < 200'000; ++k) worst.measure(static_cast<TypeParam>(random.uniform(-range, range)));
    EXPECT_LE(worst.error(), range < 7 ? allowed_up_to_one_turn : allowed)
        << "at " << worst.at() << " within " << range;
    this->RecordProperty("ulps_to_" + std::to_string(range), std::to_string(worst.error()));
  }
}

TYPED_TEST(SinCosOf, SmallAnglesKeepAllDigits) {
  Worst<TypeParam> worst;
  for (int exponent = std::numeric_limits<TypeParam>::min_exponent + 30; exponent < 1; ++exponent) {
    for (const double mantissa : {1.0, 1.25, 1.7}) {
      worst.measure(static_cast<TypeParam>(std::ldexp(mantissa, exponent)));
      worst.measure(static_cast<TypeParam>(-std::ldexp(mantissa, exponent)));
    }
  }
  EXPECT_LE(worst.error(), allowed_up_to_one_turn) << "at " << worst.at();
}

TYPED_TEST(SinCosOf, NeighboursOfMultiplesOfAQuarterTurnKeepAllDigits) {
  const double largest = SinCosConstants<TypeParam>::largest;
  Worst<TypeParam> worst;
  Random random(2);
  for (int k = 0; k < 100'000; ++k) {
    const double multiple = k < 10'000 ? k : std::floor(random.uniform(0, largest * 0.6));
    const auto nearest = static_cast<TypeParam>(multiple * std::numbers::pi / 4);
    const auto infinity = std::numeric_limits<TypeParam>::infinity();
    for (const TypeParam x : {nearest, std::nextafter(nearest, infinity), std::nextafter(nearest, -infinity)}) {
      worst.measure(x);
      worst.measure(-x);
    }
  }
  EXPECT_LE(worst.error(), allowed) << "at " << worst.at();
}

TYPED_TEST(SinCosOf, ZeroIsExactAndNoNumberGivesNaN) {
  const auto [s, c] = sincos(TypeParam(0));
  EXPECT_EQ(s, TypeParam(0));
  EXPECT_EQ(c, TypeParam(1));
  using Limits = std::numeric_limits<TypeParam>;
  for (const TypeParam x : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    EXPECT_TRUE(std::isnan(sincos(x).sin)) << x;
    EXPECT_TRUE(std::isnan(sincos(x).cos)) << x;
  }
  EXPECT_TRUE(std::abs(sincos(Limits::max()).sin) <= 1);
  EXPECT_EQ(sincos(Limits::denorm_min()).sin, Limits::denorm_min());
}

TYPED_TEST(SinCosOf, SineIsOddAndCosineEven) {
  Random random(3);
  for (int k = 0; k < 10'000; ++k) {
    const auto x = static_cast<TypeParam>(random.uniform(0, 1000));
    const auto plus = sincos(x), minus = sincos(-x);
    EXPECT_EQ(plus.sin, -minus.sin) << x;
    EXPECT_EQ(plus.cos, minus.cos) << x;
  }
}

}  // namespace
}  // namespace tandem::test
