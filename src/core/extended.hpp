// SPDX-License-Identifier: Apache-2.0
/// A number of more digits than double, for references: long double with the functions that bodies ask for.
#pragma once
#include <cmath>

#include "tandem/detail/core/math.hpp"

namespace tandem {

class Extended {
 public:
  Extended() = default;
  explicit Extended(double x) : x_(x) {}
  static Extended of(long double x) {
    Extended result;
    result.x_ = x;
    return result;
  }
  long double value() const { return x_; }

 private:
  long double x_ = 0;
};

inline Extended operator+(Extended a, Extended b) { return Extended::of(a.value() + b.value()); }
inline Extended operator-(Extended a, Extended b) { return Extended::of(a.value() - b.value()); }
inline Extended operator*(Extended a, Extended b) { return Extended::of(a.value() * b.value()); }
inline Extended operator/(Extended a, Extended b) { return Extended::of(a.value() / b.value()); }
inline Extended operator-(Extended a) { return Extended::of(-a.value()); }
inline bool operator<(Extended a, Extended b) { return a.value() < b.value(); }
inline bool operator==(Extended a, Extended b) { return a.value() == b.value(); }
inline Extended sqrt(Extended a) { return Extended::of(std::sqrt(a.value())); }
inline Extended abs(Extended a) { return Extended::of(std::abs(a.value())); }
inline Extended atan2(Extended y, Extended x) { return Extended::of(std::atan2(y.value(), x.value())); }
inline SinCos<Extended> sincos(Extended a) {
  return {Extended::of(std::sin(a.value())), Extended::of(std::cos(a.value()))};
}

}  // namespace tandem
