// SPDX-License-Identifier: Apache-2.0
/// How free and planar joints move through a step: along axes that do not turn with the body, so that a body on which
/// no force acts keeps its velocity and moves along a straight line, however fast it spins.
///
/// The velocity v = [v_lin; w] of such a joint is along the axes R of the child, which turn. A step changes the linear
/// velocity V = R v_lin along the axes of the parent, as MuJoCo does. Of semi_implicit_euler, with the acceleration a =
/// dv/dt:
///
///     V' = V + h R (a_lin + w x v_lin),   w' = w + h a_ang,   p' = p + h V',   R' = R exp(h w'),   v_lin' = R'^T V'
///
/// a_lin + w x v_lin is the *classical* acceleration of the child's origin, along the child's axes. Displacements,
/// velocities and classical accelerations of a step are along the axes of the child where it was at the start of the
/// step (R = 1). Other joints move as in `integrate`.
#pragma once
#include "tandem/detail/problems/integrate.hpp"

namespace tandem::inline TANDEM_ISA {

struct FreeFlight {
  template <class M>
  TANDEM_HD static bool some_in(const ModelView<M>& m) {
    bool found = false;
    for_each(m, [&](auto, int, int) TANDEM_INLINE { found = true; });
    return found;
  }

  /// The classical acceleration: a_lin += w x v_lin
  template <class S, class M, class V, class A>
  TANDEM_PASS static void make_classical(const ModelView<M>& m, V v, A a) {
    for_each(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      const auto at = motion<S>(joint, v + iv);
      store_linear(joint, add_cross(motion<S>(joint, a + iv).v, at.w, at.v), a + iv);
    });
  }

  /// x, of velocities or accelerations, from axes at the start to those after the displacement u: x_lin = exp(-u_ang)
  /// x_lin
  template <class S, class M, class U, class X>
  TANDEM_PASS static void turn(const ModelView<M>& m, U u, X x) {
    for_each(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      const auto R = rotation(exponential(motion<S>(joint, u + iv).w));
      store_linear(joint, transpose_mul(R, motion<S>(joint, x + iv).v), x + iv);
    });
  }
  /// and from there to axes at the start. u may be x itself.
  template <class S, class M, class U, class X>
  TANDEM_PASS static void turn_back(const ModelView<M>& m, U u, X x) {
    for_each(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      const auto R = rotation(exponential(motion<S>(joint, u + iv).w));
      store_linear(joint, R * motion<S>(joint, x + iv).v, x + iv);
    });
  }

  /// The configuration after the displacement u: p' = p + R u_lin, R' = R exp(u_ang). q_next may be q itself.
  template <class S, class M, class Q, class U, class Out>
  TANDEM_PASS static void move(const ModelView<M>& m, Q q, U u, Out q_next) {
    for_each(m, [&](auto joint, int iq, int iv) TANDEM_INLINE { move_joint<S>(joint, q + iq, u + iv, q_next + iq); });
    for_each_other<S>(
        m, [&](auto joint, int iq, int iv) TANDEM_INLINE { joint.template integrate<S>(q + iq, u + iv, q_next + iq); });
  }

  /// du/dt while the joints move with v, along their axes after the displacement u: exp(u_ang) v_lin; the rest as
  /// integrate_rate.
  template <class S, class M, class U, class V, class Out>
  TANDEM_PASS static void rate(const ModelView<M>& m, U u, V v, Out out) {
    for_each(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      const auto way = motion<S>(joint, u + iv), at = motion<S>(joint, v + iv);
      const auto turning = exponential_rate(Motion<S>{way.w, Vec3<S>::zero()}, Motion<S>{at.w, Vec3<S>::zero()});
      store_motion(joint, Motion<S>{turning.w, rotation(exponential(way.w)) * at.v}, out + iv);
    });
    for_each_other<S>(m,
                      [&](auto joint, int, int iv) TANDEM_INLINE { joint.template rate<S>(u + iv, v + iv, out + iv); });
  }

  /// Calls f(joint, first row in q, first row in v) for every joint that moves so,
  template <class M, class F>
  TANDEM_HD static void for_each(const ModelView<M>& m, F&& f) {
    if constexpr (joint_set<M> != JointSet::hinges)
      for (int i = 1; i < m.n_links; ++i) {
        if (m.type[i] == JointType::free) f(FreeJoint{}, m.q_index[i], m.v_index[i]);
        if (m.type[i] == JointType::planar) f(PlanarJoint{}, m.q_index[i], m.v_index[i]);
      }
  }
  /// and for every other that has rows of its own.
  template <class S, class M, class F>
  TANDEM_HD static void for_each_other(const ModelView<M>& m, F&& f) {
    for (int i = 1; i < m.n_links; ++i)
      if (m.mimics[i] == 0 && m.type[i] != JointType::free && m.type[i] != JointType::planar)
        on_joint_kind<S>(m, i, [&](auto joint) TANDEM_INLINE { f(joint, m.q_index[i], m.v_index[i]); });
  }
  /// Rows of a joint as a motion of its child.
  template <class S, class Joint, class X>
  TANDEM_HD static Motion<S> motion(Joint joint, X x) {
    return Motion<S>::zero() + joint.template motion<S>(x);
  }

 private:
  template <class S, class Out>
  TANDEM_HD static void store_linear(FreeJoint, const Vec3<S>& x, Out out) {
    store(out, 0, x);
  }
  template <class S, class Out>
  TANDEM_HD static void store_linear(PlanarJoint, const Vec3<S>& x, Out out) {
    out[0] = x.x;
    out[1] = x.y;
  }
  template <class S, class Out>
  TANDEM_HD static void store_motion(FreeJoint, const Motion<S>& x, Out out) {
    store(out, 0, x.v);
    store(out, 3, x.w);
  }
  template <class S, class Out>
  TANDEM_HD static void store_motion(PlanarJoint, const Motion<S>& x, Out out) {
    out[0] = x.v.x;
    out[1] = x.v.y;
    out[2] = x.w.z;
  }

  template <class S, class Q, class U, class Out>
  TANDEM_HD static void move_joint(FreeJoint joint, Q q, U u, Out out) {
    const auto a = of_moderate_length(load<Quaternion<S>>(q, 3));
    const auto way = motion<S>(joint, u);
    store(out, 0, mul_add(rotation(a), way.v, load<Vec3<S>>(q, 0)));
    store(out, 3, normalised(a * exponential(way.w)));
  }
  template <class S, class Q, class U, class Out>
  TANDEM_HD static void move_joint(PlanarJoint, Q q, U u, Out out) {
    const auto [s, c] = sincos(S(q[2]));
    const S x = S(q[0]) + difference_of_products(c, S(u[0]), s, S(u[1]));
    const S y = S(q[1]) + sum_of_products(s, S(u[0]), c, S(u[1]));
    out[0] = x;
    out[1] = y;
    out[2] = S(q[2]) + S(u[2]);
  }
};

}  // namespace tandem::inline TANDEM_ISA
