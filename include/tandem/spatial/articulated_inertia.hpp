// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/spatial/inertia.hpp"

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
  return {A.J * a.w + A.H * a.v, transpose_mul(A.H, a.w) + A.M * a.v};
}

/// A - a b^T for two forces whose product is symmetric (b = D^-1 a): what a joint takes out of the inertia behind it.
template <class S>
TANDEM_HD constexpr ArticulatedInertia<S> minus_product(const ArticulatedInertia<S>& A, const Force<S>& a,
                                                        const Force<S>& b) {
  return {{A.J.xx - a.n.x * b.n.x, A.J.yy - a.n.y * b.n.y, A.J.zz - a.n.z * b.n.z, A.J.xy - a.n.x * b.n.y,
           A.J.xz - a.n.x * b.n.z, A.J.yz - a.n.y * b.n.z},
          A.H - outer(a.n, b.f),
          {A.M.xx - a.f.x * b.f.x, A.M.yy - a.f.y * b.f.y, A.M.zz - a.f.z * b.f.z, A.M.xy - a.f.x * b.f.y,
           A.M.xz - a.f.x * b.f.z, A.M.yz - a.f.y * b.f.z}};
}

/// X_ip^T A_i X_ip: the articulated inertia given in frame i, seen from frame p.
template <class S>
TANDEM_HD constexpr ArticulatedInertia<S> transpose_mul(const Transform<S>& X, const ArticulatedInertia<S>& A) {
  const Mat3<S> E_T = transpose(X.E);
  const Mat3<S> H = E_T * A.H * X.E;  // turned into the axes of p, still about the origin of i
  const Sym3<S> M = turn_back(X.E, A.M);
  const Mat3<S> H_p = H + cross(X.r, full(M));                                            // H + r~ M
  const Mat3<S> rH = cross(X.r, transpose(H));                                            // r~ H^T
  const Mat3<S> Hr = {cross(X.r, H_p.row0), cross(X.r, H_p.row1), cross(X.r, H_p.row2)};  // H_p r~^T
  const Sym3<S> J = turn_back(X.E, A.J);
  return {{J.xx + (rH.row0.x + Hr.row0.x), J.yy + (rH.row1.y + Hr.row1.y), J.zz + (rH.row2.z + Hr.row2.z),
           J.xy + (rH.row0.y + Hr.row0.y), J.xz + (rH.row0.z + Hr.row0.z), J.yz + (rH.row1.z + Hr.row1.z)},
          H_p,
          M};
}

}  // namespace tandem::inline TANDEM_ISA
