// SPDX-License-Identifier: Apache-2.0
/// How the chunks of a chain move, along axes that do not turn from link to link. The memory of a call has
/// orientations, motions, jets and accelerations of chunks.
#pragma once
#include <type_traits>

#include "tandem/detail/scan/chunk_passes.hpp"
#include "tandem/detail/joint/axes.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::inline TANDEM_ISA {

/// How a link moves against the start of its chunk, axes of the start, about its own origin.
template <class S>
struct OriginMotion {
  Vec3<S> p;              ///< where its origin is, m
  Vec3<S> w, dw;          ///< angular velocity and acceleration, rad/s, rad/s^2
  Vec3<S> p_dot, p_ddot;  ///< how its origin moves, m/s, m/s^2

  TANDEM_HD static OriginMotion zero() {
    const auto o = Vec3<S>::zero();
    return {o, o, o, o, o};
  }
  /// On to the next link: r from origin to origin.
  template <class Axes, class Link>
  TANDEM_HD void append(const Vec3<S>& r, const Axes& axes, const Link& link) {
    carry(r);
    join(axes, link.v, link.a);
  }
  /// To the point of the same body that lies by r further on: dw x r + w x (w x r).
  TANDEM_HD void carry(const Vec3<S>& r) {
    const Vec3<S> u = cross(w, r);
    p_ddot = add_cross(add_cross(p_ddot, dw, r), w, u);
    p_dot = p_dot + u;
    p = p + r;
  }
  /// From there to the body whose joint adds [v_J; a_J] = S v and S a: 2 w x v_J + a_J, and w_J x v_J where it turns
  /// and slides at once.
  template <class Axes, class V, class A>
  TANDEM_HD void join(const Axes& axes, const V& v, const A& a) {
    using Joint = decltype(axes.joint);
    const Motion<S> v_J = motion_along(axes, v), a_J = motion_along(axes, a);
    if constexpr (Joint::has_linear) {
      p_ddot = add_cross(p_ddot + a_J.v, w, v_J.v + v_J.v);
      p_dot = p_dot + v_J.v;
    }
    if (axes.nv > 1 && Joint::has_linear) p_ddot = add_cross(p_ddot, v_J.w, v_J.v);
    if constexpr (Joint::has_angular) {
      dw = add_cross(dw + a_J.w, w, v_J.w);
      if constexpr (axes_may_turn<Joint>)
        if (axes.joint.axes_turn) dw = dw + drift_along(axes, v);
      w = w + v_J.w;
    }
  }
};

/// What lies between the chunks: how each stands and how its start turns and accelerates, less gravity; along the
/// base's axes how its end moves, in place of `motions`: p_dot is its velocity against the start.
template <class Passes>
TANDEM_HD void find_starts(const Passes& passes) {
  using S = typename std::remove_cvref_t<decltype(passes.call)>::Number;
  const auto& of = passes.call.memory;
  passes.scan(Product<Mat3<S>>(), of.orientations);
  passes.over_chunks([&](Index c) TANDEM_INLINE {
    const auto in_world = [&](const Vec3<S>& x) TANDEM_INLINE { return transpose_mul(of.orientations[c], x); };
    auto& o = of.motions[c];
    o = {in_world(o.p), in_world(o.w), in_world(o.dw), in_world(o.p_dot), in_world(o.p_ddot)};
    of.jets[c] = {o.w, o.dw};
  });
  passes.scan(WorldJet<S>(), of.jets);
  const auto a_0 = base_acceleration<S>(passes.call.m);
  passes.over_chunks([&](Index c) TANDEM_INLINE {
    auto& [w_c, dw_c] = of.jets[c];
    dw_c = dw_c + a_0.w;
    auto& o = of.motions[c];
    const Vec3<S> u = cross(w_c, o.p);
    of.accelerations[c] = add_cross(add_cross(o.p_ddot, dw_c, o.p), w_c, u + o.p_dot + o.p_dot);
    o.p_dot = o.p_dot + u;
  });
  passes.scan(Sum<S>(), of.accelerations);
}

/// How the start of a chunk turns and accelerates, along its own axes. Places and velocities are counted from there.
template <class Lane>
TANDEM_HD auto start_of(const Lane& lane) {
  using S = typename Lane::S;
  const auto& of = lane.call.memory;
  const auto E_c = lane.take(of.orientations);
  const auto jet_c = lane.take(of.jets);
  auto o = OriginMotion<S>::zero();
  o.w = E_c * jet_c.w;
  o.dw = E_c * jet_c.dw;
  o.p_ddot = E_c * (lane.take(of.accelerations) + base_acceleration<S>(lane.call.m).v);
  return o;
}

}  // namespace tandem::inline TANDEM_ISA
