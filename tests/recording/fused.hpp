// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "tandem/detail/core/math.hpp"

namespace tandem::test {

/// A plain number whose products are added with one rounding, or with two, whatever the tests are compiled for.
template <class R, bool fuses = true>
struct Fused {
  R value = 0;
  Fused() = default;
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit Fused(T number) : value(static_cast<R>(number)) {}

  friend Fused operator+(Fused a, Fused b) { return Fused(a.value + b.value); }
  friend Fused operator-(Fused a, Fused b) { return Fused(a.value - b.value); }
  friend Fused operator*(Fused a, Fused b) { return Fused(a.value * b.value); }
  friend Fused operator/(Fused a, Fused b) { return Fused(a.value / b.value); }
  friend Fused operator-(Fused a) { return Fused(-a.value); }
  friend bool operator<(Fused a, Fused b) { return a.value < b.value; }
  friend bool operator==(Fused a, Fused b) { return a.value == b.value; }
  friend Fused mul_add(const Fused& a, const Fused& b, const Fused& c) {
    return Fused(fuses ? std::fma(a.value, b.value, c.value) : a.value * b.value + c.value);
  }
  friend Fused sqrt(Fused a) { return Fused(std::sqrt(a.value)); }
  friend Fused abs(Fused a) { return Fused(std::abs(a.value)); }
  friend auto bits_of(Fused a) { return tandem::bits_of(a.value); }
};

}  // namespace tandem::test

namespace tandem::inline TANDEM_ISA {
template <class R, bool fuses>
struct RealOf<test::Fused<R, fuses>> {
  using type = R;
};
}  // namespace tandem::inline TANDEM_ISA

namespace tandem::test {
template <class R, bool fuses>
SinCos<Fused<R, fuses>> sincos(Fused<R, fuses> a) {
  return sincos_of_moderate(a);
}
}  // namespace tandem::test
