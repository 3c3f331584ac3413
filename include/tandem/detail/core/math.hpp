// SPDX-License-Identifier: Apache-2.0
/// Elementary functions of one real number, for float and double. Packs, dual numbers and counting numbers bring
/// overloads with the same names, found by argument-dependent lookup.
#pragma once
#include <cmath>
#include <cstdint>

#include "tandem/detail/core/config.hpp"

namespace tandem::inline TANDEM_ISA {

/// a b + c: with one rounding where the processor has a fused multiply-add, with two where it has none or with
/// TANDEM_STRICT. Written out wherever products are summed, and compiled without leave to fuse anything else: a
/// compiler that chooses for itself chooses differently for scalars, packs and GPUs, and the bits of a result must not
/// depend on who computed it.
#if !defined(TANDEM_STRICT) && (defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__CUDA_ARCH__))
TANDEM_HD double mul_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
TANDEM_HD float mul_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#endif
template <class S>
TANDEM_HD constexpr S mul_add(const S& a, const S& b, const S& c) {
  return a * b + c;
}
/// a b + c d
template <class S>
TANDEM_HD constexpr S sum_of_products(const S& a, const S& b, const S& c, const S& d) {
  return mul_add(a, b, c * d);
}
/// a b - c d
template <class S>
TANDEM_HD constexpr S difference_of_products(const S& a, const S& b, const S& c, const S& d) {
  return mul_add(a, b, -(c * d));
}

template <class S>
struct SinCos {
  S sin, cos;
};

/// The real number that S holds one or several of.
template <class S>
struct RealOf {
  using type = S;
};

/// What sincos needs of a precision: the Cody-Waite split of pi/2, whose leading parts carry few enough bits that
/// quadrant * part is exact, with or without a fused multiply-add; and minimax polynomials on |r| <= pi/4 in z = r^2.
template <class R>
struct SinCosConstants;

template <>
struct SinCosConstants<double> {
  static constexpr double two_over_pi = 0.63661977236758134308;
  static constexpr double largest = 1e6;  ///< beyond this the quadrant no longer fits the split
  static constexpr double to_nearest = 0x1.8p52;

  /// x - quadrant * pi / 2
  template <class S>
  TANDEM_HD static S reduced(const S& x, const S& quadrant) {
    const S nearly = (x - quadrant * S(0x1.921fb544p0)) - quadrant * S(0x1.0b4611a6p-34);
    return nearly - quadrant * S(0x1.3198a2e037073p-69);
  }
  /// (sin r - r) / r^3
  template <class S>
  TANDEM_HD static S sin_tail(const S& z) {
    S p = mul_add(z, S(1.58969099521155010221e-10), S(-2.50507602534068634195e-08));
    p = mul_add(z, p, S(2.75573137070700676789e-06));
    p = mul_add(z, p, S(-1.98412698298579493134e-04));
    p = mul_add(z, p, S(8.33333333332248946124e-03));
    return mul_add(z, p, S(-1.66666666666666324348e-01));
  }
  /// (cos r - 1 + r^2 / 2) / r^4
  template <class S>
  TANDEM_HD static S cos_tail(const S& z) {
    S p = mul_add(z, S(-1.13596475577881948265e-11), S(2.08757232129817482790e-09));
    p = mul_add(z, p, S(-2.75573143513906633035e-07));
    p = mul_add(z, p, S(2.48015872894767294178e-05));
    p = mul_add(z, p, S(-1.38888888888741095749e-03));
    return mul_add(z, p, S(4.16666666666666019037e-02));
  }
};

template <>
struct SinCosConstants<float> {
  static constexpr float two_over_pi = 0.636619772f;
  static constexpr float largest = 8e3f;
  static constexpr float to_nearest = 0x1.8p23f;

  template <class S>
  TANDEM_HD static S reduced(const S& x, const S& quadrant) {
    const S nearly = (x - quadrant * S(0x1.92p0f)) - quadrant * S(0x1.fb4p-12f);
    return (nearly - quadrant * S(0x1.444p-24f)) - quadrant * S(0x1.68c234p-39f);
  }
  template <class S>
  TANDEM_HD static S sin_tail(const S& z) {
    return mul_add(z, mul_add(z, S(-1.9515295891e-4f), S(8.3321608736e-3f)), S(-1.6666654611e-1f));
  }
  template <class S>
  TANDEM_HD static S cos_tail(const S& z) {
    return mul_add(z, mul_add(z, S(2.443315711809948e-5f), S(-1.388731625493765e-3f)), S(4.166664568298827e-2f));
  }
};

/// What arctangent needs of a precision: pi/4 and what is missing from it, and a minimax polynomial on |t| <= tan(pi/8)
/// in z = t^2.
template <class R>
struct ArctangentConstants;

template <>
struct ArctangentConstants<double> {
  static constexpr double eighth = 0x1.921fb54442d18p-1, missing = 0x1.1a62633145c07p-55;
  static constexpr double tangent_of_sixteenth = 0.41421356237309504880;

