// SPDX-License-Identifier: Apache-2.0
/// Joints seen along the axes of another frame: S_i as columns that turn with the link.
#pragma once
#include <type_traits>

#include "tandem/detail/joint/axial_joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// Row k of E, a constant k.
template <class S>
TANDEM_HD constexpr const Vec3<S>& row_of(const Mat3<S>& E, int k) {
  return k == 0 ? E.row0 : k == 1 ? E.row1 : E.row2;
}

/// The columns S_k of a joint along the axes that E turns into those of its link: where they are unit axes of the link's
/// own frame, unit motions about or along rows of E.
template <class S, class Joint>
struct JointAxes {
  Joint joint;
  Mat3<S> E;
  static constexpr int d = Joint::nv;
  static constexpr bool spans_rotations = std::is_same_v<Joint, SphericalJoint>;

  TANDEM_HD const Vec3<S>& axis(int k) const { return row_of(E, Joint::row(k) % 3); }
  TANDEM_HD static constexpr bool is_angular(int k) { return Joint::row(k) < 3; }

  /// S_k^T f
  TANDEM_HD S along(int k, const Force<S>& f) const { return dot(axis(k), is_angular(k) ? f.n : f.f); }
  /// A S_k
  TANDEM_HD Force<S> column(int k, const ArticulatedInertia<S>& A) const {
    return is_angular(k) ? Force<S>{A.J * axis(k), transpose_mul(A.H, axis(k))}
                         : Force<S>{A.H * axis(k), A.M * axis(k)};
  }
  /// a + s S_k
  TANDEM_HD Motion<S> add(int k, const S& s, const Motion<S>& a) const {
    return is_angular(k) ? Motion<S>{mul_add(s, axis(k), a.w), a.v} : Motion<S>{a.w, mul_add(s, axis(k), a.v)};
  }
};

template <class S>
struct JointAxes<S, AxialJoint<S>> {
  AxialJoint<S> joint;
  Mat3<S> E;
  static constexpr int d = 1;

  TANDEM_HD S along(int, const Force<S>& f) const { return dot(E.row2, mul_add(joint.turns, f.n, joint.slides * f.f)); }
  TANDEM_HD Force<S> column(int, const ArticulatedInertia<S>& A) const {
    return A * Motion<S>{joint.turns * E.row2, joint.slides * E.row2};
  }
  TANDEM_HD Motion<S> add(int, const S& s, const Motion<S>& a) const {
    return {mul_add(joint.turns * s, E.row2, a.w), mul_add(joint.slides * s, E.row2, a.v)};
  }
};

/// S x
template <class Axes, class Column>
TANDEM_HD auto motion_along(const Axes& axes, const Column& x) {
  using S = std::remove_cvref_t<decltype(axes.E.row0.x)>;
  auto m = axes.add(0, S(x[0]), Motion<S>::zero());
  for (int k = 1; k < Axes::d; ++k) m = axes.add(k, S(x[k]), m);
  return m;
}

}  // namespace tandem::inline TANDEM_ISA
