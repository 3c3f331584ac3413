// SPDX-License-Identifier: Apache-2.0
/// Packs: several instances side by side in one vector register, one per lane. Compilers' vector extensions carry the
/// arithmetic, and builtins what they lack (fused multiply-add, square root).
#pragma once
#include <limits>
#include <type_traits>

#include "tandem/detail/core/column.hpp"
#include "tandem/detail/core/math.hpp"
#include "tandem/model/view.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace tandem::inline TANDEM_ISA {

/// Bytes of a vector register of the instruction set that this file is compiled for.
#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

/// What comparing packs gives: all bits of a lane set, or none.
template <class R, int W>
struct Mask {
  using Integer = std::conditional_t<sizeof(R) == 8, std::int64_t, std::int32_t>;
  typedef Integer Vector __attribute__((vector_size(W * sizeof(R))));
  Vector lanes;
};

/// W numbers of type R, float or double, on which arithmetic acts lane by lane. No lane ever depends on another one.
template <class R, int W>
struct Pack {
  static constexpr int width = W;
  typedef R Vector __attribute__((vector_size(W * sizeof(R))));  // g++ 12 does not take it as an alias
  Vector lanes;

  Pack() = default;
  TANDEM_HD Pack(Vector v) : lanes(v) {}
  /// The same number in every lane. The difference, unlike a sum with zero, keeps the sign of -0.
  template <class T>
    requires std::is_arithmetic_v<T>
  TANDEM_HD explicit Pack(T x) : lanes(static_cast<R>(x) - Vector{}) {}

  TANDEM_HD friend Pack operator+(const Pack& a, const Pack& b) { return a.lanes + b.lanes; }
  TANDEM_HD friend Pack operator-(const Pack& a, const Pack& b) { return a.lanes - b.lanes; }
  TANDEM_HD friend Pack operator*(const Pack& a, const Pack& b) { return a.lanes * b.lanes; }
  TANDEM_HD friend Pack operator/(const Pack& a, const Pack& b) { return a.lanes / b.lanes; }
  TANDEM_HD friend Pack operator-(const Pack& a) { return -a.lanes; }
  TANDEM_HD friend Mask<R, W> operator<(const Pack& a, const Pack& b) { return {a.lanes < b.lanes}; }
  TANDEM_HD friend Mask<R, W> operator==(const Pack& a, const Pack& b) { return {a.lanes == b.lanes}; }
  TANDEM_HD friend Mask<R, W> operator!=(const Pack& a, const Pack& b) { return {a.lanes != b.lanes}; }
};
template <class R, int W>
inline constexpr bool is_plain_number<Pack<R, W>> = true;

/// As many numbers as a vector register holds.
template <class R>
using FullPack = Pack<R, register_bytes / static_cast<int>(sizeof(R))>;

template <class R, int W>
struct RealOf<Pack<R, W>> {
  using type = R;
};

}  // namespace tandem::inline TANDEM_ISA

namespace tandem {
template <class R, int W>
struct SharedNumber<Pack<R, W>> {
  using type = R;
};
}  // namespace tandem

namespace tandem::inline TANDEM_ISA {

template <class R, int W>
TANDEM_HD bool any(const Mask<R, W>& condition) {
#if defined(__AVX512F__)
  if constexpr (sizeof(condition.lanes) == 64) {
    const auto lanes = reinterpret_cast<__m512i>(condition.lanes);
    return _mm512_test_epi64_mask(lanes, lanes) != 0;
  }
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(condition.lanes) == 32)
    return _mm256_movemask_epi8(reinterpret_cast<__m256i>(condition.lanes)) != 0;
#endif
#if defined(__x86_64__)
  if constexpr (sizeof(condition.lanes) == 16)
    return _mm_movemask_epi8(reinterpret_cast<__m128i>(condition.lanes)) != 0;
#endif
  bool found = false;
  for (int k = 0; k < W; ++k) found = found || condition.lanes[k] != 0;
  return found;
}

/// x in the lanes where the condition holds, y in the others.
template <class R, int W>
TANDEM_HD Pack<R, W> select(const Mask<R, W>& condition, const Pack<R, W>& x, const Pack<R, W>& y) {
  return condition.lanes ? x.lanes : y.lanes;
}
template <class R, int W>
TANDEM_HD Pack<R, W> select(bool condition, const Pack<R, W>& x, const Pack<R, W>& y) {
  return condition ? x : y;
}

