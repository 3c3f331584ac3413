// SPDX-License-Identifier: Apache-2.0
/// How a body moves in the words of Newton and Euler: accelerations as an observer at rest measures them. Inverse dynamics
/// needs no linear velocities in these terms.
#pragma once
#include "tandem/detail/spatial/inertia.hpp"
#include "tandem/detail/spatial/joint_motion.hpp"

namespace tandem::inline TANDEM_ISA {

/// Angular velocity and acceleration of a frame and the acceleration of its origin, along its own axes. A point of it at r
/// accelerates with a + L r.
template <class S>
struct CarriedRates;
template <class S>
struct Rates {
  Vec3<S> w, dw, a;  ///< rad/s, rad/s^2, m/s^2
  Mat3<S> L;         ///< dw~ + w~ w~

  TANDEM_HD static constexpr Rates of(const CarriedRates<S>& c) { return of(c.w, c.dw, c.a); }
  TANDEM_HD static constexpr Rates of(const Vec3<S>& w, const Vec3<S>& dw, const Vec3<S>& a) {
    const S xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z, xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    return {
        w,
        dw,
        a,
        {{-(yy + zz), xy - dw.z, xz + dw.y}, {xy + dw.z, -(xx + zz), yz - dw.x}, {xz - dw.y, yz + dw.x, -(xx + yy)}}};
  }
};

/// X_ip on rates: what frame i has of the motion of p, on its own axes, before its joint moves.
template <class S>
struct CarriedRates {
  Vec3<S> w, dw, a;
};
template <class S, class R>
TANDEM_HD constexpr CarriedRates<S> operator*(const Transform<S, R>& X, const Rates<S>& p) {
  return {X.E * p.w, X.E * p.dw, X.E * mul_add(p.L, X.r, p.a)};
}

/// The joint adds its velocity v_J = S v and acceleration a_J = S dv/dt, both along axes that turn.
template <class S>
TANDEM_HD constexpr Rates<S> moved(const CarriedRates<S>& c, const Motion<S>& v_J, const Motion<S>& a_J) {
  const Vec3<S> w = c.w + v_J.w;
  return Rates<S>::of(w, add_cross(c.dw + a_J.w, c.w, v_J.w), add_cross(c.a + a_J.v, c.w + w, v_J.v));
}
template <class S>
TANDEM_HD constexpr Rates<S> moved(const CarriedRates<S>& c, const AngularZ<S>& v_J, const AngularZ<S>& a_J) {
  return Rates<S>::of({c.w.x, c.w.y, c.w.z + v_J.z},
                      {mul_add(c.w.y, v_J.z, c.dw.x), mul_add(-c.w.x, v_J.z, c.dw.y), c.dw.z + a_J.z}, c.a);
}
template <class S>
TANDEM_HD constexpr Rates<S> moved(const CarriedRates<S>& c, const LinearZ<S>& v_J, const LinearZ<S>& a_J) {
  const S twice = v_J.z + v_J.z;
  return Rates<S>::of(c.w, c.dw, {mul_add(c.w.y, twice, c.a.x), mul_add(-c.w.x, twice, c.a.y), c.a.z + a_J.z});
}
template <class S, class JointMotion>
TANDEM_HD constexpr Rates<S> moved(const CarriedRates<S>& c, const JointMotion& v_J, const JointMotion& a_J) {
  return moved(c, Motion<S>::zero() + v_J, Motion<S>::zero() + a_J);
}

/// The force that moves a rigid body so, and its moment about the origin: Newton and Euler.
template <class S>
TANDEM_HD constexpr Force<S> operator*(const Inertia<S>& I, const Rates<S>& i) {
  return {add_cross(mul_add(I.I, i.dw, cross(I.h, i.a)), i.w, I.I * i.w), mul_add(i.L, I.h, I.m * i.a)};
}

}  // namespace tandem::inline TANDEM_ISA
