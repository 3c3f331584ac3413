// SPDX-License-Identifier: Apache-2.0
#include "scalars/counting.hpp"

namespace tandem::test {

Operations Counting::count;

Counting operator+(Counting a, Counting b) {
  ++Counting::count.additions;
  return Counting(a.value() + b.value());
}
Counting operator-(Counting a, Counting b) {
  ++Counting::count.additions;
  return Counting(a.value() - b.value());
}
Counting operator*(Counting a, Counting b) {
  ++Counting::count.multiplications;
  return Counting(a.value() * b.value());
}
Counting operator/(Counting a, Counting b) {
  ++Counting::count.divisions;
  return Counting(a.value() / b.value());
}
Counting operator-(Counting a) { return Counting(-a.value()); }
Condition operator<(Counting a, Counting b) { return Condition(a.value() < b.value()); }
Condition operator==(Counting a, Counting b) { return Condition(a.value() == b.value()); }
Counting select(Condition condition, Counting x, Counting y) { return condition.holds_ ? x : y; }

Counting sqrt(Counting a) {
  ++Counting::count.square_roots;
  return Counting(tandem::sqrt(a.value()));
}
Counting abs(Counting a) { return Counting(tandem::abs(a.value())); }
Counting atan2(Counting y, Counting x) {
  ++Counting::count.angles;
  return Counting(tandem::atan2(y.value(), x.value()));
}
SinCos<Counting> sincos(Counting a) {
  ++Counting::count.angles;
  const auto [s, c] = tandem::sincos(a.value());
  return {Counting(s), Counting(c)};
}

}  // namespace tandem::test
