// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/core/column.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

/// Eight numbers that are computed with at once. Whoever has vector registers has them in parts of several numbers.
template <class S, class Part = S>
struct Eight {
  using Number = S;
  static constexpr int W = sizeof(Part) / sizeof(S), n = 8 / W;
  Part parts[n];

  TANDEM_HD static Eight load(const S* from) {
    Eight r;
    __builtin_memcpy(static_cast<void*>(r.parts), from, sizeof(r.parts));
    return r;
  }
  TANDEM_HD static Eight zero() {
    const S none[8] = {};
    return load(none);
  }
  /// 1 in place i.
  TANDEM_HD static Eight unit(int i) {
    S one[8] = {};
    one[i] = S(1);
    return load(one);
  }
  TANDEM_HD void store(S* to) const { __builtin_memcpy(static_cast<void*>(to), parts, sizeof(parts)); }
  TANDEM_HD S operator[](int j) const {
    if constexpr (W == 1)
      return parts[j];
    else
      return parts[j / W].lanes[j % W];
  }
  TANDEM_HD void set(int j, const S& x) {
    if constexpr (W == 1)
      parts[j] = x;
    else
      parts[j / W].lanes[j % W] = x;
  }
};
/// s x + y
template <class S, class Part>
TANDEM_HD Eight<S, Part> mul_add(const S& s, const Eight<S, Part>& x, Eight<S, Part> y) {
  for (int k = 0; k < y.n; ++k) y.parts[k] = mul_add(Part(s), x.parts[k], y.parts[k]);
  return y;
}
/// The same in the places from .. to - 1; what comes out in others is of no account. Whoever computes with one number
/// at a time, or with few, has less to do.
template <class S, class Part>
TANDEM_HD Eight<S, Part> mul_add_within(int from, int to, const S& s, const Eight<S, Part>& x, Eight<S, Part> y) {
  constexpr int W = Eight<S, Part>::W;
  for (int k = from / W; k < (to + W - 1) / W; ++k) y.parts[k] = mul_add(Part(s), x.parts[k], y.parts[k]);
  return y;
}
template <class S, class Part>
TANDEM_HD Eight<S, Part> operator*(const S& s, Eight<S, Part> x) {
  for (Part& part : x.parts) part = Part(s) * part;
  return x;
}
template <class S, class Part>
TANDEM_HD Eight<S, Part> operator-(Eight<S, Part> x, const Eight<S, Part>& y) {
  for (int k = 0; k < x.n; ++k) x.parts[k] = x.parts[k] - y.parts[k];
  return x;
}
template <class Condition, class S, class Part>
TANDEM_HD Eight<S, Part> choose(const Condition& condition, Eight<S, Part> x, const Eight<S, Part>& y) {
  for (int k = 0; k < x.n; ++k) x.parts[k] = select(condition, x.parts[k], y.parts[k]);
  return x;
}
/// The first six of x, the last two of y.
template <class S, class Part>
TANDEM_HD Eight<S, Part> first_six(const Eight<S, Part>& x, Eight<S, Part> y) {
  for (int j = 0; j < 6; ++j) y.set(j, x[j]);
  return y;
}
template <class S, class Part>
TANDEM_HD void transpose(Eight<S, Part> (&rows)[8]) {
  constexpr int W = Eight<S, Part>::W, n = 8 / W;
  Eight<S, Part> from[8];
  for (int i = 0; i < 8; ++i) from[i] = rows[i];
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      Part block[W];
      for (int i = 0; i < W; ++i) block[i] = from[W * a + i].parts[b];
      if constexpr (W > 1) transpose<W / 2>(block);
      for (int i = 0; i < W; ++i) rows[W * b + i].parts[a] = block[i];
    }
}

}  // namespace tandem::inline TANDEM_ISA
