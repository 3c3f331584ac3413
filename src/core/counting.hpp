// SPDX-License-Identifier: Apache-2.0
/// A number that counts what is done with it: how tests and benchmarks learn the work of an algorithm.
#pragma once
#include <cstdint>

#include "tandem/detail/core/math.hpp"

namespace tandem {

struct Operations {
  std::int64_t additions = 0;  ///< and subtractions; a change of sign is free
  std::int64_t multiplications = 0;
  std::int64_t divisions = 0;
  std::int64_t square_roots = 0;
  std::int64_t angles = 0;  ///< calls of sincos and arctangent
  /// Arithmetic, each operation counted as one; the functions of angles are not part of it.
  std::int64_t flops() const { return additions + multiplications + divisions + square_roots; }
};

/// The strictest number that an algorithm's body has to work with: a plain number becomes one only when asked to, it
/// never turns back into a plain number, and no branch can be taken on what it is.
class Counting {
 public:
  Counting() = default;
  explicit Counting(double x) : x_(x) {}
  double value() const { return x_; }

  static inline Operations count = {};  ///< since the program began, or since somebody set it to zero

 private:
  double x_ = 0;
};

/// What a comparison gives: good for select and for `any`, nothing else.
class Condition {
 public:
  explicit Condition(bool holds) : holds_(holds) {}

 private:
  friend Counting select(Condition, Counting, Counting);
  friend bool any(Condition);
  bool holds_;
};

/// The result of an operation of one kind.
inline Counting counted(std::int64_t& operations, double result) {
  ++operations;
  return Counting(result);
}
inline Counting operator+(Counting a, Counting b) { return counted(Counting::count.additions, a.value() + b.value()); }
inline Counting operator-(Counting a, Counting b) { return counted(Counting::count.additions, a.value() - b.value()); }
inline Counting operator*(Counting a, Counting b) {
  return counted(Counting::count.multiplications, a.value() * b.value());
}
inline Counting operator/(Counting a, Counting b) { return counted(Counting::count.divisions, a.value() / b.value()); }
inline Counting operator-(Counting a) { return Counting(-a.value()); }
inline Condition operator<(Counting a, Counting b) { return Condition(a.value() < b.value()); }
inline Condition operator==(Counting a, Counting b) { return Condition(a.value() == b.value()); }
inline Counting select(Condition condition, Counting x, Counting y) { return condition.holds_ ? x : y; }

/// Iterations end on it.
inline bool any(Condition condition) { return condition.holds_; }

inline Counting sqrt(Counting a) { return counted(Counting::count.square_roots, tandem::sqrt(a.value())); }
inline Counting abs(Counting a) { return Counting(tandem::abs(a.value())); }
inline Counting arctangent(Counting y, Counting x) {
  return counted(Counting::count.angles, tandem::arctangent(y.value(), x.value()));
}
inline SinCos<Counting> sincos(Counting a) {
  ++Counting::count.angles;
  const auto [s, c] = tandem::sincos(a.value());
  return {Counting(s), Counting(c)};
}

}  // namespace tandem
