// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "tandem/detail/core/column.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

/// Neighbouring plain numbers that are worked on as one, `rows_at_once` of them. Where the compiler has vectors they lie in one; loops
/// over them, once unrolled, would be taken number by number.
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

}  // namespace tandem::inline TANDEM_ISA
