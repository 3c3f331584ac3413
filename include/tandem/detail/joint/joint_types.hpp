// SPDX-License-Identifier: Apache-2.0
/// The joint types, each a struct: how a joint places its link, which motions it allows, which forces it transmits.
#pragma once
#include "tandem/detail/joint/axial_joint.hpp"
#include "tandem/detail/joint/universal_joint.hpp"
#include "tandem/detail/spatial/exponential.hpp"

namespace tandem::inline TANDEM_ISA {

// Each joint type has
//   nq, nv                     rows in q and in v
//   transform(X_T, q)          X_ip: placement X_T of the joint in its parent, followed by its own motion
//   place(zero, q, X)          X_ip with the rotation as z-x-z angles, for one degree of freedom: X is the placement
//                              without the angle about z, which at q = 0 has the sine and cosine of `zero`
//   keep(w, row, X)            X_ip to memory: what q changes in it; two rows, three or twelve
//   recall(zero, w, row, X)    X_ip from memory; if axes turn against the link, keep(w, row) stores the joint's data
//   motion(v)                  S_i v, in link coordinates; velocity_product(v_i, S_i v) is what it adds to the
//                              acceleration
//   axes_turn                  whether columns of S_i change in link coordinates
//   axis(k) along(k, f) column(k, A) wrench(tau)
//                              its axes in link coordinates: S_k, S_k^T f, A S_k, and the wrench of its own forces
//   direction(k, E) is_angular(k)
//                              where each only turns or slides: where axis k points along the axes that E turns into
//                              those of the link, and whether it turns
//   integrate(q, u, out)       out = q (+) u: the configuration reached from q with constant velocity u in unit time
//   difference(q0, q1, out)    the u with q0 (+) u = q1, the shortest one
//   rate(u, v, out)            du/dt for q(t) = q0 (+) u(t) with velocity v, to third order in u
// Velocities of joints with several degrees of freedom are those of the child relative to the parent, along child axes.

/// Planar joints: q = [x y angle] in the plane normal to the parent-side z, v = [vx vy wz] along the child's axes.
struct PlanarJoint : UnitAxes<3, 4, 2> {
  static constexpr int nq = 3;
  template <class S, class Q>
  TANDEM_HD static Transform<S> transform(const Transform<S>& X_T, const Q& q) {
    return {rotated_z(sincos(S(q[2])), X_T.E), mul_add(S(q[1]), X_T.E.row1, mul_add(S(q[0]), X_T.E.row0, X_T.r))};
  }
  template <class S, class V>
  TANDEM_HD static PlanarMotion<S> motion(const V& v) {
    return {S(v[0]), S(v[1]), S(v[2])};
  }
  template <class S, class Q, class U, class Out>
  TANDEM_HD static void integrate(const Q& q, const U& u, Out out) {
    const auto p = exponential_translation(Motion<S>{{S(0), S(0), S(u[2])}, {S(u[0]), S(u[1]), S(0)}});
    const auto [s, c] = sincos(S(q[2]));
    const S x = S(q[0]) + difference_of_products(c, p.x, s, p.y);
    const S y = S(q[1]) + sum_of_products(s, p.x, c, p.y);
    out[0] = x;
    out[1] = y;
    out[2] = S(q[2]) + S(u[2]);
  }
  template <class S, class Q0, class Q1, class Out>
  TANDEM_HD static void difference(const Q0& q0, const Q1& q1, Out out) {
    const S x = S(q1[0]) - S(q0[0]), y = S(q1[1]) - S(q0[1]);
    const auto [s, c] = sincos(S(q0[2]));
    const auto [s_turn, c_turn] = sincos(S(q1[2]) - S(q0[2]));
    const S turn = arctangent(s_turn, c_turn);
    const auto v = logarithm_translation(
        Vec3<S>{S(0), S(0), turn}, Vec3<S>{sum_of_products(c, x, s, y), difference_of_products(c, y, s, x), S(0)});
    out[0] = v.x;
    out[1] = v.y;
    out[2] = turn;
  }
  template <class S, class U, class V, class Out>
  TANDEM_HD static void rate(const U& u, const V& v, Out out) {
    const auto r = exponential_rate(Motion<S>{{S(0), S(0), S(u[2])}, {S(u[0]), S(u[1]), S(0)}},
                                    Motion<S>{{S(0), S(0), S(v[2])}, {S(v[0]), S(v[1]), S(0)}});
    out[0] = r.v.x;
    out[1] = r.v.y;
    out[2] = r.w.z;
  }
};

/// Spherical joints: q a quaternion [x y z w], v the angular velocity along the child's axes.
struct SphericalJoint : UnitAxes<0, 1, 2> {
  static constexpr int nq = 4;
  template <class S, class Q>
  TANDEM_HD static Transform<S> transform(const Transform<S>& X_T, const Q& q) {
    return {transpose_mul(rotation(load<Quaternion<S>>(q, 0)), X_T.E), X_T.r};
  }
  template <class S, class V>
  TANDEM_HD static Angular<S> motion(const V& v) {
    return {load<Vec3<S>>(v, 0)};
  }
  template <class S, class Q, class U, class Out>
  TANDEM_HD static void integrate(const Q& q, const U& u, Out out) {
    const auto a = of_moderate_length(load<Quaternion<S>>(q, 0));
    store(out, 0, normalised(a * exponential(load<Vec3<S>>(u, 0))));
  }
  template <class S, class Q0, class Q1, class Out>
  TANDEM_HD static void difference(const Q0& q0, const Q1& q1, Out out) {
    const auto a = of_moderate_length(load<Quaternion<S>>(q0, 0)), b = of_moderate_length(load<Quaternion<S>>(q1, 0));
    store(out, 0, logarithm(conjugate(a) * b));
  }
  template <class S, class U, class V, class Out>
  TANDEM_HD static void rate(const U& u, const V& v, Out out) {
    const Motion<S> turn = {load<Vec3<S>>(u, 0), Vec3<S>::zero()}, turning = {load<Vec3<S>>(v, 0), Vec3<S>::zero()};
    store(out, 0, exponential_rate(turn, turning).w);
  }
};

/// Free joints: q = [x y z, qx qy qz qw], v = [linear; angular] of the child along its own axes.
struct FreeJoint : UnitAxes<3, 4, 5, 0, 1, 2> {
  static constexpr int nq = 7;
  template <class S, class Q>
  TANDEM_HD static Transform<S> transform(const Transform<S>& X_T, const Q& q) {
    return {transpose_mul(rotation(load<Quaternion<S>>(q, 3)), X_T.E),
            transpose_mul_add(X_T.E, load<Vec3<S>>(q, 0), X_T.r)};
  }
  template <class S, class V>
  TANDEM_HD static Motion<S> motion(const V& v) {
    return {load<Vec3<S>>(v, 3), load<Vec3<S>>(v, 0)};
  }
  template <class S, class Q, class U, class Out>
  TANDEM_HD static void integrate(const Q& q, const U& u, Out out) {
    const auto a = of_moderate_length(load<Quaternion<S>>(q, 3));
    const auto step = motion<S>(u);
    store(out, 0, mul_add(rotation(a), exponential_translation(step), load<Vec3<S>>(q, 0)));
    store(out, 3, normalised(a * exponential(step.w)));
  }
  template <class S, class Q0, class Q1, class Out>
  TANDEM_HD static void difference(const Q0& q0, const Q1& q1, Out out) {
    const auto a = of_moderate_length(load<Quaternion<S>>(q0, 3));
    const auto w = logarithm(conjugate(a) * of_moderate_length(load<Quaternion<S>>(q1, 3)));
    store(out, 0, logarithm_translation(w, transpose_mul(rotation(a), load<Vec3<S>>(q1, 0) - load<Vec3<S>>(q0, 0))));
    store(out, 3, w);
  }
  template <class S, class U, class V, class Out>
  TANDEM_HD static void rate(const U& u, const V& v, Out out) {
    const auto r = exponential_rate(motion<S>(u), motion<S>(v));
    store(out, 0, r.v);
    store(out, 3, r.w);
  }
};

/// How far a joint's springs are stretched: out = difference(q_rest, q), except that the linear part of planar
/// and free joints is the straight way along the child's axes. Minus the stretch is then the force of a unit
/// spring whose energy is half the square of the stretch.
template <class S, class Joint, class Rest, class Q, class Out>
TANDEM_HD void stretch(Joint joint, const Rest& q_rest, const Q& q, Out out) {
  joint.template difference<S>(q_rest, q, out);
}
template <class S, class Rest, class Q, class Out>
TANDEM_HD void stretch(PlanarJoint joint, const Rest& q_rest, const Q& q, Out out) {
  joint.template difference<S>(q_rest, q, out);
  const S x = S(q[0]) - S(q_rest[0]), y = S(q[1]) - S(q_rest[1]);
  const auto [s, c] = sincos(S(q[2]));
  out[0] = sum_of_products(c, x, s, y);
  out[1] = difference_of_products(c, y, s, x);
}
template <class S, class Rest, class Q, class Out>
TANDEM_HD void stretch(FreeJoint joint, const Rest& q_rest, const Q& q, Out out) {
  joint.template difference<S>(q_rest, q, out);
  const auto way = load<Vec3<S>>(q, 0) - load<Vec3<S>>(q_rest, 0);
  store(out, 0, transpose_mul(rotation(load<Quaternion<S>>(q, 3)), way));
}

/// How the stretch changes as the joint moves with v: out = d stretch/dt. Coordinates add up; rotation vectors change
/// by the inverse of the exponential's differential, straight ways along axes that turn.
template <class S, class Joint, class Stretch, class V, class Out>
TANDEM_HD void stretch_rate(Joint, const Stretch&, const V& v, Out out) {
  for (int k = 0; k < Joint::nv; ++k) out[k] = S(v[k]);
}
template <class S, class Stretch, class V, class Out>
TANDEM_HD void stretch_rate(SphericalJoint, const Stretch& stretch, const V& v, Out out) {
  store(out, 0, logarithm_translation(-load<Vec3<S>>(stretch, 0), load<Vec3<S>>(v, 0)));
}
template <class S, class Stretch, class V, class Out>
TANDEM_HD void stretch_rate(PlanarJoint, const Stretch& stretch, const V& v, Out out) {
  out[0] = mul_add(S(v[2]), S(stretch[1]), S(v[0]));
  out[1] = mul_add(-S(v[2]), S(stretch[0]), S(v[1]));
  out[2] = S(v[2]);
}
template <class S, class Stretch, class V, class Out>
TANDEM_HD void stretch_rate(FreeJoint, const Stretch& stretch, const V& v, Out out) {
  store(out, 0, add_cross(load<Vec3<S>>(v, 0), load<Vec3<S>>(stretch, 0), load<Vec3<S>>(v, 3)));
  store(out, 3, logarithm_translation(-load<Vec3<S>>(stretch, 3), load<Vec3<S>>(v, 3)));
}

}  // namespace tandem::inline TANDEM_ISA
