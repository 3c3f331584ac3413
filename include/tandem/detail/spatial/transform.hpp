// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/spatial/force.hpp"
#include "tandem/detail/spatial/mat3.hpp"
#include "tandem/detail/spatial/rotation_zxz.hpp"

namespace tandem::inline TANDEM_ISA {

/// Change of frame X_ip, from frame p to frame i: E turns p-coordinates into i-coordinates, r is the origin of
/// frame i in p-coordinates. As a 6x6 matrix on motions: [E 0; -E r~ E]. The rotation has nine numbers, or is kept as
/// turns.
template <class S, class Rotation = Mat3<S>>
struct Transform {
  Rotation E;
  Vec3<S> r;
  TANDEM_HD static constexpr Transform identity() { return {Mat3<S>::identity(), Vec3<S>::zero()}; }
};

/// X_ip v_p: the same motion, seen from frame i.
template <class S, class R>
TANDEM_HD constexpr Motion<S> operator*(const Transform<S, R>& X, const Motion<S>& m) {
  return {X.E * m.w, X.E * add_cross(m.v, m.w, X.r)};
}

/// X_ip^T f_i: the same force, seen from frame p.
template <class S, class R>
TANDEM_HD constexpr Force<S> transpose_mul(const Transform<S, R>& X, const Force<S>& f) {
  const Vec3<S> f_p = transpose_mul(X.E, f.f);
  return {add_cross(transpose_mul(X.E, f.n), X.r, f_p), f_p};
}

/// X_ij X_jp = X_ip
template <class S, class R>
TANDEM_HD constexpr Transform<S> operator*(const Transform<S, R>& X_ij, const Transform<S>& X_jp) {
  return {X_ij.E * X_jp.E, transpose_mul_add(X_jp.E, X_ij.r, X_jp.r)};
}

/// X_pi from X_ip.
template <class S>
TANDEM_HD constexpr Transform<S> inverse(const Transform<S>& X) {
  return {transpose(X.E), -(X.E * X.r)};
}

}  // namespace tandem::inline TANDEM_ISA
