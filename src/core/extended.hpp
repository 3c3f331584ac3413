// SPDX-License-Identifier: Apache-2.0
/// A number of more digits than double, for references: long double with the functions that bodies ask for.
#pragma once
#include <cmath>

#include "tandem/detail/core/math.hpp"

namespace tandem {

class Extended {
 public:
  Extended() = default;
  explicit Extended(long double x) : x_(x) {}
  long double value() const { return x_; }

 private:
  long double x_ = 0;
};

inline Extended operator+(Extended a, Extended b) { return Extended(a.value() + b.value()); }
inline Extended operator-(Extended a, Extended b) { return Extended(a.value() - b.value()); }
inline Extended operator*(Extended a, Extended b) { return Extended(a.value() * b.value()); }
inline Extended operator/(Extended a, Extended b) { return Extended(a.value() / b.value()); }
inline Extended operator-(Extended a) { return Extended(-a.value()); }
inline bool operator<(Extended a, Extended b) { return a.value() < b.value(); }
inline bool operator==(Extended a, Extended b) { return a.value() == b.value(); }
inline Extended sqrt(Extended a) { return Extended(std::sqrt(a.value())); }
inline Extended abs(Extended a) { return Extended(std::abs(a.value())); }
inline Extended arctangent(Extended y, Extended x) { return Extended(std::atan2(y.value(), x.value())); }
inline SinCos<Extended> sincos(Extended a) { return {Extended(std::sin(a.value())), Extended(std::cos(a.value()))}; }

}  // namespace tandem
