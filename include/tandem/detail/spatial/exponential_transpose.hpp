// SPDX-License-Identifier: Apache-2.0
/// What increments do behind an exponential, backwards: transposes of its differential and of the inverse of that.
///
/// exp(u) is the frame that the constant velocity u = [w; v] leads to in unit time, at p(u) along the axes R(w). As u
/// changes by du, it moves by J(u) du along its own axes,
///
///     J(u) = sum_k (-u x)^k / (k + 1)!
///
/// so that a force f on its motion is one of J(u)^T f on u. In parts, with A the same of rotations (A^T n = n + a w x n
/// + b w x (w x n)) and p = v + a w x v + b w x (w x v), [a, b] = [(1 - cos t) / t^2, (t - sin t) / t^3], t = |w|:
///
///     J(u)^T [n; f] = [A^T n + (dp/dw)^T R f; (dp/dv)^T R f]
#pragma once
#include "tandem/detail/spatial/exponential.hpp"
#include "tandem/detail/spatial/transform.hpp"

namespace tandem::inline TANDEM_ISA {

/// d/d(t^2) of one_cos and t_sin of the coefficients of a rotation.
template <class S>
struct RotationSlopes {
  S one_cos, t_sin;
};
template <class S>
TANDEM_HD RotationSlopes<S> rotation_slopes(const S& t2, const RotationCoefficients<S>& c) {
  const auto small = t2 < S(1);  // series, as quotients of differences lose digits: next terms below 1e-16 of the first
  S a(1.0 / 800296713216000), b(1.0 / 15205637551104000);
  a = mul_add(a, t2, S(-1.0 / 2988969984000));
  a = mul_add(a, t2, S(1.0 / 14529715200));
  a = mul_add(a, t2, S(-1.0 / 95800320));
  a = mul_add(a, t2, S(1.0 / 907200));
  a = mul_add(a, t2, S(-1.0 / 13440));
  a = mul_add(a, t2, S(1.0 / 360));
  a = mul_add(a, t2, S(-1.0 / 24));
  b = mul_add(b, t2, S(-1.0 / 50812489728000));
  b = mul_add(b, t2, S(1.0 / 217945728000));
  b = mul_add(b, t2, S(-1.0 / 1245404160));
  b = mul_add(b, t2, S(1.0 / 9979200));
  b = mul_add(b, t2, S(-1.0 / 120960));
  b = mul_add(b, t2, S(1.0 / 2520));
  b = mul_add(b, t2, S(-1.0 / 120));
  const S half = S(0.5) / select(small, S(1), t2);
  return {select(small, a, half * ((S(1) - t2 * c.t_sin) - S(2) * c.one_cos)),
          select(small, b, half * (c.one_cos - S(3) * c.t_sin))};
}

/// The transposed differential of exp at u, and the inverse of that.
template <class S>
class ExponentialTranspose {
 public:
  TANDEM_HD explicit ExponentialTranspose(const Motion<S>& at)
      : u_(at), t2_(dot(at.w, at.w)), c_(rotation_coefficients(t2_)), R_(rotation(exponential(at.w))) {}

  /// J(u)^T f
  TANDEM_HD Force<S> operator()(const Force<S>& f) const {
    const Vec3<S> g = R_ * f.f;
    return {turned(S(1), f.n) + by_turn(g), turned(S(-1), g)};
  }
  /// J(u)^-T f
  TANDEM_HD Force<S> inverse(const Force<S>& f) const {
    const S factor = logarithm_coefficient(t2_, c_);
    const Vec3<S> g = less_half_turned(-u_.w, factor, f.f);
    return {less_half_turned(u_.w, factor, f.n - by_turn(g)), transpose_mul(R_, g)};
  }
  /// A force on the motion of the frame reached, as one on the motion of the frame at the start, along with which it
  /// goes.
  TANDEM_HD Force<S> carried(const Force<S>& f) const {
    return transpose_mul(Transform<S>{transpose(R_), exponential_translation(u_)}, f);
  }

 private:
  /// y + a s w x y + b w x (w x y)
  TANDEM_HD Vec3<S> turned(const S& s, const Vec3<S>& y) const {
    const Vec3<S> wy = cross(u_.w, y);
    return mul_add(c_.t_sin, cross(u_.w, wy), mul_add(s * c_.one_cos, wy, y));
  }
  /// (dp/dw)^T g
  TANDEM_HD Vec3<S> by_turn(const Vec3<S>& g) const {
    const Vec3<S>&w = u_.w, &v = u_.v;
    const auto slope = rotation_slopes(t2_, c_);
    const Vec3<S> vg = cross(v, g);
    const S wv = dot(w, v), wg = dot(w, g), gv = dot(g, v);
    const S along = S(2) * (slope.one_cos * dot(w, vg) + slope.t_sin * (wg * wv - t2_ * gv)) - S(2) * c_.t_sin * gv;
    return mul_add(c_.one_cos, vg, mul_add(along, w, c_.t_sin * mul_add(wv, g, wg * v)));
  }

  Motion<S> u_;
  S t2_;
  RotationCoefficients<S> c_;
  Mat3<S> R_;
};

}  // namespace tandem::inline TANDEM_ISA
