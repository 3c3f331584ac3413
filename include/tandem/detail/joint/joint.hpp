// SPDX-License-Identifier: Apache-2.0
/// The only place that knows joint types: how a joint places its link, which motions it allows, which forces it feels.
#pragma once
#include "tandem/detail/joint/axial_joint.hpp"
#include "tandem/detail/joint/joint_set.hpp"
#include "tandem/detail/joint/universal_joint.hpp"
#include "tandem/detail/spatial/exponential.hpp"

namespace tandem::inline TANDEM_ISA {

// Each kind of joint has
//   nq, nv                     rows in q and in v
//   transform(X_T, q)          X_ip: placement X_T of the joint in its parent, followed by its own motion
//   place(zero, q, X)          the same with the rotation as z-x-z angles, where there is one degree of freedom: X is the
//                              placement but for the angle about z, which at q = 0 has the sine and cosine of `zero`
//   keep(w, row, X)            X_ip to memory: what q changes in it; two rows, three or twelve
//   recall(zero, w, row, X)    and back; where axes turn against the link keep(w, row) keeps what the joint is made of anew
//   motion(v)                  S_i v, in link coordinates; velocity_product(v_i, S_i v) is what it adds to the acceleration
//   axes_turn                  whether columns of S_i change in link coordinates
//   axis(k) along(k, f) column(k, A) wrench(tau)
//                              its axes in link coordinates: S_k, S_k^T f, A S_k, and the wrench of its own forces
//   direction(k, E) is_angular(k)
//                              where each only turns or slides: where axis k points along the axes that E turns into those
//                              of the link, and whether it turns
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

/// How the stretch changes as the joint moves with v: out = d stretch/dt. Coordinates add up; rotation vectors change by the inverse
/// of the exponential's differential, straight ways along axes that turn.
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

/// What numbers do when a body comes to a joint: nothing, unless they write down what is done where.
template <class S>
struct AtJoint {
  TANDEM_HD static void visit(int) {}
};

/// Calls f with joint i on numbers of type S, which where its axes turn against the link is the one that `turned()` makes.
/// Hinges go first: else what a pass hands on from link to link would lie in memory for the sake of rarer joints.
template <class S, class M, class Turned, class F>
TANDEM_HD decltype(auto) on_joint_turned(const ModelView<M>& m, int i, Turned&& turned, F&& f) {
  AtJoint<S>::visit(i);
  if constexpr (joint_set<M> == JointSet::hinges) return f(RevoluteJoint{});
  if constexpr (joint_set<M> == JointSet::common) {
    switch (m.type[i]) {
      case JointType::prismatic: return f(PrismaticJoint{});
      case JointType::free:
        return f(FreeJoint{});
      [[likely]] default:
        return f(RevoluteJoint{});
    }
  }
  switch (m.type[i]) {
    case JointType::prismatic: return f(PrismaticJoint{});
    case JointType::helical: return f(AxialJoint<S>{S(1), S(m.slides[i])});
    case JointType::universal: return f(turned());
    case JointType::planar: return f(PlanarJoint{});
    case JointType::spherical: return f(SphericalJoint{});
    case JointType::free:
      return f(FreeJoint{});
    [[likely]] default:
      return f(RevoluteJoint{});
  }
}
/// For what does not depend on its axes; at a configuration; as keep_transform left it.
template <class M, class F>
TANDEM_HD decltype(auto) on_joint(const ModelView<M>& m, int i, F&& f) {
  return on_joint_turned<M>(m, i, []() TANDEM_INLINE { return Universal{}; }, f);
}
template <class S, class M, class Q, class F>
TANDEM_HD decltype(auto) on_joint_at(const ModelView<M>& m, int i, const Q& q, F&& f) {
  return on_joint_turned<S>(m, i, [&]() TANDEM_INLINE { return UniversalJoint<S>::at(q + m.q_index[i]); }, f);
}
template <class S, class M, class Work, class F>
TANDEM_HD decltype(auto) on_kept_joint(const ModelView<M>& m, int i, const Work& w, Index row, F&& f) {
  return on_joint_turned<S>(m, i, [&]() TANDEM_INLINE { return UniversalJoint<S>::kept(w, row); }, f);
}

/// The position of a joint with one degree of freedom.
template <class S, class M, class Column>
TANDEM_HD S joint_position(const ModelView<M>& m, int i, const Column& q) {
  const S position = q[q_row(m, i)];
  return has_mimic_joints(m) && m.mimics[i] != 0 ? mul_add(S(m.multiplier[i]), position, S(m.offset[i])) : position;
}

/// X_ip at configuration q: from the parent's frame to that of link i.
template <class S, class Joint, class M, class Column>
TANDEM_HD Transform<S> joint_transform(Joint joint, const ModelView<M>& m, int i, const Column& q) {
  const Transform<S> X_T = load<Transform<S>>(m.placement, Index{12} * i);
  if constexpr (Joint::nv == 1) {
    const S position = joint_position<S>(m, i, q);
    return joint.transform(X_T, &position);
  } else {
    return joint.transform(X_T, q + q_row(m, i));
  }
}

/// S_i x for joint-space rates x (velocities or accelerations), in link coordinates.
template <class S, class Joint, class M, class Column>
TANDEM_HD auto joint_motion(Joint joint, const ModelView<M>& m, int i, const Column& x) {
  if constexpr (Joint::nv == 1) {
    if (has_mimic_joints(m) && m.mimics[i] != 0) {
      const S follower = S(m.multiplier[i]) * S(x[m.v_index[i]]);
      return joint.template motion<S>(&follower);
    }
  }
  return joint.template motion<S>(x + v_row(m, i));
}

/// Rows of joint i in x += S_i^T f. A mimic joint hands its share, geared, to the joint that it follows.
template <class S, class Joint, class M, class Column>
TANDEM_HD void add_joint_force(Joint joint, const ModelView<M>& m, int i, const Force<S>& f, Column x) {
  for (int k = 0; k < Joint::nv; ++k) {
    const int row = v_row(m, i) + k;
    x[row] = mul_add(S(m.multiplier[i]), joint.along(k, f), S(x[row]));
  }
}

/// The inertia of joint i's rotor: armature and what is added to the diagonal of the mass matrix. A mimic joint has none.
template <class S, int d, class M, class Column>
TANDEM_HD void rotor_inertia(const ModelView<M>& m, int i, const Column& diagonal, S (&D)[d]) {
  const bool own = !has_mimic_joints(m) || m.mimics[i] == 0;
  for (int k = 0; k < d; ++k) {
    D[k] = own ? S(m.armature[v_row(m, i) + k]) : S(0);
    if (own && diagonal) D[k] = D[k] + S(diagonal[v_row(m, i) + k]);
  }
}

/// The part of a wrench across a joint that the joint holds, none of it along its axes: f less the joint's own forces S^T f.
template <class Joint, class S>
TANDEM_HD Force<S> held_by(Joint joint, const Force<S>& f) {
  S along[Joint::nv];
  for (int k = 0; k < Joint::nv; ++k) along[k] = joint.along(k, f);
  return f - joint.wrench(along);
}

/// True if link i has further children than link i + 1. Links are numbered depth first: the first child of a link, if it
/// has any, is the next link. What a link hands to the next one stays in registers; only at branches it goes through
/// memory, and a million-link chain is not slowed down by it.
template <class M>
TANDEM_HD bool branches(const ModelView<M>& m, int i) {
  return m.last_child[i] > i + 1;
}

/// The rigid inertia of link i.
template <class S, class M>
TANDEM_HD Inertia<S> link_inertia(const ModelView<M>& m, int i) {
  return load<Inertia<S>>(m.inertia, Index{10} * i);
}

/// From link i's frame to frame k that rides on it.
template <class S, class M>
TANDEM_HD Transform<S> frame_transform(const ModelView<M>& m, int k) {
  return load<Transform<S>>(m.frame_placement, Index{12} * k);
}

/// Acceleration of the base, minus gravity.
template <class S, class M>
TANDEM_HD Motion<S> base_acceleration(const ModelView<M>& m) {
  return load<Motion<S>>(&m.base_acceleration[0], 0);
}

/// Force on link i, in the model's link coordinates, from the users' rows: [n_links, 6], linear first, described link
/// coordinates. Frame i is link i's own.
template <class S, class M, class Column>
TANDEM_HD Force<S> external_force(const ModelView<M>& m, int i, const Column& f_ext) {
  return transpose_mul(frame_transform<S>(m, i), load_force_linear_first<S>(f_ext, Index{6} * i));
}

}  // namespace tandem::inline TANDEM_ISA
