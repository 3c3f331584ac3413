// SPDX-License-Identifier: Apache-2.0
/// Joints seen along the axes of another frame: S_i as columns that turn with the link.
#pragma once
#include <type_traits>

#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// The columns S_k of a joint along the axes that E turns into those of its link: unit motions about or along
/// directions.
template <class S, class Joint>
struct JointAxes {
  Joint joint;
  Mat3<S> E;
  static constexpr int d = Joint::nv, nv = d;
  static constexpr bool spans_rotations = std::is_same_v<Joint, SphericalJoint>;

  TANDEM_HD decltype(auto) direction(int k) const { return joint.direction(k, E); }
  TANDEM_HD static constexpr bool is_angular(int k) { return Joint::is_angular(k); }

  /// S_k^T f
  TANDEM_HD S along(int k, const Force<S>& f) const { return dot(direction(k), is_angular(k) ? f.n : f.f); }
  /// A S_k
  TANDEM_HD Force<S> column(int k, const ArticulatedInertia<S>& A) const {
    return is_angular(k) ? Force<S>{A.J * direction(k), transpose_mul(A.H, direction(k))}
                         : Force<S>{A.H * direction(k), A.M * direction(k)};
  }
  /// a + s S_k
  TANDEM_HD Motion<S> add(int k, const S& s, const Motion<S>& a) const {
    return is_angular(k) ? Motion<S>{mul_add(s, direction(k), a.w), a.v}
                         : Motion<S>{a.w, mul_add(s, direction(k), a.v)};
  }
};

template <class S, class R>
struct JointAxes<S, AxialJoint<R>> {
  AxialJoint<R> joint;
  Mat3<S> E;
  static constexpr int d = 1, nv = 1;

  TANDEM_HD S along(int, const Force<S>& f) const {
    return dot(E.row2, mul_add(S(joint.turns), f.n, S(joint.slides) * f.f));
  }
  TANDEM_HD Force<S> column(int, const ArticulatedInertia<S>& A) const {
    return A * Motion<S>{S(joint.turns) * E.row2, S(joint.slides) * E.row2};
  }
  TANDEM_HD Motion<S> add(int, const S& s, const Motion<S>& a) const {
    return {mul_add(S(joint.turns) * s, E.row2, a.w), mul_add(S(joint.slides) * s, E.row2, a.v)};
  }
};

template <class S>
struct JointAxes<S, GeneralJoint<S>> {
  GeneralJoint<S> joint;
  Mat3<S> E;
  int nv = joint.nv;

  TANDEM_HD Motion<S> turned(const Motion<S>& a) const { return {transpose_mul(E, a.w), transpose_mul(E, a.v)}; }
  TANDEM_HD S along(int k, const Force<S>& f) const { return dot(turned(joint.axes[k]), f); }
  TANDEM_HD Motion<S> add(int k, const S& s, const Motion<S>& a) const { return mul_add(s, turned(joint.axes[k]), a); }
};

/// Whether the axes of a joint turn against its link, and whether those of its type do.
template <class Joint>
inline constexpr bool axes_may_turn = Joint::axes_turn;

/// dS/dt v: how the link turns the faster, along the same axes, as the joint's own turn.
template <class Axes, class Column>
TANDEM_HD auto drift_along(const Axes& axes, const Column& v) {
  using S = std::remove_cvref_t<decltype(axes.E.row0.x)>;
  return S(v[0]) * S(v[1]) * cross(axes.direction(0), axes.direction(1));
}

/// S x
template <class Axes, class Column>
TANDEM_HD auto motion_along(const Axes& axes, const Column& x) {
  using S = std::remove_cvref_t<decltype(axes.E.row0.x)>;
  auto m = axes.add(0, S(x[0]), Motion<S>::zero());
  for (int k = 1; k < axes.nv; ++k) m = axes.add(k, S(x[k]), m);
  return m;
}
template <class S, class Column>
TANDEM_HD Motion<S> motion_along(const JointAxes<S, GeneralJoint<S>>& axes, const Column& x) {
  return axes.turned(Motion<S>::zero() + axes.joint.template motion<S>(x));
}

}  // namespace tandem::inline TANDEM_ISA
