// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::test {

template <class R>
struct Wider;
template <>
struct Wider<double> {
  using type = long double;
};
template <>
struct Wider<float> {
  using type = double;
};

/// Distance from the exact value in units of the last place of R there.
template <class R, class W>
double ulps(R x, W exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int lowest = std::numeric_limits<R>::min_exponent;
  const W ulp = std::ldexp(W(1), std::max(exponent, lowest) - std::numeric_limits<R>::digits);
  return static_cast<double>(std::abs(static_cast<W>(x) - exact) / ulp);
}

}  // namespace tandem::test
