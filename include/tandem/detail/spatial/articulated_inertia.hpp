// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/spatial/inertia.hpp"
#include "tandem/detail/spatial/joint_motion.hpp"

namespace tandem::inline TANDEM_ISA {

/// Inertia of a link with all that hangs from it on free joints, 21 numbers:
/// the force that an acceleration [w; v] takes is [J w + H v; H^T w + M v].
/// Kept symmetric by construction: a full 6x6 loses all digits on long chains in float.
template <class S>
struct ArticulatedInertia {
  Sym3<S> J;  ///< rotational block, kg m^2
  Mat3<S> H;  ///< coupling block, kg m
  Sym3<S> M;  ///< mass block, kg
};

/// A rigid body is an articulated one whose joints are all locked.
template <class S>
TANDEM_HD constexpr ArticulatedInertia<S> articulated(const Inertia<S>& I) {
  return {I.I, skew(I.h), {I.m, I.m, I.m, S(0), S(0), S(0)}};
}

template <class S>
TANDEM_HD constexpr ArticulatedInertia<S> operator+(const ArticulatedInertia<S>& a, const ArticulatedInertia<S>& b) {
  return {a.J + b.J, a.H + b.H, a.M + b.M};
}

/// A rigid body welded to an articulated one.
template <class S>
TANDEM_HD constexpr ArticulatedInertia<S> operator+(const ArticulatedInertia<S>& a, const Inertia<S>& b) {
  const Vec3<S>& h = b.h;
  return {a.J + b.I,
          {{a.H.row0.x, a.H.row0.y - h.z, a.H.row0.z + h.y},
           {a.H.row1.x + h.z, a.H.row1.y, a.H.row1.z - h.x},
           {a.H.row2.x - h.y, a.H.row2.y + h.x, a.H.row2.z}},
          {a.M.xx + b.m, a.M.yy + b.m, a.M.zz + b.m, a.M.xy, a.M.xz, a.M.yz}};
}

template <class S>
TANDEM_HD constexpr Force<S> operator*(const ArticulatedInertia<S>& A, const Motion<S>& a) {
  return {mul_add(A.J, a.w, A.H * a.v), transpose_mul_add(A.H, a.w, A.M * a.v)};
}

template <class S>
TANDEM_HD constexpr Force<S> operator*(const ArticulatedInertia<S>& A, const MotionAcrossZ<S>& a) {
  const auto of_w = [&](const S& x, const S& y) TANDEM_INLINE { return sum_of_products(x, a.wx, y, a.wy); };
  const auto and_v = [&](const S& x, const S& y, const S& c)
                         TANDEM_INLINE { return mul_add(x, a.vx, mul_add(y, a.vy, c)); };
  const Sym3<S>&J = A.J, &M = A.M;
  const Vec3<S>&h0 = A.H.row0, &h1 = A.H.row1, &h2 = A.H.row2;
  return {
      {and_v(h0.x, h0.y, of_w(J.xx, J.xy)), and_v(h1.x, h1.y, of_w(J.xy, J.yy)), and_v(h2.x, h2.y, of_w(J.xz, J.yz))},
      {and_v(M.xx, M.xy, of_w(h0.x, h1.x)), and_v(M.xy, M.yy, of_w(h0.y, h1.y)), and_v(M.xz, M.yz, of_w(h0.z, h1.z))}};
}

/// A - a b^T for two vectors whose product is symmetric.
template <class S>
TANDEM_HD constexpr Sym3<S> minus_symmetric_outer(const Sym3<S>& A, const Vec3<S>& a, const Vec3<S>& b) {
  return {mul_add(-a.x, b.x, A.xx), mul_add(-a.y, b.y, A.yy), mul_add(-a.z, b.z, A.zz),
          mul_add(-a.x, b.y, A.xy), mul_add(-a.x, b.z, A.xz), mul_add(-a.y, b.z, A.yz)};
}

/// A - a b^T for two forces whose product is symmetric (b = D^-1 a): what a joint takes out of the inertia behind it.
template <class S>
TANDEM_HD constexpr ArticulatedInertia<S> minus_product(const ArticulatedInertia<S>& A, const Force<S>& a,
                                                        const Force<S>& b) {
  return {minus_symmetric_outer(A.J, a.n, b.n), minus_outer(A.H, a.n, b.f), minus_symmetric_outer(A.M, a.f, b.f)};
}

/// As a force: an articulated inertia about the point at r, about the origin.
template <class S>
TANDEM_HD constexpr ArticulatedInertia<S> shift_origin(const ArticulatedInertia<S>& A, const Vec3<S>& r) {
  const Mat3<S> H = add_cross(A.H, r, full(A.M));  // H + r~ M
  const Vec3<S>&h0 = A.H.row0, &h1 = A.H.row1, &h2 = A.H.row2, &k0 = H.row0, &k1 = H.row1, &k2 = H.row2;
  const Sym3<S>& J = A.J;
  return {// J + r~ H^T + H' r~^T: row k, column l has (r x h_l)_k + (r x k_k)_l
          {mul_add(r.y, h0.z + k0.z, mul_add(-r.z, h0.y + k0.y, J.xx)),
           mul_add(r.z, h1.x + k1.x, mul_add(-r.x, h1.z + k1.z, J.yy)),
           mul_add(r.x, h2.y + k2.y, mul_add(-r.y, h2.x + k2.x, J.zz)),
           mul_add(r.y, h1.z, mul_add(-r.z, h1.y, mul_add(r.z, k0.x, mul_add(-r.x, k0.z, J.xy)))),
           mul_add(r.y, h2.z, mul_add(-r.z, h2.y, mul_add(r.x, k0.y, mul_add(-r.y, k0.x, J.xz)))),
           mul_add(r.z, h2.x, mul_add(-r.x, h2.z, mul_add(r.x, k1.y, mul_add(-r.y, k1.x, J.yz))))},
          // number by number: g++ 12 would copy H through memory, in chunks that wait for what was stored one by one
          {{k0.x, k0.y, k0.z}, {k1.x, k1.y, k1.z}, {k2.x, k2.y, k2.z}},
          A.M};
}
/// E^T A E, with E a rotation or the turns that make one
template <class Rotation, class S>
TANDEM_HD constexpr ArticulatedInertia<S> congruence(const Rotation& E, const ArticulatedInertia<S>& A) {
  return {congruence(E, A.J), congruence(E, A.H), congruence(E, A.M)};
}

/// X_ip^T A_i X_ip: the articulated inertia given in frame i, seen from frame p.
template <class S, class R>
TANDEM_HD constexpr ArticulatedInertia<S> transpose_mul(const Transform<S, R>& X, const ArticulatedInertia<S>& A) {
  return shift_origin(congruence(X.E, A), X.r);
}

}  // namespace tandem::inline TANDEM_ISA
