// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/core/column.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

/// Eight numbers that are computed with at once. Whoever has vector registers puts a type alike in its place.
template <class S>
struct Eight {
  using Number = S;
  S x[8];

  TANDEM_HD static Eight load(const S* from) {
    Eight r;
    for (int j = 0; j < 8; ++j) r.x[j] = from[j];
    return r;
  }
  TANDEM_HD void store(S* to) const {
    for (int j = 0; j < 8; ++j) to[j] = x[j];
  }
  TANDEM_HD const S& operator[](int j) const { return x[j]; }
};
/// s x + y
template <class S>
TANDEM_HD Eight<S> mul_add(const S& s, const Eight<S>& x, Eight<S> y) {
  for (int j = 0; j < 8; ++j) y.x[j] = mul_add(s, x.x[j], y.x[j]);
  return y;
}
template <class S>
TANDEM_HD Eight<S> operator*(const S& s, Eight<S> x) {
  for (int j = 0; j < 8; ++j) x.x[j] = s * x.x[j];
  return x;
}
template <class S>
TANDEM_HD Eight<S> operator-(Eight<S> x, const Eight<S>& y) {
  for (int j = 0; j < 8; ++j) x.x[j] = x.x[j] - y.x[j];
  return x;
}
template <class Condition, class S>
TANDEM_HD Eight<S> choose(const Condition& condition, Eight<S> x, const Eight<S>& y) {
  for (int j = 0; j < 8; ++j) x.x[j] = select(condition, x.x[j], y.x[j]);
  return x;
}
/// The first six or the last two of x, the others of y.
template <class S>
TANDEM_HD Eight<S> first_six(const Eight<S>& x, Eight<S> y) {
  for (int j = 0; j < 6; ++j) y.x[j] = x.x[j];
  return y;
}
template <class S>
TANDEM_HD void transpose(Eight<S> (&rows)[8]) {
  for (int i = 1; i < 8; ++i)
    for (int j = 0; j < i; ++j) {
      const S x = rows[i].x[j];
      rows[i].x[j] = rows[j].x[i];
      rows[j].x[i] = x;
    }
}

}  // namespace tandem::inline TANDEM_ISA
