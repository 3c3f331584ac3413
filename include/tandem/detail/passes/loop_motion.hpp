// SPDX-License-Identifier: Apache-2.0
/// How the two frames of a loop joint stand and move relative to each other, by a walk along the joints between them.
/// All six numbers of it are along the axes of frame 1, turned until the joint's own axis is z: of the way to the
/// origin of frame 2, then of its turn. What is common to both links moves neither relative to the other: the walk ends
/// where their ways to the base meet.
#pragma once
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// From the link where the ways of both links meet to the two frames.
template <class S>
struct LoopEnds {
  Transform<S> X_1, X_2;
};

/// From the link at an end of a loop to the loop joint's frame there, turned.
template <class S, class M>
TANDEM_HD Transform<S> loop_frame(const ModelView<M>& m, int loop, int end) {
  const auto X = load<Transform<S>>(m.loop_placement, Index{12} * (2 * loop + end));
  return {load<Mat3<S>>(m.loop_turn, Index{9} * loop) * X.E, X.r};
}

/// Calls f(kind of joint, link, end, X_fi) for every joint between the two frames, those nearer to their frame first;
/// end 0 or 1 says on whose side it is, X_fi leads from the link that the joint carries to that frame.
template <class S, class M, class Q, class F>
TANDEM_HD LoopEnds<S> for_each_joint_in_loop(const ModelView<M>& m, int loop, Q q, F&& f) {
  Transform<S> X_fi[2] = {loop_frame<S>(m, loop, 0), loop_frame<S>(m, loop, 1)};
  int link[2] = {m.loop_link[2 * loop], m.loop_link[2 * loop + 1]};
  while (link[0] != link[1]) {
    const int end = link[0] > link[1] ? 0 : 1, i = link[end];  // a link's parent has a smaller number
    on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
      f(joint, i, end, X_fi[end]);
      X_fi[end] = X_fi[end] * joint_transform<S>(joint, m, i, q);
    });
    link[end] = m.parent[i];
  }
  return {X_fi[0], X_fi[1]};
}

/// X_21: frame 2 seen from frame 1.
template <class S, class M, class Q>
TANDEM_HD Transform<S> loop_transform(const ModelView<M>& m, int loop, Q q) {
  const auto ends = for_each_joint_in_loop<S>(m, loop, q, [](auto, int, int, const auto&) {});
  return ends.X_2 * inverse(ends.X_1);
}

/// How far the frames are apart: the way from origin to origin, m, and the vector of the turn from the axes of frame 1
/// to those of frame 2, rad. Where the joint turns about its axis alone, that of the shortest turn which takes the one
/// axis to the other.
template <class S, class M>
TANDEM_HD void loop_error(const ModelView<M>& m, int loop, const Transform<S>& X_21, S (&e)[6]) {
  const bool turns_about_axis = holds(m.loop_held[loop], 3) && !holds(m.loop_held[loop], 5);
  const Vec3<S> z = X_21.E.row2;
  const auto turn = turns_about_axis ? logarithm(Quaternion<S>{-z.y, z.x, S(0), S(1) + z.z})
                                     : logarithm(quaternion_of(transpose(X_21.E)));
  const S all[6] = {X_21.r.x, X_21.r.y, X_21.r.z, turn.x, turn.y, turn.z};
  for (int r = 0; r < 6; ++r) e[r] = all[r];
}

/// Rows of J, one for every direction held: how these six numbers change is J v. J [held, nv] is zero before.
template <class S, class M, class Q, class J_>
TANDEM_HD void add_loop_jacobian(const ModelView<M>& m, int loop, Q q, const Transform<S>& X_21, J_ J) {
  const Index n = m.nv;
  const auto held = m.loop_held[loop];
  for_each_joint_in_loop<S>(m, loop, q, [&](auto joint, int i, int end, const Transform<S>& X_fi) TANDEM_INLINE {
    for (int k = 0; k < joint.nv; ++k) {
      const Motion<S> s = S(m.multiplier[i]) * (X_fi * joint.template axis<S>(k));
      const Vec3<S> v = end == 0 ? -add_cross(s.v, s.w, X_21.r) : transpose_mul(X_21.E, s.v);
      const Vec3<S> w = end == 0 ? -s.w : transpose_mul(X_21.E, s.w);
      const S rows[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
      Index row = m.v_index[i] + k;
      for (int r = 0; r < 6; ++r) {
        if (!holds(held, r)) continue;
        J[row] = S(J[row]) + rows[r];
        row += n;
      }
    }
  });
}

/// The rates of the six numbers, and the rates of these, from how the two frames move, each along its own axes,
/// relative to anything that both are seen from.
template <class S>
TANDEM_HD void relative_rates(const Transform<S>& X_21, const Motion<S> (&V_f)[2], const Motion<S> (&A_f)[2],
                              S (&rate)[6], S (&acceleration)[6]) {
  const auto X_12 = inverse(X_21);
  const auto V = X_12 * V_f[1] - V_f[0], A = X_12 * A_f[1] - A_f[0] + cross(V, V_f[0]);
  const auto r_dot = add_cross(V.v, V.w, X_21.r);
  const auto r_ddot = add_cross(add_cross(A.v, A.w, X_21.r), V.w, r_dot);
  const S rates[6] = {r_dot.x, r_dot.y, r_dot.z, V.w.x, V.w.y, V.w.z};
  const S rates_of_rates[6] = {r_ddot.x, r_ddot.y, r_ddot.z, A.w.x, A.w.y, A.w.z};
  for (int r = 0; r < 6; ++r) {
    rate[r] = rates[r];
    acceleration[r] = rates_of_rates[r];
  }
}

/// The same of the joints between them, J v and J a + dJ/dt v.
template <class S, class M, class Q, class Qd, class Qdd>
TANDEM_HD void loop_rates(const ModelView<M>& m, int loop, Q q, const Transform<S>& X_21, Qd v, Qdd a, S (&rate)[6],
                          S (&acceleration)[6]) {
  // of each frame, relative to the link where the ways meet
  Motion<S> V_f[2] = {Motion<S>::zero(), Motion<S>::zero()}, A_f[2] = {Motion<S>::zero(), Motion<S>::zero()};
  for_each_joint_in_loop<S>(m, loop, q, [&](auto joint, int i, int end, const Transform<S>& X_fi) TANDEM_INLINE {
    const auto v_J = joint_motion<S>(joint, m, i, v);
    auto a_J = Motion<S>::zero() + joint_motion<S>(joint, m, i, a);
    if (drifts(v_J)) a_J = a_J + drift_of<S>(v_J);
    const auto u_i = X_fi * (Motion<S>::zero() + v_J);
    A_f[end] = A_f[end] + X_fi * a_J + cross(u_i, V_f[end]);
    V_f[end] = V_f[end] + u_i;
  });
  relative_rates(X_21, V_f, A_f, rate, acceleration);
}

}  // namespace tandem::inline TANDEM_ISA
