// SPDX-License-Identifier: Apache-2.0
/// Functions of configurations, backwards: given how a number depends on what a function gives, how it depends on what
/// goes in. "By" columns have nv rows, as increments of configurations have; what is found is added to them.
#pragma once
#include "tandem/detail/simulation/free_flight.hpp"
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
  /// q_next = q (+) u, as FreeFlight::move
  template <class S, class M, class U, class ByNext, class ByQ, class ByU>
  TANDEM_PASS static void move(const ModelView<M>& m, U u, ByNext by_next, ByQ by_q, ByU by_u) {
    FreeFlight::for_each(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      const auto way = motion<S>(joint, u + iv);
      const ExponentialTranspose<S> turned({way.w, Vec3<S>::zero()});
      const auto by = force<S>(joint, by_next + iv), carried = turned.carried(by);
      add(joint, Force<S>{carried.n + cross(way.v, carried.f), carried.f}, by_q + iv);
      add(joint, Force<S>{turned({by.n, Vec3<S>::zero()}).n, carried.f}, by_u + iv);
    });
    FreeFlight::for_each_other<S>(m, [&](auto joint, int, int iv) TANDEM_INLINE {
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

  /// y = x along the axes after the displacement u, as FreeFlight::turn: `by` of y becomes that of x.
  template <class S, class M, class U, class Y, class By, class ByU>
  TANDEM_PASS static void turn(const ModelView<M>& m, U u, Y y, By by, ByU by_u) {
    FreeFlight::for_each(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      const ExponentialTranspose<S> turned({motion<S>(joint, u + iv).w, Vec3<S>::zero()});
      const auto f = force<S>(joint, by + iv);
      add(joint, turned({cross(f.f, motion<S>(joint, y + iv).v), Vec3<S>::zero()}), by_u + iv);
      put(joint, Force<S>{f.n, turned.carried({Vec3<S>::zero(), f.f}).f}, by + iv);
    });
  }
  /// y = x along the axes before it, as FreeFlight::turn_back
  template <class S, class M, class U, class X, class By, class ByU>
  TANDEM_PASS static void turn_back(const ModelView<M>& m, U u, X x, By by, ByU by_u) {
    FreeFlight::for_each(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      const auto w = motion<S>(joint, u + iv).w;
      const ExponentialTranspose<S> turned({w, Vec3<S>::zero()});
      const auto f = force<S>(joint, by + iv);
      const auto g = transpose_mul(rotation(exponential(w)), f.f);
      add(joint, turned({cross(motion<S>(joint, x + iv).v, g), Vec3<S>::zero()}), by_u + iv);
      put(joint, Force<S>{f.n, g}, by + iv);
    });
  }
  /// a_lin + w x v_lin, by v, as FreeFlight::make_classical
  template <class S, class M, class V, class ByA, class ByV>
  TANDEM_PASS static void make_classical(const ModelView<M>& m, V v, ByA by_a, ByV by_v) {
    FreeFlight::for_each(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      const auto at = motion<S>(joint, v + iv);
      const auto f = force<S>(joint, by_a + iv).f;
      add(joint, Force<S>{cross(at.v, f), cross(f, at.w)}, by_v + iv);
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

  /// rate = v + u x v / 2 + u x (u x v) / 12, see exponential_rate and FreeFlight::rate
  template <class S, class M, class U, class V, class ByRate, class ByU, class ByV>
  TANDEM_PASS static void rate(const ModelView<M>& m, U u, V v, ByRate by_rate, ByU by_u, ByV by_v) {
    FreeFlight::for_each(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      const auto way = motion<S>(joint, u + iv), at = motion<S>(joint, v + iv);
      const auto by = force<S>(joint, by_rate + iv);
      const auto f = transpose_mul(rotation(exponential(way.w)), by.f);
      const ExponentialTranspose<S> turned({way.w, Vec3<S>::zero()});
      add(joint, turned({cross(at.v, f), Vec3<S>::zero()}), by_u + iv);
      add(joint, Force<S>{Vec3<S>::zero(), f}, by_v + iv);
      add_of_rate(joint, Motion<S>{way.w, Vec3<S>::zero()}, Motion<S>{at.w, Vec3<S>::zero()},
                  Force<S>{by.n, Vec3<S>::zero()}, by_u + iv, by_v + iv);
    });
    FreeFlight::for_each_other<S>(m, [&](auto joint, int, int iv) TANDEM_INLINE {
      if (adds_up(joint))
        for (int k = iv; k < iv + joint.nv; ++k) by_v[k] = S(by_v[k]) + S(by_rate[k]);
      else
        add_of_rate(joint, motion<S>(joint, u + iv), motion<S>(joint, v + iv), force<S>(joint, by_rate + iv), by_u + iv,
                    by_v + iv);
    });
  }

 private:
  template <class Joint, class S, class ByU, class ByV>
  TANDEM_HD static void add_of_rate(Joint joint, const Motion<S>& u, const Motion<S>& v, const Force<S>& by, ByU by_u,
                                    ByV by_v) {
    const auto of_product = S(0.5) * by - S(1.0 / 12) * cross(u, by);  // of u x v
    add(joint, S(1.0 / 12) * cross(cross(u, v), by) + cross(v, of_product), by_u);
    add(joint, by - cross(u, of_product), by_v);
  }
  template <class S, class Joint, class U>
  TANDEM_HD static Motion<S> motion(Joint joint, U u) {
    return FreeFlight::motion<S>(joint, u);
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
  template <class Joint, class S, class By>
  TANDEM_HD static void put(Joint joint, const Force<S>& f, By by) {
    for (int k = 0; k < joint.nv; ++k) by[k] = joint.along(k, f);
  }
};

}  // namespace tandem::inline TANDEM_ISA
