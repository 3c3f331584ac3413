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
  TANDEM_HD static double reduced(double x, double quadrant) {
    return ((x - quadrant * 0x1.921fb544p0) - quadrant * 0x1.0b4611a6p-34) - quadrant * 0x1.3198a2e037073p-69;
  }
  /// (sin r - r) / r^3
  TANDEM_HD static double sin_tail(double z) {
    return -1.66666666666666324348e-01 +
           z * (8.33333333332248946124e-03 +
                z * (-1.98412698298579493134e-04 +
                     z * (2.75573137070700676789e-06 +
                          z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));
  }
  /// (cos r - 1 + r^2 / 2) / r^4
  TANDEM_HD static double cos_tail(double z) {
    return 4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 +
                z * (2.48015872894767294178e-05 +
                     z * (-2.75573143513906633035e-07 +
                          z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
  }
};

template <>
struct SinCosConstants<float> {
  static constexpr float two_over_pi = 0.636619772f;
  static constexpr float largest = 8e3f;
  static constexpr float to_nearest = 0x1.8p23f;

  TANDEM_HD static float reduced(float x, float quadrant) {
    return (((x - quadrant * 0x1.92p0f) - quadrant * 0x1.fb4p-12f) - quadrant * 0x1.444p-24f) - quadrant * 0x1.68c234p-39f;
  }
  TANDEM_HD static float sin_tail(float z) {
    return -1.6666654611e-1f + z * (8.3321608736e-3f + z * -1.9515295891e-4f);
  }
  TANDEM_HD static float cos_tail(float z) {
    return 4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f);
  }
};

/// x where the condition holds, y elsewhere; packs overload it per lane.
template <class S>
TANDEM_HD constexpr S select(bool condition, S x, S y) {
  return condition ? x : y;
}

// The same functions, not further ones: `using namespace tandem` leaves them unambiguous.
using std::abs;
using std::atan2;
using std::sqrt;

/// Sine and cosine of one angle [rad], together and without a branch that depends on a moderate angle.
/// Error below 2.5 ulp (1.5 within a turn); beyond `largest` the mathematics library takes over, NaN and infinity give NaN.
template <class R>
TANDEM_HD SinCos<R> sincos_of_real(R x) {
  using C = SinCosConstants<R>;
  if (!(abs(x) < C::largest)) return {std::sin(x), std::cos(x)};
  const R quadrant = (x * C::two_over_pi + C::to_nearest) - C::to_nearest;
  const R r = C::reduced(x, quadrant);
  const R z = r * r;
  const R sin_r = r + r * z * C::sin_tail(z);
  const R half = R(0.5) * z, upper = R(1) - half;
  const R cos_r = upper + (((R(1) - upper) - half) + z * z * C::cos_tail(z));
  const int k = static_cast<int>(quadrant);
  const bool swap = (k & 1) != 0;
  const R s = select(swap, cos_r, sin_r), c = select(swap, sin_r, cos_r);
  return {select((k & 2) != 0, -s, s), select(((k + 1) & 2) != 0, -c, c)};
}
TANDEM_HD SinCos<double> sincos(double x) { return sincos_of_real(x); }
TANDEM_HD SinCos<float> sincos(float x) { return sincos_of_real(x); }

}  // namespace tandem::inline TANDEM_ISA
