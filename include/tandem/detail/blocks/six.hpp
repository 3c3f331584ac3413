// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

/// Six numbers that are worked on side by side. Where the compiler has vectors with fused multiply-adds, plain numbers lie in
/// one, with two more of no meaning; the bits are the same.
template <class S>
struct Six {
  S e[6];

  TANDEM_HD static Six zero() { return {{S(0), S(0), S(0), S(0), S(0), S(0)}}; }
  TANDEM_HD S operator[](int k) const { return e[k]; }
  TANDEM_HD void set(int k, const S& x) { e[k] = x; }
};
template <class S>
TANDEM_HD Six<S> operator*(const S& s, const Six<S>& a) {
  return {{s * a.e[0], s * a.e[1], s * a.e[2], s * a.e[3], s * a.e[4], s * a.e[5]}};
}
/// s a + b
template <class S>
TANDEM_HD Six<S> mul_add(const S& s, const Six<S>& a, const Six<S>& b) {
  return {{mul_add(s, a.e[0], b.e[0]), mul_add(s, a.e[1], b.e[1]), mul_add(s, a.e[2], b.e[2]),
           mul_add(s, a.e[3], b.e[3]), mul_add(s, a.e[4], b.e[4]), mul_add(s, a.e[5], b.e[5])}};
}

#if defined(__clang__) && !defined(__CUDACC__) && defined(__FMA__) && !defined(TANDEM_STRICT)
#if __has_builtin(__builtin_elementwise_fma)
#define TANDEM_SIX(R)                                                      \
  template <>                                                              \
  struct Six<R> {                                                          \
    typedef R Vector __attribute__((vector_size(8 * sizeof(R))));          \
    Vector e;                                                              \
    TANDEM_HD static Six zero() { return {Vector{}}; }                     \
    TANDEM_HD R operator[](int k) const { return e[k]; }                   \
    TANDEM_HD void set(int k, R x) { e[k] = x; }                           \
  };                                                                       \
  TANDEM_HD Six<R> operator*(R s, const Six<R>& a) { return {s * a.e}; }   \
  TANDEM_HD Six<R> mul_add(const R& s, const Six<R>& a, const Six<R>& b) { \
    return {__builtin_elementwise_fma(s - Six<R>::Vector{}, a.e, b.e)};    \
  }
TANDEM_SIX(double)
TANDEM_SIX(float)
#undef TANDEM_SIX
#endif
#endif

}  // namespace tandem::inline TANDEM_ISA
