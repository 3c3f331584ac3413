// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "tandem/detail/core/column.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

/// Neighbouring plain numbers that are worked on as one, `rows_at_once` of them. Where the compiler has vectors they
/// lie in one; loops over them, once unrolled, would be taken number by number.
template <class R>
struct Neighbours {
  static constexpr int n = rows_at_once<R>;
#if defined(__clang__) && !defined(__CUDACC__)
  typedef R Numbers __attribute__((vector_size(n * sizeof(R))));
#else
  typedef R Numbers[n];
#endif
  Numbers e;

  Neighbours() = default;
  TANDEM_HD explicit Neighbours(R x) {
    for (int k = 0; k < n; ++k) e[k] = x;
  }

  TANDEM_HD friend Neighbours operator+(const Neighbours& a, const Neighbours& b) {
    return of(a, b, [](auto& r, const auto& x, const auto& y) TANDEM_INLINE { r = x + y; });
  }
  TANDEM_HD friend Neighbours operator-(const Neighbours& a, const Neighbours& b) {
    return of(a, b, [](auto& r, const auto& x, const auto& y) TANDEM_INLINE { r = x - y; });
  }
  TANDEM_HD friend Neighbours operator*(const Neighbours& a, const Neighbours& b) {
    return of(a, b, [](auto& r, const auto& x, const auto& y) TANDEM_INLINE { r = x * y; });
  }
  TANDEM_HD friend Neighbours operator-(const Neighbours& a) {
    return of(a, a, [](auto& r, const auto& x, const auto&) TANDEM_INLINE { r = -x; });
  }

 private:
  /// f writes its result: returned, a vector would be passed in another way by processors without registers of its
  /// width.
  template <class F>
  TANDEM_HD static Neighbours of(const Neighbours& a, const Neighbours& b, F&& f) {
    Neighbours r;
    if constexpr (std::is_array_v<Numbers>) {
#pragma omp simd
      for (int k = 0; k < n; ++k) f(r.e[k], a.e[k], b.e[k]);
    } else {
      f(r.e, a.e, b.e);
    }
    return r;
  }
};
template <class R>
TANDEM_HD Neighbours<R> mul_add(const Neighbours<R>& a, const Neighbours<R>& b, const Neighbours<R>& c) {
  Neighbours<R> r;
#if defined(__clang__) && !defined(__CUDACC__)
#if !defined(TANDEM_STRICT) && (defined(__FMA__) || defined(__ARM_FEATURE_FMA))
  r.e = __builtin_elementwise_fma(a.e, b.e, c.e);
#else
  r.e = a.e * b.e + c.e;
#endif
#else
#pragma omp simd
  for (int k = 0; k < r.n; ++k) r.e[k] = mul_add(a.e[k], b.e[k], c.e[k]);
#endif
  return r;
}

/// So many rows at once: plain numbers as neighbours, packs and the numbers of a thread of a GPU each by itself.
template <class S>
using Abreast = std::conditional_t<(rows_at_once<S> > 1), Neighbours<S>, S>;

/// From and to the rows of a column; V is one number or neighbours.
template <class V, class Column>
TANDEM_HD V load_abreast(const Column& c, Index row) {
  if constexpr (requires(V x) { x.e[0]; }) {
    V x;
    if constexpr (std::is_pointer_v<Column>)
      __builtin_memcpy(&x.e, c + row, sizeof(x.e));
    else
      for (int k = 0; k < x.n; ++k) x.e[k] = c[row + k];
    return x;
  } else {
    return V(c[row]);
  }
}
template <class V, class Column>
TANDEM_HD void store_abreast(const Column& c, Index row, const V& x) {
  if constexpr (requires { x.e[0]; }) {
    if constexpr (std::is_pointer_v<Column>)
      __builtin_memcpy(c + row, &x.e, sizeof(x.e));
    else
      for (int k = 0; k < x.n; ++k) c[row + k] = x.e[k];
  } else {
    c[row] = x;
  }
}

/// The first `count` of them, at most as many as V has; the others are zero, and stay as they are.
template <class V, class S, class Column>
TANDEM_HD V load_some(const Column& c, Index row, int count) {
  constexpr int n = rows_at_once<S>;
  if constexpr (n > 1) {
    if (count < n) {
      S some[n];
      for (int k = 0; k < n; ++k) some[k] = k < count ? S(c[row + k]) : S(0);
      return load_abreast<V>(&some[0], 0);
    }
  }
  return load_abreast<V>(c, row);
}
template <class S, class V, class Column>
TANDEM_HD void store_some(const Column& c, Index row, int count, const V& x) {
  constexpr int n = rows_at_once<S>;
  if constexpr (n > 1) {
    if (count < n) {
      S some[n];
      store_abreast(&some[0], 0, x);
      for (int k = 0; k < count; ++k) c[row + k] = some[k];
      return;
    }
  }
  store_abreast(c, row, x);
}

/// Columns `begin` to `end` - 1 in parts of at most `most` registers, as alike as can be: f(begin, end).
template <int most, class S, class F>
TANDEM_HD void in_even_parts(int begin, int end, F&& f) {
  constexpr int n = rows_at_once<S>;
  int left = (end - begin + n - 1) / n;
  for (int parts = (left + most - 1) / most; parts > 0; --parts) {
    const int taken = (left + parts - 1) / parts, after = begin + n * taken;
    f(begin, after < end ? after : end);
    left -= taken;
    begin = after;
  }
}
/// f(how many registers the columns take, as a constant).
template <int most, class S, int abreast = 1, class F>
TANDEM_HD void on_width(int columns, F&& f) {
  if constexpr (abreast < most) {
    if (columns > abreast * rows_at_once<S>) return on_width<most, S, abreast + 1>(columns, f);
  }
  f(std::integral_constant<int, abreast>{});
}

}  // namespace tandem::inline TANDEM_ISA
