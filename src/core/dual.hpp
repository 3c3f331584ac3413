// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "tandem/detail/core/math.hpp"

namespace tandem {

template <class T, class R>
concept OtherNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, R>;

/// A number and its rate: x + x' dt, with dt^2 = 0. An algorithm's body that runs on dual numbers gives the exact time
/// derivative of its outputs, by the chain rule and up to rounding.
template <class R>
struct Dual {
  R value{}, rate{};

  Dual() = default;
  explicit Dual(R v, R r = R(0)) : value(v), rate(r) {}
  template <OtherNumber<R> Other>
  explicit Dual(Other v) : value(static_cast<R>(v)) {}

  friend Dual operator+(const Dual& a, const Dual& b) { return Dual(a.value + b.value, a.rate + b.rate); }
  friend Dual operator-(const Dual& a, const Dual& b) { return Dual(a.value - b.value, a.rate - b.rate); }
  friend Dual operator-(const Dual& a) { return Dual(-a.value, -a.rate); }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return Dual(a.value * b.value, a.rate * b.value + a.value * b.rate);
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const R quotient = a.value / b.value;
    return Dual(quotient, (a.rate - quotient * b.rate) / b.value);
  }
  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
};

template <class R>
Dual<R> sqrt(const Dual<R>& a) {
  const R root = tandem::sqrt(a.value);
  return Dual<R>(root, a.rate / (R(2) * root));
}
template <class R>
Dual<R> abs(const Dual<R>& a) {
  return a.value < R(0) ? -a : a;
}
template <class R>
SinCos<Dual<R>> sincos(const Dual<R>& a) {
  const auto [s, c] = tandem::sincos(a.value);
  return {Dual<R>(s, c * a.rate), Dual<R>(c, -s * a.rate)};
}
template <class R>
Dual<R> arctangent(const Dual<R>& y, const Dual<R>& x) {
  return Dual<R>(tandem::arctangent(y.value, x.value),
                 (x.value * y.rate - y.value * x.rate) / (x.value * x.value + y.value * y.value));
}

}  // namespace tandem
