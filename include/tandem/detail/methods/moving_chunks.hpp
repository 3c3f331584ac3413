// SPDX-License-Identifier: Apache-2.0
/// How the chunks of a chain move, along axes that do not turn from link to link: what the passes of products begin with. Columns 0
/// and 1 of a call are velocities and accelerations; its memory has orientations, motions, jets and accelerations of chunks.
#pragma once
#include "tandem/detail/methods/product_call.hpp"
#include "tandem/detail/methods/world_orientation.hpp"

namespace tandem::inline TANDEM_ISA {

/// Outward from rest, along the axes of the chunk's start: where its links are, with `keep` in Rows, and how its end moves. Calls
/// f(axes, link, r) for all joints, which read column `more`, too.
template <class Rows, int more, class Lane, class F>
TANDEM_HD void place_and_move(Lane& lane, bool keep, F&& f) {
  using S = typename Lane::S;
  const Rows rows = {lane.dof};
  auto E = Mat3<S>::identity();
  auto o = OriginMotion<S>::zero();
  lane.template outward<reads_configuration | reads_in(0) | reads_in(1) | reads_in(more)>(
      [&](int k, const auto& link, auto joint) TANDEM_INLINE {
        const Transform<S> X_T = lane.placement(k);
        const Transform<S> X = link.transform(joint, {X_T.E * E, transpose_mul(E, X_T.r)});
        E = X.E;
        const JointAxes<S, decltype(joint)> axes = {joint, E};
        o.carry(X.r);
        o.join(axes, link.in[0], link.in[1]);
        f(axes, link, X.r);
        if (!keep) return;
        store(lane.w, rows.at(k, Rows::E), E);
        store(lane.w, rows.at(k, Rows::r), X.r);
      });
  lane.put(lane.call.memory.orientations, E);
  lane.put(lane.call.memory.motions, o);
}

/// What lies between the chunks: how each stands and how its start turns and accelerates, less gravity; along the base's axes how
/// its end moves, in place of `motions`: p_dot is its velocity against the start.
template <class Engine, class Call>
TANDEM_HD void find_starts(const Engine& few, const Call& call) {
  using S = typename Call::Number;
  const auto& of = call.memory;
  const Index n = call.plan.n_chunks;
  call.template scan<Scan::exclusive_prefix>(few, Product<Mat3<S>>(), of.orientations);
  few.for_each(n, [&](Index c) TANDEM_INLINE {
    const auto in_world = [&](const Vec3<S>& x) TANDEM_INLINE { return transpose_mul(of.orientations[c], x); };
    auto& o = of.motions[c];
    o = {in_world(o.p), in_world(o.w), in_world(o.dw), in_world(o.p_dot), in_world(o.p_ddot)};
    of.jets[c] = {o.w, o.dw};
  });
  call.template scan<Scan::exclusive_prefix>(few, WorldJet<S>(), of.jets);
  const auto a_0 = base_acceleration<S>(call.m);
  few.for_each(n, [&](Index c) TANDEM_INLINE {
    auto& [w_c, dw_c] = of.jets[c];
    dw_c = dw_c + a_0.w;
    auto& o = of.motions[c];
    const Vec3<S> u = cross(w_c, o.p);
    of.accelerations[c] = add_cross(add_cross(o.p_ddot, dw_c, o.p), w_c, u + o.p_dot + o.p_dot);
    o.p_dot = o.p_dot + u;
  });
  call.template scan<Scan::exclusive_prefix>(few, Sum<S>(), of.accelerations);
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

/// A motion at the point that lies by r further on.
template <class S>
TANDEM_HD Motion<S> carried(const Motion<S>& y, const Vec3<S>& r) {
  return {y.w, add_cross(y.v, y.w, r)};
}
/// A force as felt from an origin that lies by r before its own.
template <class S>
TANDEM_HD Force<S> felt_from(const Force<S>& f, const Vec3<S>& r) {
  return {add_cross(f.n, r, f.f), f.f};
}

}  // namespace tandem::inline TANDEM_ISA
