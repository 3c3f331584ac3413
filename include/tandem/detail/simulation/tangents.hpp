// SPDX-License-Identifier: Apache-2.0
/// Functions of configurations, backwards: given how a number depends on what a function gives, how it depends on what goes in. "By"
/// columns have nv rows, as increments of configurations have; what is found is added to them.
#pragma once
#include "tandem/detail/problems/integrate.hpp"
#include "tandem/detail/spatial/exponential_transpose.hpp"

namespace tandem::inline TANDEM_ISA {

/// Joints whose coordinates are numbers that add up; the others move along their child's axes.
template <class Joint>
TANDEM_HD constexpr bool adds_up(Joint) {
  return std::is_base_of_v<Coordinates<Joint::nq>, Joint>;
}
template <class S>
TANDEM_HD constexpr bool adds_up(const GeneralJoint<S>& joint) {
  return joint.type != JointType::planar;
}

struct Tangents {
  /// q_next = q (+) u
  template <class S, class M, class U, class ByNext, class ByQ, class ByU>
  TANDEM_PASS static void integrate(const ModelView<M>& m, U u, ByNext by_next, ByQ by_q, ByU by_u) {
    for_each_independent_joint<S>(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      if (adds_up(joint)) {
        for (int k = iv; k < iv + joint.nv; ++k) {
          const S by = by_next[k];
          by_q[k] = S(by_q[k]) + by;
          by_u[k] = S(by_u[k]) + by;
        }
      } else {
        const ExponentialTranspose<S> step(motion<S>(joint, u + iv));
        const auto by = force<S>(joint, by_next + iv);
        add(joint, step.carried(by), by_q + iv);
        add(joint, step(by), by_u + iv);
      }
    });
  }

  /// u = q1 (-) q0, by q1
  template <class S, class M, class U, class ByU, class ByQ>
  TANDEM_PASS static void difference_end(const ModelView<M>& m, U u, ByU by_u, ByQ by_q1) {
    for_each_independent_joint<S>(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      if (adds_up(joint))
        for (int k = iv; k < iv + joint.nv; ++k) by_q1[k] = S(by_q1[k]) + S(by_u[k]);
      else
        add(joint, ExponentialTranspose<S>(motion<S>(joint, u + iv)).inverse(force<S>(joint, by_u + iv)), by_q1 + iv);
    });
  }
  /// u = q1 (-) q0, by q0
  template <class S, class M, class U, class ByU, class ByQ>
  TANDEM_PASS static void difference_start(const ModelView<M>& m, U u, ByU by_u, ByQ by_q0) {
    for_each_independent_joint<S>(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      if (adds_up(joint)) {
        for (int k = iv; k < iv + joint.nv; ++k) by_q0[k] = S(by_q0[k]) - S(by_u[k]);
      } else {
        const ExponentialTranspose<S> step(motion<S>(joint, u + iv));
        add(joint, S(-1) * step.carried(step.inverse(force<S>(joint, by_u + iv))), by_q0 + iv);
      }
    });
  }

  /// How far springs are stretched at q: turns are differences, slides straight ways along the child's axes.
  template <class S, class M, class Stretch, class By, class ByQ>
  TANDEM_PASS static void stretch(const ModelView<M>& m, Stretch stretched, By by_stretch, ByQ by_q) {
    for_each_independent_joint<S>(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      if (adds_up(joint)) {
        for (int k = iv; k < iv + joint.nv; ++k) by_q[k] = S(by_q[k]) + S(by_stretch[k]);
      } else {
        const auto x = motion<S>(joint, stretched + iv);
        const auto by = force<S>(joint, by_stretch + iv);
        const auto turn = ExponentialTranspose<S>({x.w, Vec3<S>::zero()}).inverse({by.n, Vec3<S>::zero()});
        add(joint, Force<S>{turn.n + cross(by.f, x.v), by.f}, by_q + iv);
      }
    });
  }

  /// rate = v + u x v / 2 + u x (u x v) / 12, see exponential_rate
  template <class S, class M, class U, class V, class ByRate, class ByU, class ByV>
  TANDEM_PASS static void rate(const ModelView<M>& m, U u, V v, ByRate by_rate, ByU by_u, ByV by_v) {
    for_each_independent_joint<S>(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      if (adds_up(joint)) {
        for (int k = iv; k < iv + joint.nv; ++k) by_v[k] = S(by_v[k]) + S(by_rate[k]);
      } else {
        const auto u_j = motion<S>(joint, u + iv), v_j = motion<S>(joint, v + iv);
        const auto by = force<S>(joint, by_rate + iv);
        const auto of_product = S(0.5) * by - S(1.0 / 12) * cross(u_j, by);  // of u x v
        add(joint, S(1.0 / 12) * cross(cross(u_j, v_j), by) + cross(v_j, of_product), by_u + iv);
        add(joint, by - cross(u_j, of_product), by_v + iv);
      }
    });
  }

 private:
  template <class S, class Joint, class U>
  TANDEM_HD static Motion<S> motion(Joint joint, U u) {
    return Motion<S>::zero() + joint.template motion<S>(u);
  }
  template <class S, class Joint, class By>
  TANDEM_HD static Force<S> force(Joint joint, By by) {
    S rows[most_nv<Joint>];
    for (int k = 0; k < joint.nv; ++k) rows[k] = S(by[k]);
    return joint.wrench(rows);
  }
  template <class Joint, class S, class By>
  TANDEM_HD static void add(Joint joint, const Force<S>& f, By by) {
    for (int k = 0; k < joint.nv; ++k) by[k] = S(by[k]) + joint.along(k, f);
  }
};

}  // namespace tandem::inline TANDEM_ISA
