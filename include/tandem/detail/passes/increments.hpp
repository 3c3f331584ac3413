// SPDX-License-Identifier: Apache-2.0
/// The algebra of JVPs and VJPs of the dynamics: how tangents of a robot's coordinates, velocities and accelerations
/// change the motions and forces of its links (JVP), and the transpose of each step (VJP). Motions and forces with
/// their tangents (RatesTangent, ForceTangent) have the operators of Rates and Force, so that the passes of
/// InverseDynamics run on both. The tangent of a transform is a motion, not twelve numbers. See
/// docs/algorithms/products.md.
#pragma once
#include "tandem/detail/joint/link_transform.hpp"
#include "tandem/detail/spatial/rates.hpp"

namespace tandem::inline TANDEM_ISA {

/// The tangent of a link's motion, along the link's axes, which are displaced with it: of its angular velocity, and of
/// the acceleration of its origin. It is relative to a frame that moves with the origin: the tangent of the origin's
/// velocity changes no force.
template <class S>
struct Increment {
  Vec3<S> w;
  Motion<S> a;
  TANDEM_HD static constexpr Increment zero() { return {Vec3<S>::zero(), Motion<S>::zero()}; }
};

/// A motion and its tangent.
template <class S>
struct RatesTangent {
  Rates<S> rates;
  Increment<S> increment;
};
template <class S>
struct CarriedTangent {
  CarriedRates<S> rates;
  Increment<S> increment;
  TANDEM_HD friend constexpr RatesTangent<S> rates_of(const CarriedTangent& c) {
    return {rates_of(c.rates), c.increment};
  }
};
template <class S>
TANDEM_HD constexpr CarriedTangent<S> carried(const RatesTangent<S>& i) {
  return {carried(i.rates), i.increment};
}

/// A force and its tangent.
template <class S>
struct ForceTangent {
  Force<S> f, df;
  TANDEM_HD static constexpr ForceTangent zero() { return {Force<S>::zero(), Force<S>::zero()}; }
};
template <class S>
TANDEM_HD constexpr ForceTangent<S> operator+(const ForceTangent<S>& a, const ForceTangent<S>& b) {
  return {a.f + b.f, a.df + b.df};
}
template <class S>
TANDEM_HD constexpr ForceTangent<S> shift_origin(const ForceTangent<S>& f, const Vec3<S>& r) {
  return {shift_origin(f.f, r), shift_origin(f.df, r)};
}
template <class S, class R>
TANDEM_HD constexpr ForceTangent<S> transpose_mul(const Transform<S, R>& X, const ForceTangent<S>& f) {
  return {transpose_mul(X, f.f), transpose_mul(X, f.df)};
}

/// The transpose: forces by increments. While bodies move with a motion y, those that an increment adds to have the
/// power turn . w + momentum . a; so momentum is what they have when they move with y.
template <class S>
struct ByIncrement {
  Vec3<S> turn;
  Force<S> momentum;
  TANDEM_HD static constexpr ByIncrement zero() { return {Vec3<S>::zero(), Force<S>::zero()}; }
};
template <class S>
TANDEM_HD constexpr ByIncrement<S> operator+(const ByIncrement<S>& a, const ByIncrement<S>& b) {
  return {a.turn + b.turn, a.momentum + b.momentum};
}

/// tr(I) - 2 I: twice the second moments.
template <class S>
TANDEM_HD constexpr Sym3<S> twice_second_moments(const Sym3<S>& I) {
  return {I.yy + I.zz - I.xx, I.xx + I.zz - I.yy, I.xx + I.yy - I.zz, -(I.xy + I.xy), -(I.xz + I.xz), -(I.yz + I.yz)};
}

/// What an increment adds to the force of a body that turns by w: its points, of velocities w x x, take twice a turn
/// times these.
template <class S>
TANDEM_HD constexpr Force<S> added_force(const Inertia<S>& body, const Vec3<S>& w, const Increment<S>& i) {
  const Force<S> inertial = body * i.a;
  const Vec3<S> P = cross(w, body.h);
  return {add_cross(inertial.n, twice_second_moments(body.I) * i.w, w), add_cross(inertial.f, i.w, P + P)};
}
/// And the transpose, for a body that y moves.
template <class S>
TANDEM_HD constexpr ByIncrement<S> by_increment(const Inertia<S>& body, const Vec3<S>& w, const Motion<S>& y) {
  const Vec3<S> P = cross(w, body.h);
  return {add_cross(twice_second_moments(body.I) * cross(w, y.w), P + P, y.v), body * y};
}

/// From link to link: u is twice the velocity by which the origin of frame i moves more than that of frame p, w_p x r
/// on one body.
template <class S, class R>
TANDEM_HD constexpr Increment<S> from_origin_to_origin(const Transform<S, R>& X_ip, const Vec3<S>& u,
                                                       const Increment<S>& p) {
  return {X_ip.E * p.w, {X_ip.E * p.a.w, X_ip.E * add_cross(add_cross(p.a.v, p.a.w, X_ip.r), p.w, u)}};
}
template <class S, class R>
TANDEM_HD constexpr ByIncrement<S> back_to_origin(const Transform<S, R>& X_ip, const Vec3<S>& u,
                                                  const ByIncrement<S>& i) {
  const Force<S> momentum = transpose_mul(X_ip, i.momentum);
  return {add_cross(transpose_mul(X_ip.E, i.turn), u, momentum.f), momentum};
}

/// How the link before a joint moves, along the axes of the link behind it, at its origin; the sum of both links'
/// angular velocities, and the velocity with which the joint slides.
template <class S>
struct JointState {
  Rates<S> before;
  Vec3<S> both, slide;
};

/// Across a joint: what its own increments, as motions S dq, S dv, S da, add to those that it hangs from.
template <class S>
TANDEM_HD Increment<S> across_joint(const JointState<S>& j, const Increment<S>& i, const Motion<S>& dq,
                                    const Motion<S>& dv, const Motion<S>& da) {
  const auto& before = j.before.angular;
  const Vec3<S> carried = i.w + cross(before.w, dq.w);
  const Vec3<S> a_w = add_cross(mul_add(before.Omega, dq.w, i.a.w + da.w), j.both, dv.w);
  const Vec3<S> a_v = add_cross(mul_add(before.Omega, dq.v, i.a.v + da.v), j.both, dv.v);
  return {carried + dv.w, {a_w, add_cross(add_cross(a_v, j.before.a, dq.w), carried + carried + dv.w, j.slide)}};
}
/// A e_z
template <class S>
TANDEM_HD constexpr Vec3<S> column_z(const Mat3<S>& A) {
  return {A.row0.z, A.row1.z, A.row2.z};
}
/// The same about z and along z, without the zeros.
template <class S>
TANDEM_HD Increment<S> across_joint(const JointState<S>& j, const Increment<S>& i, const AngularZ<S>& dq,
                                    const AngularZ<S>& dv, const AngularZ<S>& da) {
  const auto& before = j.before.angular;
  const Vec3<S> w = i.w + cross_z(before.w, dq.z);
  const Vec3<S> a_w = mul_add(dq.z, column_z(before.Omega), i.a.w + cross_z(j.both, dv.z));
  return {{w.x, w.y, w.z + dv.z}, {{a_w.x, a_w.y, a_w.z + da.z}, i.a.v + cross_z(j.before.a, dq.z)}};
}
template <class S>
TANDEM_HD Increment<S> across_joint(const JointState<S>& j, const Increment<S>& i, const LinearZ<S>& dq,
                                    const LinearZ<S>& dv, const LinearZ<S>& da) {
  const Vec3<S> a_v = mul_add(dq.z, column_z(j.before.angular.Omega),
                              i.a.v + cross_z(j.both, dv.z) + cross_z(i.w, j.slide.z + j.slide.z));
  return {i.w, {i.a.w, {a_v.x, a_v.y, a_v.z + da.z}}};
}
template <class S>
TANDEM_HD Increment<S> across_joint(const JointState<S>& j, const Increment<S>& i, const GeneralMotion<S>& dq,
                                    const GeneralMotion<S>& dv, const GeneralMotion<S>& da) {
  return across_joint(j, i, dq.v_J, dv.v_J, da.v_J);
}
template <class S, class JointMotion>
TANDEM_HD Increment<S> across_joint(const JointState<S>& j, const Increment<S>& i, const JointMotion& dq,
                                    const JointMotion& dv, const JointMotion& da) {
  const auto zero = Motion<S>::zero();
  return across_joint(j, i, zero + dq, zero + dv, zero + da);
}

/// The transpose: the power on increments of the joint's own coordinates, along an axis S_k that of one of these as a
/// force. y is how the link before the joint moves, f the force that the joint transmits.
template <class S>
struct ByJoint {
  Force<S> q, v;  ///< that of increments of acceleration is the momentum
};
template <class S>
TANDEM_HD ByJoint<S> by_joint(const JointState<S>& j, const ByIncrement<S>& i, const Motion<S>& y, const Force<S>& f) {
  const auto& before = j.before.angular;
  const Force<S>& h = i.momentum;
  const Vec3<S> along_q = add_cross(cross(f.n, y.w), f.f, y.v);
  return {{add_cross(add_cross(transpose_mul_add(before.Omega, h.n, along_q), h.f, j.before.a), i.turn, before.w),
           add_cross(transpose_mul(before.Omega, h.f), f.f, y.w)},
          {add_cross(i.turn - cross(j.slide, h.f), h.n, j.both), cross(h.f, j.both)}};
}
/// The transpose of what slides change: as seen from the link before the joint, at the same origin.
template <class S>
TANDEM_HD ByIncrement<S> before_slide(const Vec3<S>& slide, const ByIncrement<S>& i) {
  return {add_cross(i.turn, slide + slide, i.momentum.f), i.momentum};
}

/// f turned and carried along with dq, on top of df.
template <class S, class JointMotion>
TANDEM_HD Force<S> turned_along(const JointMotion& dq, const Force<S>& f, const Force<S>& df) {
  return df + cross(Motion<S>::zero() + dq, f);
}
template <class S>
TANDEM_HD Force<S> turned_along(const AngularZ<S>& dq, const Force<S>& f, const Force<S>& df) {
  return df - Force<S>{cross_z(f.n, dq.z), cross_z(f.f, dq.z)};
}

/// One axis of a joint after the other, each as a joint of its own that the next one hangs from.
template <class S>
struct AxisInSeries {
  Vec3<S> z;
  S v, a;
};
template <class S>
TANDEM_HD JointState<S> joint_state(const CarriedRates<S>& before) {
  return {rates_of(before), before.w + before.w, Vec3<S>::zero()};
}
template <class S>
TANDEM_HD CarriedRates<S> moved(const CarriedRates<S>& before, const AxisInSeries<S>& s) {
  const Vec3<S> turn = s.v * s.z;
  return {before.w + turn, add_cross(mul_add(s.a, s.z, before.dw), before.w, turn), before.a};
}

/// How a joint slides.
template <class S, class JointMotion>
TANDEM_HD Vec3<S> slide_of(const JointMotion& v_J) {
  return (Motion<S>::zero() + v_J).v;
}

/// Ten inertial parameters of a link, as inertial_parameters gives them: m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz along the
/// axes of the described link.
template <class S, class Column>
TANDEM_HD Inertia<S> inertia_of_parameters(const Column& c, Index row) {
  return {S(c[row]),
          load<Vec3<S>>(c, row + 1),
          {S(c[row + 4]), S(c[row + 6]), S(c[row + 9]), S(c[row + 5]), S(c[row + 7]), S(c[row + 8])}};
}

}  // namespace tandem::inline TANDEM_ISA
