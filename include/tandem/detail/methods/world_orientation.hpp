// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/chunks/inverse_chunk.hpp"
#include "tandem/detail/engines/scan.hpp"
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
  /// From there to the body whose joint adds [v_J; a_J] = S v and S a: 2 w x v_J + a_J, and w_J x v_J where it turns and slides
  /// at once.
  template <class Axes, class V, class A>
  TANDEM_HD void join(const Axes& axes, const V& v, const A& a) {
    using Joint = decltype(axes.joint);
    const Motion<S> v_J = motion_along(axes, v), a_J = motion_along(axes, a);
    if constexpr (Joint::has_linear) {
      p_ddot = add_cross(p_ddot + a_J.v, w, v_J.v + v_J.v);
      p_dot = p_dot + v_J.v;
    }
    if constexpr (Joint::nv > 1 && Joint::has_linear) p_ddot = add_cross(p_ddot, v_J.w, v_J.v);
    if constexpr (Joint::has_angular) {
      dw = add_cross(dw + a_J.w, w, v_J.w);
      if constexpr (Joint::axes_turn) dw = dw + drift_along(axes, v);
      w = w + v_J.w;
    }
  }
};

/// Inverse dynamics in which every vector is about its own link's origin and along axes that do not turn from link to link:
/// those of the start of the chunk inside a chunk, those of the world between chunks. What is left of the recursions are
/// sums; only rotations are multiplied.
///
///     inside a chunk, outwards from rest                     how its end moves against its start
///     between chunks   E, then w, dw, then p_ddot            how its start moves
///     inside a chunk, outwards                               F, N: what a link's motion takes, about its origin; their sum
///     between chunks   f, then n                             what the chunk beyond takes
///     inside a chunk, inwards                                f_i = F_i + f_{i+1},  n_i = N_i + n_{i+1} + r_{i+1} x f_{i+1}
///
/// [Pond]'s RECNE in world axes, without the lever arms to the base that the spatial sums of [Yang] take.
struct WorldOrientation {
  /// Rows of a link: its axes, r from the link before, and the force that its motion takes. Of joints with one degree of
  /// freedom no more than their axis is wanted when the forces are known, which take the place of the other two.
  struct Rows {
    enum Field { E = 0, r = 9 };
    int dof;  ///< most of a joint
    TANDEM_HD constexpr Index per_link() const { return dof == 1 ? 12 : 18; }
    TANDEM_HD constexpr Index f(int k) const { return per_link() * k + (dof == 1 ? 0 : 12); }
    TANDEM_HD constexpr Index at(int k, Field field) const { return per_link() * k + field; }
  };
  static Index rows_of_chunk(int dof, int steps) { return Rows{dof}.per_link() * steps; }

  /// [n_chunks] each: a chunk's end against its start; then how its start moves and what is felt at its end.
  template <class S>
  struct Memory {
    Mat3<S>* orientations;
    OriginMotion<S>* motions;
    WorldJetRun<S>* jets;
    Vec3<S>*accelerations, *forces, *moments;
    Mat3<S>* spare;  ///< room for another row of any of these
    S* chunks;       ///< the rows of links

    TANDEM_HD Memory(Arena& arena, Index n, Index rows) {
      arena.take(n, orientations, motions, jets, accelerations, forces, moments, spare);
      arena.take(rows, chunks);
    }
  };

  template <class Groups, class Engine, class Call>
  TANDEM_HD static void body(const Groups& groups, const Engine& engine, const Call& call) {
    using S = typename Call::Number;
    const auto& of = call.memory;
    const Index n = call.plan.n_chunks;
    const auto few = in_small_parts(engine);  // what is done for chunks, not for links
    const auto on_chunks = [&](auto&& f) TANDEM_INLINE { call.for_each_chunk(groups, engine, f); };
    const auto scan = [&](auto op, auto* elements)
                          TANDEM_INLINE { call.template scan<Scan::exclusive_prefix>(few, op, elements); };
    const auto scan_back = [&](auto op, auto* elements)
                               TANDEM_INLINE { call.template scan<Scan::exclusive_suffix>(few, op, elements); };

    on_chunks([](auto& lane) TANDEM_INLINE { move(lane); });

    // how the start of each chunk moves
    scan(Product<Mat3<S>>(), of.orientations);
    few.for_each(n, [&](Index c) TANDEM_INLINE {
      const auto E_c = of.orientations[c];
      const auto o = of.motions[c];
      const OriginMotion<S> in_world = {transpose_mul(E_c, o.p), transpose_mul(E_c, o.w), transpose_mul(E_c, o.dw),
                                        transpose_mul(E_c, o.p_dot), transpose_mul(E_c, o.p_ddot)};
      of.motions[c] = in_world;
      of.jets[c] = {in_world.w, in_world.dw};
    });
    scan(WorldJet<S>(), of.jets);
    const auto a_0 = base_acceleration<S>(call.m);
    few.for_each(n, [&](Index c) TANDEM_INLINE {
      auto [w_c, dw_c] = of.jets[c];
      dw_c = dw_c + a_0.w;
      of.jets[c].dw = dw_c;
      const auto o = of.motions[c];
      of.accelerations[c] = add_cross(add_cross(o.p_ddot, dw_c, o.p), w_c, cross(w_c, o.p) + o.p_dot + o.p_dot);
    });
    scan(Sum<S>(), of.accelerations);

    on_chunks([](auto& lane) TANDEM_INLINE { push(lane); });

    // what is felt at the end of each chunk
    scan_back(Sum<S>(), of.forces);
    few.for_each(
        n, [&](Index c) TANDEM_INLINE { of.moments[c] = add_cross(of.moments[c], of.motions[c].p, of.forces[c]); });
    scan_back(Sum<S>(), of.moments);
    on_chunks([](auto& lane) TANDEM_INLINE { gather_forces(lane); });
  }

