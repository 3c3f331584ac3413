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

/// A joint about and along z, S = [turns e_z; slides e_z], of which only its numbers know whether it is revolute or
/// prismatic: joints that differ from lane to lane or from thread to thread go the same way.
template <class S>
struct AxialJoint {
  static constexpr int nq = 1, nv = 1;
  static constexpr bool has_angular = true, has_linear = true;
  S turns;   ///< 1 if it turns, 0 if it does not
  S slides;  ///< 1 if prismatic, 0 if revolute

  template <class M>
  TANDEM_HD static AxialJoint of(const ModelView<M>& m, int i) {
    const bool slides = m.type[i] == JointType::prismatic;
    return {S(!slides), S(slides)};
  }
  TANDEM_HD AxialMotion<S> split(const S& x) const { return {turns * x, slides * x}; }
  template <class Q>
  TANDEM_HD Transform<S> transform(const Transform<S>& X_T, const Q& q) const {
    const auto [turn, slide] = split(S(q[0]));
    return {rotated_z(sincos(turn), X_T.E), mul_add(slide, X_T.E.row2, X_T.r)};
  }
  template <class, class V>
  TANDEM_HD AxialMotion<S> motion(const V& v) const {
    return split(S(v[0]));
  }
  TANDEM_HD S along(int, const Force<S>& f) const { return sum_of_products(turns, f.n.z, slides, f.f.z); }
};

}  // namespace tandem::inline TANDEM_ISA
