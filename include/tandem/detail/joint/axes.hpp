// SPDX-License-Identifier: Apache-2.0
/// Joints seen along the axes of another frame: S_i as columns that turn with the link.
#pragma once
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// A revolute or prismatic joint, which of them as data: what lanes side by side need where the two mix.
template <class Mask>
struct OneDofJoint {
  static constexpr int nq = 1, nv = 1;
  Mask revolute;  ///< where the joint is revolute
};

template <class Joint>
inline constexpr bool has_angular = Joint::nv > 1 || Joint::row(0) == 2;
template <>
inline constexpr bool has_angular<FreeJoint> = true;
template <class Mask>
inline constexpr bool has_angular<OneDofJoint<Mask>> = true;
template <class Joint>
inline constexpr bool has_linear = Joint::row(0) >= 3;
template <class Mask>
inline constexpr bool has_linear<OneDofJoint<Mask>> = true;

/// Row k of E, a constant k.
template <class S>
TANDEM_HD constexpr const Vec3<S>& row_of(const Mat3<S>& E, int k) {
  return k == 0 ? E.row0 : k == 1 ? E.row1 : E.row2;
}

/// The columns S_k of a joint along the axes that E turns into those of its link: unit motions about or along rows of E.
template <class S, class Joint>
struct JointAxes {
  Joint joint;
  Mat3<S> E;
  static constexpr int d = Joint::nv;

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

template <class S, class Mask>
struct JointAxes<S, OneDofJoint<Mask>> {
  OneDofJoint<Mask> joint;
  Mat3<S> E;
  static constexpr int d = 1;

  TANDEM_HD static Vec3<S> choose(const Mask& revolute, const Vec3<S>& a, const Vec3<S>& b) {
    return {select(revolute, a.x, b.x), select(revolute, a.y, b.y), select(revolute, a.z, b.z)};
  }
  TANDEM_HD S along(int, const Force<S>& f) const { return dot(E.row2, choose(joint.revolute, f.n, f.f)); }
  TANDEM_HD Force<S> column(int, const ArticulatedInertia<S>& A) const {
    const Mask& t = joint.revolute;
    const Mat3<S> J = full(A.J), M = full(A.M), H_T = transpose(A.H);
    const Mat3<S> upper = {choose(t, J.row0, A.H.row0), choose(t, J.row1, A.H.row1), choose(t, J.row2, A.H.row2)};
    const Mat3<S> lower = {choose(t, H_T.row0, M.row0), choose(t, H_T.row1, M.row1), choose(t, H_T.row2, M.row2)};
    return {upper * E.row2, lower * E.row2};
  }
  TANDEM_HD Motion<S> add(int, const S& s, const Motion<S>& a) const {
    const S turn = select(joint.revolute, s, S(0)), slide = select(joint.revolute, S(0), s);
    return {mul_add(turn, E.row2, a.w), mul_add(slide, E.row2, a.v)};
  }
};

}  // namespace tandem::inline TANDEM_ISA
