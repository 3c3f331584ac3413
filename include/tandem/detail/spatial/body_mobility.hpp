// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "tandem/detail/spatial/inertia.hpp"

namespace tandem::inline TANDEM_ISA {

/// How a free rigid body at rest yields to a force, ten numbers: the inverse of its inertia. As a 6x6 matrix on forces
/// [K, -K c~; c~ K, 1/m - c~ K c~]. Bodies without mass, or with an inertia that is singular about the centre of mass,
/// have none: theirs holds infinities or NaN.
template <class S>
struct BodyMobility {
  S per_mass;  ///< 1 / m [1/kg]
  Vec3<S> c;   ///< centre of mass [m]
  Sym3<S> K;   ///< inverse of the inertia about the centre of mass [1/(kg m^2)]
  /// Of a body that nothing moves.
  TANDEM_HD static constexpr BodyMobility zero() { return {S(0), Vec3<S>::zero(), Sym3<S>::zero()}; }
};

/// A = L D L^T of a symmetric matrix, with ones on L's diagonal.
template <class S>
struct Ldl3 {
  S p_x, p_y, p_z;     ///< the pivots D
  S l_yx, l_zx, l_zy;  ///< L
  S d_x, d_y;          ///< 1 / p_x, 1 / p_y

  TANDEM_HD explicit Ldl3(const Sym3<S>& A) {
    p_x = A.xx;
    d_x = S(1) / p_x;
    l_yx = A.xy * d_x;
    l_zx = A.xz * d_x;
    p_y = mul_add(-l_yx, A.xy, A.yy);
    d_y = S(1) / p_y;
    const S yz = mul_add(-l_zx, A.xy, A.yz);
    l_zy = yz * d_y;
    p_z = mul_add(-l_zy, yz, mul_add(-l_zx, A.xz, A.zz));
  }
  TANDEM_HD Sym3<S> inverse() const {
    const S d_z = S(1) / p_z;
    // columns of L^-1: (1, -l_yx, m), (0, 1, -l_zy), (0, 0, 1)
    const S m = mul_add(l_yx, l_zy, -l_zx), m_d = m * d_z, l_yx_d = l_yx * d_y, l_zy_d = l_zy * d_z;
    return {mul_add(l_yx_d, l_yx, mul_add(m_d, m, d_x)),
            mul_add(l_zy_d, l_zy, d_y),
            d_z,
            -mul_add(l_zy_d, m, l_yx_d),
            m_d,
            -l_zy_d};
  }
};

/// I about the centre of mass.
template <class S>
TANDEM_HD Sym3<S> central_inertia(const Inertia<S>& I, const Vec3<S>& c) {
  return I.I - minus_skew_product(c, I.h);
}

/// True of a body that has a mobility: it has mass, and its inertia about the centre of mass is far from singular.
template <class S>
TANDEM_HD bool has_inverse(const Inertia<S>& I) {
  if (!(I.m > S(0))) return false;
  const Ldl3<S> C(central_inertia(I, (S(1) / I.m) * I.h));
  const S least = S(1000) * std::numeric_limits<S>::epsilon() * (I.I.xx + I.I.yy + I.I.zz);
  return C.p_x > least && C.p_y > least && C.p_z > least;
}

template <class S>
TANDEM_HD BodyMobility<S> inverse(const Inertia<S>& I) {
  const S per_mass = S(1) / I.m;
  const Vec3<S> c = per_mass * I.h;
  return {per_mass, c, Ldl3<S>(central_inertia(I, c)).inverse()};
}

/// Acceleration of the body under a force.
template <class S>
TANDEM_HD constexpr Motion<S> operator*(const BodyMobility<S>& J, const Force<S>& f) {
  const Vec3<S> alpha = J.K * add_cross(f.n, f.f, J.c);
  return {alpha, add_cross(J.per_mass * f.f, J.c, alpha)};
}

/// X_ip J_p X_ip^T: the mobility given in frame p, seen from frame i.
template <class S>
TANDEM_HD constexpr BodyMobility<S> seen_from(const Transform<S>& X, const BodyMobility<S>& J) {
  return {J.per_mass, X.E * (J.c - X.r), congruence(transpose(X.E), J.K)};
}

}  // namespace tandem::inline TANDEM_ISA