  /// (atan t - t) / t^3
  template <class S>
  TANDEM_HD static S tail(const S& z) {
    S p = mul_add(z, S(-0.017922274803417865), S(0.038078315447468786));
    p = mul_add(z, p, S(-0.05039845232722333));
    p = mul_add(z, p, S(0.05848008838997454));
    p = mul_add(z, p, S(-0.06663120370859994));
    p = mul_add(z, p, S(0.0769206163572112));
    p = mul_add(z, p, S(-0.09090897836353919));
    p = mul_add(z, p, S(0.11111110786133833));
    p = mul_add(z, p, S(-0.14285714280248413));
    p = mul_add(z, p, S(0.19999999999954082));
    return mul_add(z, p, S(-0.333333333333332));
  }
};

template <>
struct ArctangentConstants<float> {
  static constexpr float eighth = 0x1.921fb6p-1f, missing = -0x1.777a5cp-26f;
  static constexpr float tangent_of_sixteenth = 0.414213562f;

  template <class S>
  TANDEM_HD static S tail(const S& z) {
    S p = mul_add(z, S(-6.0834527e-02f), S(1.0596001e-01f));
    p = mul_add(z, p, S(-1.4243849e-01f));
    p = mul_add(z, p, S(1.999849e-01f));
    return mul_add(z, p, S(-3.3333316e-01f));
  }
};

/// x where the condition holds, y elsewhere; packs overload it per lane.
template <class S>
TANDEM_HD constexpr S select(bool condition, S x, S y) {
  return condition ? x : y;
}
/// True if a condition holds in any lane.
TANDEM_HD constexpr bool any(bool condition) { return condition; }

// The same functions, not further ones: `using namespace tandem` leaves them unambiguous.
using std::abs;
using std::sqrt;

/// The bits of a number as an integer of its size.
TANDEM_HD constexpr std::int64_t bits_of(double x) { return __builtin_bit_cast(std::int64_t, x); }
TANDEM_HD constexpr std::int32_t bits_of(float x) { return __builtin_bit_cast(std::int32_t, x); }

/// Sine and cosine of a moderate angle [rad], without a branch. Error below 2.5 ulp (1.5 within a turn).
template <class S, class C = SinCosConstants<typename RealOf<S>::type>>
TANDEM_HD SinCos<S> sincos_of_moderate(const S& x) {
  // adding a large number rounds to whole quadrants and leaves their count in the lowest bits
  const S rounded = mul_add(x, S(C::two_over_pi), S(C::to_nearest));
  const S r = C::reduced(x, rounded - S(C::to_nearest));
  const S z = r * r;
  const S sin_r = mul_add(r * z, C::sin_tail(z), r);
  const S half = S(0.5) * z, upper = S(1) - half;
  const S cos_r = upper + mul_add(z * z, C::cos_tail(z), (S(1) - upper) - half);
  const auto quadrant = bits_of(rounded);
  const auto swap = (quadrant & 1) != 0, sin_falls = (quadrant & 2) != 0, cos_falls = ((quadrant + 1) & 2) != 0;
  const S s = select(swap, cos_r, sin_r), c = select(swap, sin_r, cos_r);
  return {select(sin_falls, -s, s), select(cos_falls, -c, c)};
}

/// The angle [rad] of the point (x, y), above -pi and at most pi, without a branch; 0 of the origin. Zeros have no
/// sign. Error below 2.5 ulp.
template <class S, class C = ArctangentConstants<typename RealOf<S>::type>>
TANDEM_HD S arctangent(const S& y, const S& x) {
  const S width = abs(x), height = abs(y);
  const auto steep = width < height, behind = x < S(0);
  const S small = select(steep, width, height), large = select(steep, height, width);
  // the angle of (large, small), of which an eighth of a turn is taken where it is more than a sixteenth
  const auto wide = S(C::tangent_of_sixteenth) * large < small;
  const S above = select(wide, small - large, small), below = select(wide, small + large, large);
  const S t = above / select(below == S(0), S(1), below), z = t * t;
  S rest = mul_add(t * z, C::tail(z), t), eighths = select(wide, S(1), S(0));
  rest = select(steep, -rest, rest);
  eighths = select(steep, S(2) - eighths, eighths);
  rest = select(behind, -rest, rest);
  eighths = select(behind, S(4) - eighths, eighths);
  const S angle = mul_add(eighths, S(C::eighth), mul_add(eighths, S(C::missing), rest));
  return select(y < S(0), -angle, angle);
}

/// Sine and cosine of one angle [rad], together. Beyond `largest` the mathematics library takes over; NaN and infinity
/// give NaN.
template <class R>
TANDEM_HD SinCos<R> sincos_of_real(R x) {
  if (!(abs(x) < SinCosConstants<R>::largest)) return {std::sin(x), std::cos(x)};
  return sincos_of_moderate(x);
}
TANDEM_HD SinCos<double> sincos(double x) { return sincos_of_real(x); }
TANDEM_HD SinCos<float> sincos(float x) { return sincos_of_real(x); }

}  // namespace tandem::inline TANDEM_ISA