/// The bits of every lane.
template <class R, int W>
struct Bits {
  typename Mask<R, W>::Vector lanes;
  TANDEM_HD Bits operator&(int mask) const { return {lanes & mask}; }
  TANDEM_HD Bits operator+(int x) const { return {lanes + x}; }
  TANDEM_HD Mask<R, W> operator!=(int x) const { return {lanes != x}; }
};
template <class R, int W>
TANDEM_HD Bits<R, W> bits_of(const Pack<R, W>& a) {
  return {reinterpret_cast<typename Mask<R, W>::Vector>(a.lanes)};
}

template <class R, int W>
TANDEM_HD Pack<R, W> abs(const Pack<R, W>& a) {
  using Integer = typename Mask<R, W>::Integer;
  return reinterpret_cast<typename Pack<R, W>::Vector>(bits_of(a).lanes & std::numeric_limits<Integer>::max());
}

/// Calls f(x) for the number in every lane.
template <class R, int W, class F>
TANDEM_HD Pack<R, W> lane_by_lane(const Pack<R, W>& a, F&& f) {
  Pack<R, W> result;
  for (int k = 0; k < W; ++k) result.lanes[k] = f(a.lanes[k]);
  return result;
}

template <class R, int W>
TANDEM_HD Pack<R, W> sqrt(const Pack<R, W>& a) {
#if __has_builtin(__builtin_elementwise_sqrt)
  return __builtin_elementwise_sqrt(a.lanes);
#else  // g++ makes one instruction of it
  return lane_by_lane(a, [](R x) TANDEM_INLINE { return std::sqrt(x); });
#endif
}

#if !__has_builtin(__builtin_elementwise_fma)  // g++, which makes single instructions of a part of the loops alone
#if defined(__AVX512F__)
TANDEM_HD __m512d fused(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
TANDEM_HD __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
#endif
#if defined(__x86_64__) && defined(__FMA__)
TANDEM_HD __m256d fused(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
TANDEM_HD __m256 fused(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
TANDEM_HD __m128d fused(__m128d a, __m128d b, __m128d c) { return _mm_fmadd_pd(a, b, c); }
TANDEM_HD __m128 fused(__m128 a, __m128 b, __m128 c) { return _mm_fmadd_ps(a, b, c); }
#elif defined(__ARM_NEON)
TANDEM_HD float64x2_t fused(float64x2_t a, float64x2_t b, float64x2_t c) { return vfmaq_f64(c, a, b); }
TANDEM_HD float32x4_t fused(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmaq_f32(c, a, b); }
#endif
#endif

template <class R, int W>
TANDEM_HD Pack<R, W> mul_add(const Pack<R, W>& a, const Pack<R, W>& b, const Pack<R, W>& c) {
#if defined(TANDEM_STRICT) || !(defined(__FMA__) || defined(__ARM_FEATURE_FMA))
  return a * b + c;
#elif __has_builtin(__builtin_elementwise_fma)
  return __builtin_elementwise_fma(a.lanes, b.lanes, c.lanes);
#else
  return fused(a.lanes, b.lanes, c.lanes);
#endif
}

/// Sine and cosine, every lane with the bits that its number gives alone: huge angles, which hardly any state has, go
/// through the mathematics library one by one.
template <class R, int W>
__attribute__((noinline)) void replace_huge(const Pack<R, W>& x, SinCos<Pack<R, W>>& result) {
  for (int k = 0; k < W; ++k) {
    if (std::abs(x.lanes[k]) < SinCosConstants<R>::largest) continue;
    result.sin.lanes[k] = std::sin(x.lanes[k]);
    result.cos.lanes[k] = std::cos(x.lanes[k]);
  }
}
template <class R, int W>
TANDEM_HD SinCos<Pack<R, W>> sincos(const Pack<R, W>& x) {
  auto result = sincos_of_moderate(x);
  const Mask<R, W> moderate = abs(x) < Pack<R, W>(SinCosConstants<R>::largest);
  if (__builtin_expect(any(Mask<R, W>{~moderate.lanes}), 0)) replace_huge(x, result);
  return result;
}

}  // namespace tandem::inline TANDEM_ISA
