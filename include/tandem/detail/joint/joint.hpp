// SPDX-License-Identifier: Apache-2.0
/// From a link to its joint, and what all joints do.
#pragma once
#include "tandem/detail/joint/general_joint.hpp"
#include "tandem/detail/joint/joint_set.hpp"
#include "tandem/detail/spatial/rates.hpp"

namespace tandem::inline TANDEM_ISA {

/// What numbers do when a body comes to a joint: nothing, unless they write down what is done where.
template <class S>
struct AtJoint {
  TANDEM_HD static void visit(int) {}
};

/// Calls f with joint i on numbers of type S, which where its axes turn against the link is the one that `turned()`
/// makes. Hinges go first: else what a pass hands on from link to link would lie in memory for the sake of rarer
/// joints.
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

/// The same with the joints that bodies are compiled for: revolute, prismatic, spherical and free ones, and a general
/// joint, which `general()` makes, for the other types.
template <class S, class M, class General, class F>
TANDEM_HD decltype(auto) on_joint_kind_made(const ModelView<M>& m, int i, General&& general, F&& f) {
  AtJoint<S>::visit(i);
  switch (m.type[i]) {
    case JointType::prismatic: return f(PrismaticJoint{});
    case JointType::helical:
    case JointType::universal:
    case JointType::planar: return f(general());
    case JointType::spherical: return f(SphericalJoint{});
    case JointType::free:
      return f(FreeJoint{});
    [[likely]] default:
      return f(RevoluteJoint{});
  }
}

/// The position of a joint with one degree of freedom.
template <class S, class M, class Column>
TANDEM_HD S joint_position(const ModelView<M>& m, int i, const Column& q) {
  const S position = q[q_row(m, i)];
  return has_mimic_joints(m) && m.mimics[i] != 0 ? mul_add(S(m.multiplier[i]), position, S(m.offset[i])) : position;
}
/// A joint that has no type of its own in bodies, at configuration q.
template <class S, class M, class Column>
TANDEM_HD GeneralJoint<S> general_joint_at(const ModelView<M>& m, int i, const Column& q) {
  const int nq = GeneralJoint<S>::rows_of(m.type[i]);
  auto rows = GeneralRows<S>::of(q + q_row(m, i), nq);
  if (nq == 1) rows.x[0] = joint_position<S>(m, i, q);
  return GeneralJoint<S>::at(m, i, rows);
}

template <class S, class M, class F>
TANDEM_HD decltype(auto) on_joint_kind(const ModelView<M>& m, int i, F&& f) {
  if constexpr (joint_set<M> != JointSet::any)
    return on_joint_turned<M>(
        m, i, []() TANDEM_INLINE { return UniversalJoint<S>{}; }, f);
  else
    return on_joint_kind_made<M>(
        m, i, [&]() TANDEM_INLINE { return GeneralJoint<S>::of(m, i); }, f);
}
template <class S, class M, class Q, class F>
TANDEM_HD decltype(auto) on_joint_kind_at(const ModelView<M>& m, int i, const Q& q, F&& f) {
  if constexpr (joint_set<M> != JointSet::any)
    return on_joint_at<S>(m, i, q, f);
  else
    return on_joint_kind_made<S>(
        m, i, [&]() TANDEM_INLINE { return general_joint_at<S>(m, i, q); }, f);
}
template <class S, class M, class Work, class F>
TANDEM_HD decltype(auto) on_kept_joint_kind(const ModelView<M>& m, int i, const Work& w, Index row, F&& f) {
  if constexpr (joint_set<M> != JointSet::any)
    return on_kept_joint<S>(m, i, w, row, f);
  else
    return on_joint_kind_made<S>(
        m, i, [&]() TANDEM_INLINE { return GeneralJoint<S>::kept(m, i, w, row); }, f);
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
template <class S, class M, class Column>
TANDEM_HD const Transform<S>& joint_transform(const GeneralJoint<S>& joint, const ModelView<M>&, int, const Column&) {
  return joint.X_ip;
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
template <class S, class M, class Column>
TANDEM_HD GeneralMotion<S> joint_motion(const GeneralJoint<S>& joint, const ModelView<M>& m, int i, const Column& x) {
  S rates[3];
  const S gear = has_mimic_joints(m) ? S(m.multiplier[i]) : S(1);
  for (int k = 0; k < joint.nv; ++k) {
    const S rate = S(x[v_row(m, i) + joint.first + k]);
    rates[k] = has_mimic_joints(m) ? gear * rate : rate;
  }
  return joint.template motion<S>(&rates[0]);
}

/// Rows of joint i in x += S_i^T f. A mimic joint hands its share, geared, to the joint that it follows.
template <class S, class Joint, class M, class Column>
TANDEM_HD void add_joint_force(Joint joint, const ModelView<M>& m, int i, const Force<S>& f, Column x) {
  for (int k = 0; k < Joint::nv; ++k) {
    const int row = v_row(m, i) + k;
    x[row] = mul_add(S(m.multiplier[i]), joint.along(k, f), S(x[row]));
  }
}
template <class S, class M, class Column>
TANDEM_HD void add_joint_force(const GeneralJoint<S>& joint, const ModelView<M>& m, int i, const Force<S>& f,
                               Column x) {
  for (int k = 0; k < joint.nv; ++k) {
    const int row = v_row(m, i) + joint.first + k;
    x[row] = mul_add(S(m.multiplier[i]), joint.along(k, f), S(x[row]));
  }
}

/// The inertia of joint i's rotor: armature and what is added to the diagonal of the mass matrix. A mimic joint has
/// none.
template <class S, int d, class M, class Column>
TANDEM_HD void rotor_inertia(const ModelView<M>& m, int i, const Column& diagonal, S (&D)[d], int n = d) {
  const bool own = !has_mimic_joints(m) || m.mimics[i] == 0;
  for (int k = 0; k < n; ++k) {
    D[k] = own ? S(m.armature[v_row(m, i) + k]) : S(0);
    if (own && diagonal) D[k] = D[k] + S(diagonal[v_row(m, i) + k]);
  }
}

/// The part of a wrench across a joint that the joint holds, none of it along its axes: f less the joint's own forces
/// S^T f.
template <class Joint, class S>
TANDEM_HD Force<S> held_by(Joint joint, const Force<S>& f) {
  S along[most_nv<Joint>];
  for (int k = 0; k < joint.nv; ++k) along[k] = joint.along(k, f);
  return f - joint.wrench(along);
}
/// True if link i has further children than link i + 1. Links are numbered depth first: the first child of a link, if
/// it has any, is the next link. What a link hands to the next one stays in registers; only at branches it goes through
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

/// Motion of the base for Newton and Euler: gravity is its acceleration.
template <class S, class M>
TANDEM_HD Rates<S> base_rates(const ModelView<M>& m) {
  const auto a_0 = base_acceleration<S>(m);
  return rates_of<S>({Vec3<S>::zero(), a_0.w, a_0.v});
}

/// Force on link i, in the model's link coordinates, from the users' rows: [n_links, 6], linear first, described link
/// coordinates. Frame i is link i's own.
template <class S, class M, class Column>
TANDEM_HD Force<S> external_force(const ModelView<M>& m, int i, const Column& f_ext) {
  return transpose_mul(frame_transform<S>(m, i), load_force_linear_first<S>(f_ext, Index{6} * i));
}

}  // namespace tandem::inline TANDEM_ISA