 private:
  template <class Lane>
  TANDEM_HD static void move(Lane& lane) {
    using S = typename Lane::S;
    const Rows rows = {lane.dof};
    S* const w = lane.w;
    auto E_i = Mat3<S>::identity();
    auto o = OriginMotion<S>::zero();
    lane.template outward<reads_q | reads_v | reads_a>([&](int k, const auto& link, auto joint) TANDEM_INLINE {
      const auto X_ip = link.transform(joint);
      const auto r = transpose_mul(E_i, X_ip.r);
      E_i = X_ip.E * E_i;
      o.append(r, JointAxes<S, decltype(joint)>{joint, E_i}, link);
      tandem::store(w, rows.at(k, Rows::E), E_i);
      tandem::store(w, rows.at(k, Rows::r), r);
    });
    lane.put(lane.call.memory.orientations, E_i);
    lane.put(lane.call.memory.motions, o);
  }

  /// Newton's and Euler's equations about each link's origin.
  template <class Lane>
  TANDEM_HD static void push(Lane& lane) {
    using S = typename Lane::S;
    const auto& of = lane.call.memory;
    const Rows rows = {lane.dof};
    S* const w = lane.w;
    const auto E_c = lane.take(of.orientations);
    const auto jet_c = lane.take(of.jets);
    auto o = OriginMotion<S>::zero();
    o.w = E_c * jet_c.w;
    o.dw = E_c * jet_c.dw;
    o.p_ddot = E_c * (lane.take(of.accelerations) + base_acceleration<S>(lane.call.m).v);
    const bool feels = lane.feels();
    auto total = Force<S>::zero();
    lane.template outward<reads_v | reads_a>([&](int k, const auto& link, auto joint) TANDEM_INLINE {
      const auto E_i = load<Mat3<S>>(w, rows.at(k, Rows::E));
      o.append(load<Vec3<S>>(w, rows.at(k, Rows::r)), JointAxes<S, decltype(joint)>{joint, E_i}, link);
      const auto I_i = link.inertia();
      const Vec3<S> h_i = transpose_mul(E_i, I_i.h), w_i = E_i * o.w;
      const auto spin = mul_add(I_i.I, E_i * o.dw, cross(w_i, I_i.I * w_i));
      Force<S> f_i = {add_cross(transpose_mul(E_i, spin), h_i, o.p_ddot),
                      add_cross(add_cross(I_i.m * o.p_ddot, o.dw, h_i), o.w, cross(o.w, h_i))};
      if (feels) {
        const auto f = lane.force(k);
        f_i = f_i - Force<S>{transpose_mul(E_i, f.n), transpose_mul(E_i, f.f)};
      }
      tandem::store(w, rows.f(k), f_i);
      total = {add_cross(total.n + f_i.n, o.p, f_i.f), total.f + f_i.f};
    });
    lane.put(of.forces, transpose_mul(E_c, total.f));
    lane.put(of.moments, transpose_mul(E_c, total.n));
  }

  template <class Lane>
  TANDEM_HD static void gather_forces(Lane& lane) {
    using S = typename Lane::S;
    const auto& of = lane.call.memory;
    const Rows rows = {lane.dof};
    S* const w = lane.w;
    const auto E_c = lane.take(of.orientations);
    Force<S> f = {E_c * lane.take(of.moments), E_c * lane.take(of.forces)};
    lane.template inward<reads_a>([&](int k, const auto& link, auto joint) TANDEM_INLINE {
      f = f + load<Force<S>>(w, rows.f(k));
      const JointAxes<S, decltype(joint)> axes = {joint, load<Mat3<S>>(w, rows.at(k, Rows::E))};
      for (int j = 0; j < decltype(joint)::nv; ++j) link.put(j, axes.along(j, f));
      f.n = add_cross(f.n, load<Vec3<S>>(w, rows.at(k, Rows::r)), f.f);
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
