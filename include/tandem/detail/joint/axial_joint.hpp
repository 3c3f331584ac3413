// SPDX-License-Identifier: Apache-2.0
/// Joints of one degree of freedom, which turn about z or slide along it, or do both.
#pragma once
#include "tandem/detail/joint/unit_axes.hpp"
#include "tandem/detail/spatial/joint_motion.hpp"
#include "tandem/detail/spatial/load_store.hpp"
#include "tandem/model/view.hpp"

namespace tandem::inline TANDEM_ISA {

/// What joints share whose coordinates are numbers that add up.
template <int n>
struct Coordinates {
  static constexpr int nq = n;
  template <class S, class Q, class U, class Out>
  TANDEM_HD static void integrate(const Q& q, const U& u, Out out) {
    for (int k = 0; k < n; ++k) out[k] = S(q[k]) + S(u[k]);
  }
  template <class S, class Q0, class Q1, class Out>
  TANDEM_HD static void difference(const Q0& q0, const Q1& q1, Out out) {
    for (int k = 0; k < n; ++k) out[k] = S(q1[k]) - S(q0[k]);
  }
  template <class S, class U, class V, class Out>
  TANDEM_HD static void rate(const U&, const V& v, Out out) {
    for (int k = 0; k < n; ++k) out[k] = S(v[k]);
  }
};

/// Revolute and continuous joints: q the angle about z.
struct RevoluteJoint : Coordinates<1>, UnitAxes<2> {
  template <class S, class Q>
  TANDEM_HD static Transform<S> transform(const Transform<S>& X_T, const Q& q) {
    return {rotated_z(sincos(S(q[0])), X_T.E), X_T.r};
  }
  template <class S, class M>
  TANDEM_HD static void place(const M* zero, const S& q, Transform<S, RotationZXZ<S>>& X) {
    // not the sine and cosine of the sum of the angles, which would round large ones
    const auto own = sincos(q);
    const S sin_zero(zero[0]), cos_zero(zero[1]);
    X.E.z = {sum_of_products(own.sin, cos_zero, own.cos, sin_zero),
             difference_of_products(own.cos, cos_zero, own.sin, sin_zero)};
  }
  template <class S, class Work>
  TANDEM_HD static void keep(Work w, Index row, const Transform<S, RotationZXZ<S>>& X) {
    w[row] = X.E.z.sin;
    w[row + 1] = X.E.z.cos;
  }
  template <class S, class M, class Work>
  TANDEM_HD static void recall(const M*, Work w, Index row, Transform<S, RotationZXZ<S>>& X) {
    X.E.z = {S(w[row]), S(w[row + 1])};
  }
  template <class S, class V>
  TANDEM_HD static AngularZ<S> motion(const V& v) {
    return {S(v[0])};
  }
};

/// Prismatic joints: q the distance along z.
struct PrismaticJoint : Coordinates<1>, UnitAxes<5> {
  template <class S, class Q>
  TANDEM_HD static Transform<S> transform(const Transform<S>& X_T, const Q& q) {
    return {X_T.E, mul_add(S(q[0]), X_T.E.row2, X_T.r)};
  }
  template <class S, class M>
  TANDEM_HD static void place(const M* zero, const S& q, Transform<S, RotationZXZ<S>>& X) {
    X.E.z = {S(zero[0]), S(zero[1])};
    X.r = mul_add(q, row2(X.E), X.r);
  }
  template <class S, class Work>
  TANDEM_HD static void keep(Work w, Index row, const Transform<S, RotationZXZ<S>>& X) {
    store(w, row, X.r);
  }
  template <class S, class M, class Work>
  TANDEM_HD static void recall(const M* zero, Work w, Index row, Transform<S, RotationZXZ<S>>& X) {
    X.E.z = {S(zero[0]), S(zero[1])};
    X.r = load<Vec3<S>>(w, row);
  }
  template <class S, class V>
  TANDEM_HD static LinearZ<S> motion(const V& v) {
    return {S(v[0])};
  }
};

/// Joints about and along z, S = [turns e_z; slides e_z]. Helical ones in a switch of joint types; where chunks lie in
/// lanes, all joints of one degree of freedom, of which only the numbers know what they are: joints that differ from
/// lane to lane or from thread to thread go the same way.
template <class R>
struct AxialJoint : Coordinates<1> {
  static constexpr int nv = 1;
  static constexpr bool has_angular = true, has_linear = true, axes_turn = false, unit_axes = false;
  R turns;   ///< rad per unit of q: 1, or 0 if it slides only
  R slides;  ///< m per unit of q: 1 if prismatic, 0 if revolute, pitch / (2 pi) if helical

  TANDEM_HD AxialJoint(const R& t, const R& s) : turns(t), slides(s) {}
  TANDEM_HD static constexpr int basis_row(int) { return 2; }
  template <class M>
  TANDEM_HD static AxialJoint of(const ModelView<M>& m, int i) {
    return {R(m.type[i] == JointType::prismatic ? 0 : 1), R(m.slides[i])};
  }
  template <class S>
  TANDEM_HD AxialMotion<S> split(const S& x) const {
    return {S(turns) * x, S(slides) * x};
  }
  template <class S, class Q>
  TANDEM_HD Transform<S> transform(const Transform<S>& X_T, const Q& q) const {
    const auto [turn, slide] = split(S(q[0]));
    return {rotated_z(sincos(turn), X_T.E), mul_add(slide, X_T.E.row2, X_T.r)};
  }
  template <class S, class M>
  TANDEM_HD void place(const M* zero, const S& q, Transform<S, RotationZXZ<S>>& X) const {
    const auto [turn, slide] = split(q);
    RevoluteJoint::place(zero, turn, X);
    X.r = mul_add(slide, row2(X.E), X.r);
  }
  template <class S, class Work>
  TANDEM_HD static void keep(Work w, Index row, const Transform<S, RotationZXZ<S>>& X) {
    RevoluteJoint::keep(w, row, X);
    store(w, row + 2, X.r);
  }
  template <class S, class M, class Work>
  TANDEM_HD static void recall(const M* zero, Work w, Index row, Transform<S, RotationZXZ<S>>& X) {
    RevoluteJoint::recall(zero, w, row, X);
    X.r = load<Vec3<S>>(w, row + 2);
  }
  template <class S, class V>
  TANDEM_HD AxialMotion<S> motion(const V& v) const {
    return split(S(v[0]));
  }
  template <class S>
  TANDEM_HD Motion<S> axis(int) const {
    return Motion<S>::zero() + split(S(1));
  }
  template <class S>
  TANDEM_HD S along(int, const Force<S>& f) const {
    return sum_of_products(S(turns), f.n.z, S(slides), f.f.z);
  }
  /// The joint's own force tau, a moment where it turns.
  template <class S>
  TANDEM_HD Force<S> wrench(const S (&tau)[1]) const {
    return {{S(0), S(0), S(turns) * tau[0]}, {S(0), S(0), mul_add(-S(turns), tau[0], tau[0])}};
  }
  template <template <class> class A, class S>
  TANDEM_HD Force<S> column(int, const A<S>& inertia) const {
    return mul_add(S(slides), tandem::column(inertia, 5), S(turns) * tandem::column(inertia, 2));
  }
};

}  // namespace tandem::inline TANDEM_ISA
