// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/spatial/sym3.hpp"
#include "tandem/detail/spatial/transform.hpp"

namespace tandem::inline TANDEM_ISA {

/// Inertia of a rigid body, ten numbers, about the origin of its frame:
/// mass m [kg], first moment h = m c [kg m], rotational inertia I about the origin [kg m^2].
template <class S>
struct Inertia {
  S m;
  Vec3<S> h;
  Sym3<S> I;
  TANDEM_HD static constexpr Inertia zero() { return {S(0), Vec3<S>::zero(), Sym3<S>::zero()}; }
};

template <class S>
TANDEM_HD constexpr Inertia<S> operator+(const Inertia<S>& a, const Inertia<S>& b) {
  return {a.m + b.m, a.h + b.h, a.I + b.I};
}

/// Momentum (or inertial force) of a body that moves with v.
template <class S>
TANDEM_HD constexpr Force<S> operator*(const Inertia<S>& I, const Motion<S>& v) {
  return {mul_add(I.I, v.w, cross(I.h, v.v)), add_cross(I.m * v.v, v.w, I.h)};
}

/// (b.b) 1 - b b^T summed as a symmetric product: -(a~ b~ + b~ a~) / 2 for a = b, and its polar form.
template <class S>
TANDEM_HD constexpr Sym3<S> minus_skew_product(const Vec3<S>& a, const Vec3<S>& b) {
  const S xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z;
  const S half(0.5);
  return {yy + zz,
          xx + zz,
          xx + yy,
          -half * sum_of_products(a.x, b.y, a.y, b.x),
          -half * sum_of_products(a.x, b.z, a.z, b.x),
          -half * sum_of_products(a.y, b.z, a.z, b.y)};
}

/// The same body about another point: the origin moves by -r, so that what was at x is now at x + r.
template <class S>
TANDEM_HD constexpr Inertia<S> shift(const Inertia<S>& I, const Vec3<S>& r) {
  const Vec3<S> mr = I.m * r;
  return {I.m, I.h + mr, I.I + minus_skew_product(r, I.h + I.h + mr)};
}

/// The same body along other axes: E^T I E about the same origin, E turning the new axes into the old ones.
template <class S, class Rotation>
TANDEM_HD constexpr Inertia<S> congruence(const Rotation& E, const Inertia<S>& I) {
  return {I.m, transpose_mul(E, I.h), congruence(E, I.I)};
}

/// X_ip^T I_i X_ip: the inertia given in frame i, seen from frame p.
template <class S, class R>
TANDEM_HD constexpr Inertia<S> transpose_mul(const Transform<S, R>& X, const Inertia<S>& I) {
  return shift(congruence(X.E, I), X.r);
}

}  // namespace tandem::inline TANDEM_ISA
