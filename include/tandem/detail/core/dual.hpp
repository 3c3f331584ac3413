// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <type_traits>

#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

template <class T, class R>
concept OtherNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, R>;

/// A number and its rate: x + x' dt, with dt^2 = 0. An algorithm's body that runs on dual numbers gives the exact
/// derivative of its outputs along the rates of its inputs, by the chain rule and up to rounding; values have the bits
/// that they have without rates. R is any number that bodies run on: a pack, another dual number. Conditions are those
/// of values.
template <class R>
struct Dual {
  R value, rate;

  Dual() = default;
  TANDEM_HD explicit Dual(R v, R r = R(0)) : value(v), rate(r) {}
  template <OtherNumber<R> Other>
  TANDEM_HD explicit Dual(Other v) : value(static_cast<R>(v)), rate(R(0)) {}

  TANDEM_HD friend Dual operator+(const Dual& a, const Dual& b) { return Dual(a.value + b.value, a.rate + b.rate); }
  TANDEM_HD friend Dual operator-(const Dual& a, const Dual& b) { return Dual(a.value - b.value, a.rate - b.rate); }
  TANDEM_HD friend Dual operator-(const Dual& a) { return Dual(-a.value, -a.rate); }
  TANDEM_HD friend Dual operator*(const Dual& a, const Dual& b) {
    return Dual(a.value * b.value, sum_of_products(a.value, b.rate, a.rate, b.value));
  }
  TANDEM_HD friend Dual operator/(const Dual& a, const Dual& b) {
    const R quotient = a.value / b.value;
    return Dual(quotient, mul_add(-quotient, b.rate, a.rate) / b.value);
  }
  TANDEM_HD friend auto operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  TANDEM_HD friend auto operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
};

template <class R>
struct RealOf<Dual<R>> : RealOf<R> {};

/// Whether numbers carry rates.
template <class S>
inline constexpr bool has_rates = false;
template <class R>
inline constexpr bool has_rates<Dual<R>> = true;

template <class R>
TANDEM_HD Dual<R> mul_add(const Dual<R>& a, const Dual<R>& b, const Dual<R>& c) {
  return Dual<R>(mul_add(a.value, b.value, c.value), mul_add(a.value, b.rate, mul_add(a.rate, b.value, c.rate)));
}
template <class R>
TANDEM_HD Dual<R> select(bool condition, const Dual<R>& x, const Dual<R>& y) {
  return condition ? x : y;
}
/// Conditions of packs and of numbers that count.
template <class Condition, class R>
  requires(!std::same_as<Condition, bool>)
TANDEM_HD Dual<R> select(const Condition& condition, const Dual<R>& x, const Dual<R>& y) {
  return Dual<R>(select(condition, x.value, y.value), select(condition, x.rate, y.rate));
}
template <class R>
TANDEM_HD Dual<R> sqrt(const Dual<R>& a) {
  const R root = sqrt(a.value);
  return Dual<R>(root, a.rate / (R(2) * root));
}
template <class R>
TANDEM_HD Dual<R> abs(const Dual<R>& a) {
  return select(a.value < R(0), -a, a);
}
template <class R>
TANDEM_HD SinCos<Dual<R>> sincos(const Dual<R>& a) {
  const auto [s, c] = sincos(a.value);
  return {Dual<R>(s, c * a.rate), Dual<R>(c, -s * a.rate)};
}
template <class R>
TANDEM_HD Dual<R> arctangent(const Dual<R>& y, const Dual<R>& x) {
  return Dual<R>(arctangent(y.value, x.value), difference_of_products(x.value, y.rate, y.value, x.rate) /
                                                   sum_of_products(x.value, x.value, y.value, y.value));
}

}  // namespace tandem::inline TANDEM_ISA
