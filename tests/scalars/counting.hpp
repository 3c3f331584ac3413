// SPDX-License-Identifier: Apache-2.0
/// A number that counts what is done with it.
#pragma once
#include <cstdint>

#include "tandem/core/math.hpp"

namespace tandem::test {

struct Operations {
  std::int64_t additions = 0;  ///< and subtractions; a change of sign is free
  std::int64_t multiplications = 0;
  std::int64_t divisions = 0;
  std::int64_t square_roots = 0;
  std::int64_t angles = 0;  ///< calls of sincos and atan2
  /// Arithmetic, each operation counted as one; the functions of angles are not part of it.
  std::int64_t flops() const { return additions + multiplications + divisions + square_roots; }
};

/// The strictest number that an algorithm's body has to work with: a plain number becomes one only when asked to, it never
/// turns back into a plain number, and no branch can be taken on what it is.
class Counting {
 public:
  Counting() = default;
  explicit Counting(double x) : x_(x) {}
  double value() const { return x_; }

  static Operations count;  ///< since the program began, or since somebody set it to zero

 private:
  double x_ = 0;
};

/// What a comparison gives: good for select and for nothing else.
class Condition {
 public:
  explicit Condition(bool holds) : holds_(holds) {}

 private:
  friend Counting select(Condition, Counting, Counting);
  bool holds_;
};

Counting operator+(Counting a, Counting b);
Counting operator-(Counting a, Counting b);
Counting operator*(Counting a, Counting b);
Counting operator/(Counting a, Counting b);
Counting operator-(Counting a);
Condition operator<(Counting a, Counting b);
Condition operator==(Counting a, Counting b);
Counting select(Condition condition, Counting x, Counting y);
Counting sqrt(Counting a);
Counting abs(Counting a);
Counting atan2(Counting y, Counting x);
SinCos<Counting> sincos(Counting a);

}  // namespace tandem::test
