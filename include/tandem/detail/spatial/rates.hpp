// SPDX-License-Identifier: Apache-2.0
/// How a body moves in the words of Newton and Euler: accelerations are classical, those of material points that an
/// observer at rest measures. Unlike spatial ones they do not mention how fast the body travels: no linear velocities
/// are needed.
#pragma once
#include "tandem/detail/spatial/inertia.hpp"
#include "tandem/detail/spatial/joint_motion.hpp"

namespace tandem::inline TANDEM_ISA {

/// How fast a frame turns, along its own axes, and how that makes its points accelerate: one at r from the origin by
/// Omega r more than the origin does, Omega = dw~ + w~ w~.
template <class S>
struct AngularRates {
  Vec3<S> w, dw;  ///< rad/s, rad/s^2
  Mat3<S> Omega;
  Vec3<S> products;  ///< wy wz, wx wz, wx wy
};

template <class S>
TANDEM_HD constexpr AngularRates<S> angular_rates(const Vec3<S>& w, const Vec3<S>& dw) {
  const S xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const S yz = w.y * w.z, xz = w.x * w.z, xy = w.x * w.y;
  return {w,
          dw,
          {{-(yy + zz), xy - dw.z, xz + dw.y}, {xy + dw.z, -(xx + zz), yz - dw.x}, {xz - dw.y, yz + dw.x, -(xx + yy)}},
          {yz, xz, xy}};
}

/// Newton and Euler: the force that a body takes whose origin accelerates by a while it turns, and its moment about the
/// origin: n = I dw + w x I w + h x a, f = m a + Omega h.
template <class S>
TANDEM_HD constexpr Force<S> inertial_force(const Inertia<S>& body, const AngularRates<S>& t, const Vec3<S>& a) {
  const Sym3<S>& I = body.I;
  const Mat3<S>& O = t.Omega;
  const S O_xx = O.row0.x, O_yy = O.row1.y, O_zz = O.row2.z;
  // the squares of w stand on the diagonal of Omega, its products and dw beside it
  const Vec3<S> turn = {
      mul_add(I.xx, t.dw.x,
              mul_add(I.zz - I.yy, t.products.x,
                      mul_add(I.yz, O_yy - O_zz, difference_of_products(I.xz, O.row1.x, I.xy, O.row2.x)))),
      mul_add(I.yy, t.dw.y,
              mul_add(I.xx - I.zz, t.products.y,
                      mul_add(I.xz, O_zz - O_xx, difference_of_products(I.xy, O.row2.y, I.yz, O.row0.y)))),
      mul_add(I.zz, t.dw.z,
              mul_add(I.yy - I.xx, t.products.z,
                      mul_add(I.xy, O_xx - O_yy, difference_of_products(I.yz, O.row0.z, I.xz, O.row1.z))))};
  return {add_cross(turn, body.h, a), mul_add(O, body.h, body.m * a)};
}

/// How a frame turns and how its origin accelerates, along its own axes. A point of it at r accelerates with a + Omega
/// r.
template <class S>
struct Rates {
  AngularRates<S> angular;
  Vec3<S> a;  ///< m/s^2
};

/// What rates are made of: w, dw, a. So frame i has the motion of its parent, on its own axes, before its joint moves.
template <class S>
struct CarriedRates {
  Vec3<S> w, dw, a;
};
template <class S>
TANDEM_HD constexpr Rates<S> rates_of(const CarriedRates<S>& c) {
  return {angular_rates(c.w, c.dw), c.a};
}
template <class S>
TANDEM_HD constexpr CarriedRates<S> carried(const Rates<S>& i) {
  return {i.angular.w, i.angular.dw, i.a};
}

/// X_ip on rates
template <class S, class R>
TANDEM_HD constexpr CarriedRates<S> operator*(const Transform<S, R>& X, const Rates<S>& p) {
  return {X.E * p.angular.w, X.E * p.angular.dw, X.E * mul_add(p.angular.Omega, X.r, p.a)};
}

/// The joint adds its velocity v_J = S v and acceleration a_J = S dv/dt, both along axes that turn.
template <class S>
TANDEM_HD constexpr Rates<S> moved(const CarriedRates<S>& c, const Motion<S>& v_J, const Motion<S>& a_J) {
  const Vec3<S> w = c.w + v_J.w;
  return {angular_rates(w, add_cross(c.dw + a_J.w, c.w, v_J.w)), add_cross(c.a + a_J.v, c.w + w, v_J.v)};
}
template <class S>
TANDEM_HD constexpr Rates<S> moved(const CarriedRates<S>& c, const AngularZ<S>& v_J, const AngularZ<S>& a_J) {
  return rates_of<S>({{c.w.x, c.w.y, c.w.z + v_J.z},
                      {mul_add(c.w.y, v_J.z, c.dw.x), mul_add(-c.w.x, v_J.z, c.dw.y), c.dw.z + a_J.z},
                      c.a});
}
template <class S>
TANDEM_HD constexpr Rates<S> moved(const CarriedRates<S>& c, const LinearZ<S>& v_J, const LinearZ<S>& a_J) {
  const S twice = v_J.z + v_J.z;
  return rates_of<S>({c.w, c.dw, {mul_add(c.w.y, twice, c.a.x), mul_add(-c.w.x, twice, c.a.y), c.a.z + a_J.z}});
}
template <class S>
TANDEM_HD constexpr Rates<S> moved(const CarriedRates<S>& c, const DriftingAngular<S>& v_J,
                                   const DriftingAngular<S>& a_J) {
  return rates_of<S>({c.w + v_J.w, add_cross(c.dw + a_J.w + v_J.drift, c.w, v_J.w), c.a});
}
template <class S>
TANDEM_HD constexpr Rates<S> moved(const CarriedRates<S>& c, const GeneralMotion<S>& v_J, const GeneralMotion<S>& a_J) {
  return moved(v_J.drifts ? CarriedRates<S>{c.w, c.dw + v_J.drift, c.a} : c, v_J.v_J, a_J.v_J);
}
template <class S, class JointMotion>
TANDEM_HD constexpr Rates<S> moved(const CarriedRates<S>& c, const JointMotion& v_J, const JointMotion& a_J) {
  return moved(c, Motion<S>::zero() + v_J, Motion<S>::zero() + a_J);
}

/// The force that moves a rigid body so.
template <class S>
TANDEM_HD constexpr Force<S> operator*(const Inertia<S>& I, const Rates<S>& i) {
  return inertial_force(I, i.angular, i.a);
}

}  // namespace tandem::inline TANDEM_ISA
