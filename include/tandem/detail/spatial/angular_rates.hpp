// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/spatial/inertia.hpp"

namespace tandem::inline TANDEM_ISA {

/// How the points of a turning body accelerate: w its angular velocity, g the rate at which that changes. A point at r from
/// the origin accelerates by Omega r more than the origin, Omega = g~ + w~ w~. Classical accelerations, those of material
/// points: unlike spatial ones they do not mention how fast the body travels.
template <class S>
struct AngularRates {
  Vec3<S> g;
  Mat3<S> Omega;
  Vec3<S> products;  ///< wy wz, wx wz, wx wy
};

template <class S>
TANDEM_HD constexpr AngularRates<S> angular_rates(const Vec3<S>& w, const Vec3<S>& g) {
  const S xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const S yz = w.y * w.z, xz = w.x * w.z, xy = w.x * w.y;
  return {g,
          {{-(yy + zz), xy - g.z, xz + g.y}, {xy + g.z, -(xx + zz), yz - g.x}, {xz - g.y, yz + g.x, -(xx + yy)}},
          {yz, xz, xy}};
}

/// The force that a body takes whose origin accelerates by a (classical) while it turns:
/// n = I g + w x I w + h x a, f = m a + Omega h.
template <class S>
TANDEM_HD constexpr Force<S> inertial_force(const Inertia<S>& body, const AngularRates<S>& t, const Vec3<S>& a) {
  const Sym3<S>& I = body.I;
  const Mat3<S>& O = t.Omega;
  const S O_xx = O.row0.x, O_yy = O.row1.y, O_zz = O.row2.z;
  // the squares of w stand on the diagonal of Omega, its products and g beside it
  const Vec3<S> turn = {
      mul_add(I.xx, t.g.x,
              mul_add(I.zz - I.yy, t.products.x,
                      mul_add(I.yz, O_yy - O_zz, difference_of_products(I.xz, O.row1.x, I.xy, O.row2.x)))),
      mul_add(I.yy, t.g.y,
              mul_add(I.xx - I.zz, t.products.y,
                      mul_add(I.xz, O_zz - O_xx, difference_of_products(I.xy, O.row2.y, I.yz, O.row0.y)))),
      mul_add(I.zz, t.g.z,
              mul_add(I.yy - I.xx, t.products.z,
                      mul_add(I.xy, O_xx - O_yy, difference_of_products(I.yz, O.row0.z, I.xz, O.row1.z))))};
  return {add_cross(turn, body.h, a), mul_add(O, body.h, body.m * a)};
}

/// The same body along other axes: E^T I E about the same origin, E turning the new axes into the old ones.
template <class S>
TANDEM_HD constexpr Inertia<S> congruence(const Mat3<S>& E, const Inertia<S>& I) {
  return {I.m, transpose_mul(E, I.h), congruence(E, I.I)};
}

}  // namespace tandem::inline TANDEM_ISA
