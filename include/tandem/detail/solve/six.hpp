// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

/// Six numbers that are worked on side by side as if they were one. Where the compiler has vectors with fused
/// multiply-adds, plain numbers lie in one, with two more of no meaning; the bits are the same.
template <class S>
struct Six {
  S e[6];

  Six() = default;
  TANDEM_HD explicit Six(const S& x) : e{x, x, x, x, x, x} {}
  TANDEM_HD S operator[](int k) const { return e[k]; }
  TANDEM_HD void set(int k, const S& x) { e[k] = x; }
};
template <class S>
TANDEM_HD Six<S> operator*(Six<S> a, const Six<S>& b) {
  for (int k = 0; k < 6; ++k) a.e[k] = a.e[k] * b.e[k];
  return a;
}
template <class S>
TANDEM_HD Six<S> operator-(Six<S> a) {
  for (int k = 0; k < 6; ++k) a.e[k] = -a.e[k];
  return a;
}
/// a b + c
template <class S>
TANDEM_HD Six<S> mul_add(const Six<S>& a, const Six<S>& b, Six<S> c) {
  for (int k = 0; k < 6; ++k) c.e[k] = mul_add(a.e[k], b.e[k], c.e[k]);
  return c;
}

#if defined(__clang__) && !defined(__CUDACC__) && defined(__FMA__) && !defined(TANDEM_STRICT)
#if __has_builtin(__builtin_elementwise_fma)
#define TANDEM_SIX(R)                                                             \
  template <>                                                                     \
  struct Six<R> {                                                                 \
    typedef R Vector __attribute__((vector_size(8 * sizeof(R))));                 \
    Vector e;                                                                     \
    Six() = default;                                                              \
    TANDEM_HD explicit Six(R x) : e(x - Vector{}) {}                              \
    TANDEM_HD R operator[](int k) const { return e[k]; }                          \
    TANDEM_HD void set(int k, R x) { e[k] = x; }                                  \
  };                                                                              \
  TANDEM_HD Six<R> operator*(Six<R> a, const Six<R>& b) { return a.e *= b.e, a; } \
  TANDEM_HD Six<R> operator-(Six<R> a) { return a.e = -a.e, a; }                  \
  TANDEM_HD Six<R> mul_add(const Six<R>& a, const Six<R>& b, Six<R> c) {          \
    return c.e = __builtin_elementwise_fma(a.e, b.e, c.e), c;                     \
  }
TANDEM_SIX(double)
TANDEM_SIX(float)
#undef TANDEM_SIX
#endif
#endif

}  // namespace tandem::inline TANDEM_ISA
