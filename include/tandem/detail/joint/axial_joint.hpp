// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// Turning about z and sliding along it.
template <class S>
struct AxialMotion {
  S turn, slide;
};
template <class S>
TANDEM_HD constexpr Motion<S> operator+(const Motion<S>& a, const AxialMotion<S>& b) {
  return {{a.w.x, a.w.y, a.w.z + b.turn}, {a.v.x, a.v.y, a.v.z + b.slide}};
}
template <class S>
TANDEM_HD constexpr Motion<S> cross(const Motion<S>& a, const AxialMotion<S>& b) {
  const Vec3<S> v = cross_z(a.v, b.turn);
  return {cross_z(a.w, b.turn), {mul_add(a.w.y, b.slide, v.x), mul_add(-a.w.x, b.slide, v.y), S(0)}};
}

/// A revolute or a prismatic joint, of which only its number knows which: joints that differ from lane to lane or from
/// thread to thread go the same way.
template <class S>
struct AxialJoint {
  static constexpr int nq = 1, nv = 1;
  S slides;  ///< 1 if prismatic, 0 if revolute

  TANDEM_HD AxialMotion<S> split(const S& x) const {
    const S slide = slides * x;
    return {x - slide, slide};
  }
  template <class Q>
  TANDEM_HD Transform<S> transform(const Transform<S>& X_T, const Q& q) const {
    const auto [turn, slide] = split(S(q[0]));
    return {rotated_z(sincos(turn), X_T.E), mul_add(slide, X_T.E.row2, X_T.r)};
  }
  template <class, class V>
  TANDEM_HD AxialMotion<S> motion(const V& v) const {
    return split(S(v[0]));
  }
};

/// The share of a force, in link coordinates, that a joint feels along axis k.
template <class S, class Joint>
TANDEM_HD S felt_by(Joint joint, int k, const Force<S>& f) {
  return component(f, joint.row(k));
}
template <class S>
TANDEM_HD S felt_by(const AxialJoint<S>& joint, int, const Force<S>& f) {
  return select(S(0) < joint.slides, f.f.z, f.n.z);
}

}  // namespace tandem::inline TANDEM_ISA
