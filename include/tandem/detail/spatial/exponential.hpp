// SPDX-License-Identifier: Apache-2.0
/// Exponential and logarithm of rotations and rigid motions: a constant velocity held for unit time, and back.
#pragma once
#include "tandem/detail/spatial/motion.hpp"
#include "tandem/detail/spatial/quaternion.hpp"

namespace tandem::inline TANDEM_ISA {

/// Coefficients of a rotation by the vector u, t = |u|: functions of t^2 that stay exact as t goes to zero.
template <class S>
struct RotationCoefficients {
  S cos_half;  ///< cos(t / 2)
  S sin_half;  ///< sin(t / 2) / t
  S one_cos;   ///< (1 - cos t) / t^2
  S t_sin;     ///< (t - sin t) / t^3
};

template <class S>
TANDEM_HD RotationCoefficients<S> rotation_coefficients(const S& t2) {
  const auto small = t2 < S(1e-4);  // series: next terms below 1e-17
  const S t = sqrt(select(small, S(1), t2));
  const auto [s_half, c_half] = sincos(S(0.5) * t);
  const S per_t = S(1) / t;
  const S sinc_half = s_half * per_t;  // sin(t/2) / t
  const S sin_t = S(2) * s_half * c_half;
  return {select(small, S(1) - t2 * (S(1.0 / 8) - t2 * (S(1.0 / 384) - t2 * S(1.0 / 46080))), c_half),
          select(small, S(0.5) - t2 * (S(1.0 / 48) - t2 * (S(1.0 / 3840) - t2 * S(1.0 / 645120))), sinc_half),
          select(small, S(0.5) - t2 * (S(1.0 / 24) - t2 * (S(1.0 / 720) - t2 * S(1.0 / 40320))),
                 S(2) * sinc_half * sinc_half),
          select(small, S(1.0 / 6) - t2 * (S(1.0 / 120) - t2 * (S(1.0 / 5040) - t2 * S(1.0 / 362880))),
                 (t - sin_t) * (per_t * per_t * per_t))};
}

/// The rotation reached by turning with the angular velocity u for unit time.
template <class S>
TANDEM_HD Quaternion<S> exponential(const Vec3<S>& u) {
  const auto c = rotation_coefficients(dot(u, u));
  return {c.sin_half * u.x, c.sin_half * u.y, c.sin_half * u.z, c.cos_half};
}

/// The rotation vector u, |u| <= pi, with exponential(u) = the rotation a.
template <class S>
TANDEM_HD Vec3<S> logarithm(const Quaternion<S>& any_length) {
  const Quaternion<S> a = of_moderate_length(any_length);
  const S sine2 = dot(Vec3<S>{a.x, a.y, a.z}, Vec3<S>{a.x, a.y, a.z});
  const auto small = sine2 < S(1e-16) * (a.w * a.w);
  const S sine = sqrt(select(small, S(1), sine2));
  const auto flip = a.w < S(0);  // a and -a are one rotation: take the short way round
  const S angle = S(2) * arctangent(sine, select(flip, -a.w, a.w));
  const S scale = select(small, S(2) / a.w, select(flip, -angle, angle) / sine);
  return {scale * a.x, scale * a.y, scale * a.z};
}

/// Where the origin goes under the constant body velocity u for unit time, in the axes of the start.
template <class S>
TANDEM_HD Vec3<S> exponential_translation(const Motion<S>& u) {
  const auto c = rotation_coefficients(dot(u.w, u.w));
  const Vec3<S> wv = cross(u.w, u.v);
  return mul_add(c.t_sin, cross(u.w, wv), mul_add(c.one_cos, wv, u.v));
}

/// (1 - (t/2) cot(t/2)) / t^2
template <class S>
TANDEM_HD S logarithm_coefficient(const S& t2, const RotationCoefficients<S>& c) {
  const auto small = t2 < S(1e-4);
  const S half_cot = c.cos_half / (S(2) * c.sin_half);
  return select(small, S(1.0 / 12) + t2 * (S(1.0 / 720) + t2 * S(1.0 / 30240)),
                (S(1) - half_cot) / select(small, S(1), t2));
}
/// p - w x p / 2 + factor w x (w x p), with the logarithm's coefficient for a factor
template <class S>
TANDEM_HD Vec3<S> less_half_turned(const Vec3<S>& w, const S& factor, const Vec3<S>& p) {
  const Vec3<S> wp = cross(w, p);
  return mul_add(factor, cross(w, wp), mul_add(S(-0.5), wp, p));
}

/// The linear velocity that, held with the angular velocity w for unit time, carries the origin to p; inverse of
/// exponential_translation. |w| < 2 pi.
template <class S>
TANDEM_HD Vec3<S> logarithm_translation(const Vec3<S>& w, const Vec3<S>& p) {
  const S t2 = dot(w, w);
  return less_half_turned(w, logarithm_coefficient(t2, rotation_coefficients(t2)), p);
}

/// du/dt for exp(u(t)) moving with the body velocity v: the inverse of the exponential's differential, to the order
/// that a fourth-order integrator needs. v + u x v / 2 + u x (u x v) / 12.
template <class S>
TANDEM_HD Motion<S> exponential_rate(const Motion<S>& u, const Motion<S>& v) {
  const Motion<S> uv = cross(u, v);
  return mul_add(S(1.0 / 12), cross(u, uv), mul_add(S(0.5), uv, v));
}

}  // namespace tandem::inline TANDEM_ISA
