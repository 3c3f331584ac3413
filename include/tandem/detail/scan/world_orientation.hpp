// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/inverse_chunk.hpp"
#include "tandem/detail/scan/origin_motion.hpp"

namespace tandem::inline TANDEM_ISA {

/// Inverse dynamics in which every vector is about its own link's origin and along axes that do not turn from link to
/// link: those of the start of the chunk inside a chunk, those of the world between chunks. What is left of the
/// recursions are sums; only rotations are multiplied.
///
///     inside a chunk, outwards from rest                     how its end moves against its start
///     between chunks   E, then w, dw, then p_ddot            how its start moves
///     inside a chunk, outwards                               F, N: inertial force of a link at its origin; the sum
///     between chunks   f, then n                             what the chunk beyond takes
///     inside a chunk, inwards                            f_i = F_i + f_{i+1},  n_i = N_i + n_{i+1} + r_{i+1} x f_{i+1}
///
/// [Pond]'s RECNE in world axes, without the lever arms to the base that the spatial sums of [Yang] take.
struct WorldOrientation {
  /// Rows of a link: its axes, r from the link before, and the force that its motion takes. Of joints with one degree
  /// of freedom no more than their axis is wanted when the forces are known, which take the place of the other two.
  struct Rows {
    enum Field { E = 0, r = 9 };
    int dof;  ///< most of a joint
    TANDEM_HD constexpr Index per_link() const { return dof == 1 ? 12 : 18; }
    TANDEM_HD constexpr Index f(int k) const { return per_link() * k + (dof == 1 ? 0 : 12); }
    TANDEM_HD constexpr Index at(int k, Field field) const { return per_link() * k + field; }
  };
  static Index rows_of_chunk(int dof, int steps) { return Rows{dof}.per_link() * steps; }

  /// [n_chunks] each: a chunk's end against its start; then how its start moves and the forces at its end.
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

  template <class Groups, class Executor, class Call>
  TANDEM_HD static void body(const Groups& groups, const Executor& executor, const Call& call) {
    using S = typename Call::Number;
    const auto& of = call.memory;
    const auto passes = chunk_passes(groups, executor, call);
    passes.over_links([](auto& lane) TANDEM_INLINE { move(lane); });
    find_starts(passes);
    passes.over_links([](auto& lane) TANDEM_INLINE { push(lane); });

    // forces at the end of each chunk
    passes.scan_back(Sum<S>(), of.forces);
    passes.over_chunks([&](Index c)
                           TANDEM_INLINE { of.moments[c] = add_cross(of.moments[c], of.motions[c].p, of.forces[c]); });
    passes.scan_back(Sum<S>(), of.moments);
    passes.over_links([](auto& lane) TANDEM_INLINE { gather_forces(lane); });
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
    auto o = start_of(lane);
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
