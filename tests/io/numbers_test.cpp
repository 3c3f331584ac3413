// SPDX-License-Identifier: Apache-2.0
#include "io/numbers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <clocale>
#include <cmath>
#include <limits>
#include <random>

#include "core/text.hpp"

namespace tandem::io {
namespace {

std::string complaint(std::string_view text, std::size_t n = 1) {
  std::array<double, 4> out{};
  return read_reals(text, std::span(out).first(n)).value_or("");
}

double value(std::string_view text) {
  double out = -123;
  EXPECT_EQ(read_reals(text, std::span(&out, 1)), std::nullopt) << text;
  return out;
}

TEST(Numbers, ReadsWhatFilesHold) {
  EXPECT_EQ(value("1"), 1);
  EXPECT_EQ(value("  -2.5\t\r\n"), -2.5);
  EXPECT_EQ(value("+3"), 3);
  EXPECT_EQ(value("1e-3"), 1e-3);
  EXPECT_EQ(value("1E+3"), 1e3);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("5."), 5);
  EXPECT_EQ(value("007"), 7);
  EXPECT_EQ(value("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(value("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(value("-Infinity"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(value("NaN")));
}

TEST(Numbers, ReadsVectors) {
  std::array<double, 3> v{};
  EXPECT_EQ(read_reals(" 1\n2\t 3 ", v), std::nullopt);
  EXPECT_EQ(v, (std::array<double, 3>{1, 2, 3}));
}

TEST(Numbers, NamesWhatIsWrong) {
  EXPECT_EQ(complaint("heavy"), "expected a number");
  EXPECT_EQ(complaint(""), "expected a number, got none");
  EXPECT_EQ(complaint("1 2"), "expected a number, got 2");
  EXPECT_EQ(complaint("1,5"), "expected a number (separate numbers by spaces)");
  EXPECT_EQ(complaint("0 0", 3), "expected 3 numbers, got 2");
  EXPECT_EQ(complaint("0 0 0 0 0", 3), "expected 3 numbers, got 5");
  EXPECT_EQ(complaint("0 zero 0", 3), "expected 3 numbers, got \"zero\"");
  EXPECT_EQ(complaint("0,0,0", 3), "expected 3 numbers, got 1 (separate numbers by spaces)");
  EXPECT_EQ(complaint("1e999"), "\"1e999\" is beyond the range of a double");
  for (const char* text :
       {"0x10", "1.0f", "+-1", "++1", "--1", "1e", "e1", ".", "-", "+", "1.2.3", "1_000", "nano"})
    EXPECT_EQ(complaint(text), "expected a number") << text;
}

TEST(Numbers, ReadTheSameInEveryLocale) {
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}) {
    if (std::setlocale(LC_ALL, locale) == nullptr) continue;  // not installed here
    EXPECT_EQ(value("1.5"), 1.5) << locale;
    EXPECT_EQ(complaint("1,5"), "expected a number (separate numbers by spaces)") << locale;
    EXPECT_EQ(text(0.25), "0.25") << locale;
  }
  std::setlocale(LC_ALL, "C");
}

TEST(Numbers, WrittenNumbersReadBackExactly) {
  std::mt19937_64 bits(7);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::bit_cast<double>(bits());
    if (!std::isfinite(x)) continue;
    ASSERT_EQ(value(text(x)), x) << text(x);
  }
}

}  // namespace
}  // namespace tandem::io
