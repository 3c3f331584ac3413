// SPDX-License-Identifier: Apache-2.0
/// Joints seen along the axes of another frame: S_i as columns that turn with the link.
#pragma once
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// Turns the rows of E_T by an angle about z, of which sine and cosine are known.
template <class S>
TANDEM_HD Mat3<S> turned_about_z(const Mat3<S>& E_T, const SinCos<S>& angle) {
  const S &s = angle.sin, &c = angle.cos;
  return {mul_add(c, E_T.row0, s * E_T.row1), mul_add(c, E_T.row1, -s * E_T.row0), E_T.row2};
}

/// A revolute or prismatic joint, which of them as data: what lanes side by side need where the two mix.
template <class Mask>
struct OneDofJoint {
  static constexpr int nq = 1, nv = 1;
  Mask turns;  ///< where the joint is revolute
};

template <class Joint>
inline constexpr bool may_turn = Joint::nv > 1 || Joint::row(0) == 2;
template <>
inline constexpr bool may_turn<FreeJoint> = true;
template <class Mask>
inline constexpr bool may_turn<OneDofJoint<Mask>> = true;
template <class Joint>
inline constexpr bool may_slide = Joint::row(0) >= 3;
template <class Mask>
inline constexpr bool may_slide<OneDofJoint<Mask>> = true;

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
  TANDEM_HD static constexpr bool turns(int k) { return Joint::row(k) < 3; }

  /// S_k^T f
  TANDEM_HD S along(int k, const Force<S>& f) const { return dot(axis(k), turns(k) ? f.n : f.f); }
  /// A S_k
  TANDEM_HD Force<S> column(int k, const ArticulatedInertia<S>& A) const {
    return turns(k) ? Force<S>{A.J * axis(k), transpose_mul(A.H, axis(k))} : Force<S>{A.H * axis(k), A.M * axis(k)};
  }
  /// a + s S_k
  TANDEM_HD Motion<S> add(int k, const S& s, const Motion<S>& a) const {
    return turns(k) ? Motion<S>{mul_add(s, axis(k), a.w), a.v} : Motion<S>{a.w, mul_add(s, axis(k), a.v)};
  }
};

template <class S, class Mask>
struct JointAxes<S, OneDofJoint<Mask>> {
  OneDofJoint<Mask> joint;
  Mat3<S> E;
  static constexpr int d = 1;

  TANDEM_HD static Vec3<S> choose(const Mask& turns, const Vec3<S>& a, const Vec3<S>& b) {
    return {select(turns, a.x, b.x), select(turns, a.y, b.y), select(turns, a.z, b.z)};
  }
  TANDEM_HD S along(int, const Force<S>& f) const { return dot(E.row2, choose(joint.turns, f.n, f.f)); }
  TANDEM_HD Force<S> column(int, const ArticulatedInertia<S>& A) const {
    const Mask& t = joint.turns;
    const Mat3<S> J = full(A.J), M = full(A.M), H_T = transpose(A.H);
    const Mat3<S> upper = {choose(t, J.row0, A.H.row0), choose(t, J.row1, A.H.row1), choose(t, J.row2, A.H.row2)};
    const Mat3<S> lower = {choose(t, H_T.row0, M.row0), choose(t, H_T.row1, M.row1), choose(t, H_T.row2, M.row2)};
    return {upper * E.row2, lower * E.row2};
  }
  TANDEM_HD Motion<S> add(int, const S& s, const Motion<S>& a) const {
    const S turn = select(joint.turns, s, S(0)), slide = select(joint.turns, S(0), s);
    return {mul_add(turn, E.row2, a.w), mul_add(slide, E.row2, a.v)};
  }
};

}  // namespace tandem::inline TANDEM_ISA
