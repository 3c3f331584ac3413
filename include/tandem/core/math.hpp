// SPDX-License-Identifier: Apache-2.0
/// Elementary functions of one real number, for float and double. Packs, dual numbers and counting numbers bring
/// overloads with the same names, found by argument-dependent lookup.
#pragma once
#include <cmath>

#include "tandem/core/config.hpp"

namespace tandem::inline TANDEM_ISA {

template <class S>
struct SinCos {
  S sin, cos;
};

// Minimax polynomials on |r| <= pi/4 and the Cody-Waite split of pi/2. The leading parts of the split carry few
// enough bits that quadrant * part is exact, with or without a fused multiply-add.
template <class R>
struct SinCosConstants;

template <>
struct SinCosConstants<double> {
  static constexpr double two_over_pi = 0.63661977236758134308;
  static constexpr double pi_2[3] = {0x1.921fb544p0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
  static constexpr double largest = 1e6;  ///< beyond this the quadrant no longer fits the split
  static constexpr double to_nearest = 0x1.8p52;
  static constexpr double sin[6] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,
                                    -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                                    -2.50507602534068634195e-08, 1.58969099521155010221e-10};
  static constexpr double cos[6] = {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                                    2.48015872894767294178e-05, -2.75573143513906633035e-07,
                                    2.08757232129817482790e-09, -1.13596475577881948265e-11};
};

template <>
struct SinCosConstants<float> {
  static constexpr float two_over_pi = 0.636619772f;
  static constexpr float pi_2[4] = {0x1.92p0f, 0x1.fb4p-12f, 0x1.444p-24f, 0x1.68c234p-39f};
  static constexpr float largest = 8e3f;
  static constexpr float to_nearest = 0x1.8p23f;
  static constexpr float sin[3] = {-1.6666654611e-1f, 8.3321608736e-3f, -1.9515295891e-4f};
  static constexpr float cos[3] = {4.166664568298827e-2f, -1.388731625493765e-3f, 2.443315711809948e-5f};
};

/// x where the condition holds, y elsewhere; packs overload it per lane.
template <class S>
TANDEM_HD constexpr S select(bool condition, S x, S y) {
  return condition ? x : y;
}

TANDEM_HD double sqrt(double x) { return ::sqrt(x); }
TANDEM_HD float sqrt(float x) { return ::sqrtf(x); }
TANDEM_HD double abs(double x) { return ::fabs(x); }
TANDEM_HD float abs(float x) { return ::fabsf(x); }
TANDEM_HD double atan2(double y, double x) { return ::atan2(y, x); }
TANDEM_HD float atan2(float y, float x) { return ::atan2f(y, x); }

/// Sine and cosine of one angle [rad], together and without a branch that depends on a moderate angle.
/// Error below 2.5 ulp (1.5 within a turn); beyond `largest` the mathematics library takes over, NaN and infinity give NaN.
template <class R>
TANDEM_HD SinCos<R> sincos_of_real(R x) {
  using C = SinCosConstants<R>;
  if (!(abs(x) < C::largest)) return {R(::sin(x)), R(::cos(x))};
  const R quadrant = (x * C::two_over_pi + C::to_nearest) - C::to_nearest;
  R r = ((x - quadrant * C::pi_2[0]) - quadrant * C::pi_2[1]) - quadrant * C::pi_2[2];
  if constexpr (sizeof(R) == sizeof(float)) r = r - quadrant * C::pi_2[3];
  const R z = r * r;
  R sin_tail, cos_tail;  // (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4
  if constexpr (sizeof(R) == sizeof(double)) {
    sin_tail = C::sin[0] + z * (C::sin[1] + z * (C::sin[2] + z * (C::sin[3] + z * (C::sin[4] + z * C::sin[5]))));
    cos_tail = C::cos[0] + z * (C::cos[1] + z * (C::cos[2] + z * (C::cos[3] + z * (C::cos[4] + z * C::cos[5]))));
  } else {
    sin_tail = C::sin[0] + z * (C::sin[1] + z * C::sin[2]);
    cos_tail = C::cos[0] + z * (C::cos[1] + z * C::cos[2]);
  }
  const R sin_r = r + r * z * sin_tail;
  const R half = R(0.5) * z, upper = R(1) - half;
  const R cos_r = upper + (((R(1) - upper) - half) + z * z * cos_tail);
  const int k = static_cast<int>(quadrant);
  const bool swap = (k & 1) != 0;
  const R s = select(swap, cos_r, sin_r), c = select(swap, sin_r, cos_r);
  return {select((k & 2) != 0, -s, s), select(((k + 1) & 2) != 0, -c, c)};
}
TANDEM_HD SinCos<double> sincos(double x) { return sincos_of_real(x); }
TANDEM_HD SinCos<float> sincos(float x) { return sincos_of_real(x); }

}  // namespace tandem::inline TANDEM_ISA
