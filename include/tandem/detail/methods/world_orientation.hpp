// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/chunks/chain_chunks.hpp"
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
  /// On to the next link: r from origin to origin, [v_J; a_J] what the joint does. With `turns_and_slides` a joint may do
  /// both at once.
  template <bool turns_and_slides>
  TANDEM_HD void append(const Vec3<S>& r, const Motion<S>& v_J, const Motion<S>& a_J) {
    const Vec3<S> u = cross(w, r);
    // dw x r + w x (w x r) + 2 w x v_J + a_J
    p_ddot = add_cross(add_cross(p_ddot + a_J.v, dw, r), w, u + v_J.v + v_J.v);
    if constexpr (turns_and_slides) p_ddot = add_cross(p_ddot, v_J.w, v_J.v);
    p_dot = p_dot + u + v_J.v;
    dw = add_cross(dw + a_J.w, w, v_J.w);
    w = w + v_J.w;
    p = p + r;
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
  enum Field { E = 0, R = 9, F = 12, rows_per_link = 18 };
  // of chains of joints with one degree of freedom, which need no more than their axis when the forces are known
  enum AxialField { axial_F = 0, axial_rows_per_link = 12 };
  enum SlotRows { turn = 9, motion = 15, jet = 6, sum = 3, rows_per_chunk = turn + motion + jet + 3 * sum };

  template <class M>
  TANDEM_HD static Index link_rows(const ModelView<M>& m) {
    return is_axial(m) ? Index{axial_rows_per_link} : Index{rows_per_link};
  }

  template <class S, class Engine, class Call, class Work>
  TANDEM_HD static void body(const Engine& engine, const Call& call, const ChainCut& cut, Work w, Work per_chunk) {
    const Index n = cut.chunks();
    const auto few = in_small_parts(engine);  // what is done for chunks, not for links
    const auto orientations = chunk_slots<Mat3, S>(per_chunk);
    const auto motions = chunk_slots<OriginMotion, S>(per_chunk + turn * n);
    const auto jets = chunk_slots<WorldJetRun, S>(per_chunk + (turn + motion) * n);
    const auto sums = per_chunk + (turn + motion + jet) * n;
    const auto accelerations = chunk_slots<Vec3, S>(sums), forces = chunk_slots<Vec3, S>(sums + sum * n),
               moments = chunk_slots<Vec3, S>(sums + 2 * sum * n);
    const auto rows = link_rows(call.m);
    const auto scan = [&](auto op, auto slots) TANDEM_INLINE { scan_on<Scan::exclusive_prefix>(few, op, n, slots); };
    const auto scan_back = [&](auto op, auto slots)
                               TANDEM_INLINE { scan_on<Scan::exclusive_suffix>(few, op, n, slots); };

    for_each_chunk<S>(engine, call, cut, w, rows,
                      [&](const auto& chunk) TANDEM_INLINE { move(chunk, orientations, motions); });

    // how the start of each chunk moves
    scan(Rotation<S>(), orientations);
    few.for_each(n, [&](Index c) TANDEM_INLINE {
      const auto E_c = orientations.load(c);
      const auto o = motions.load(c);
      const OriginMotion<S> in_world = {transpose_mul(E_c, o.p), transpose_mul(E_c, o.w), transpose_mul(E_c, o.dw),
                                        transpose_mul(E_c, o.p_dot), transpose_mul(E_c, o.p_ddot)};
      motions.store(c, in_world);
      jets.store(c, {in_world.w, in_world.dw});
    });
    scan(WorldJet<S>(), jets);
    const auto a_0 = base_acceleration<S>(call.m);
    few.for_each(n, [&](Index c) TANDEM_INLINE {
      auto [w_c, dw_c] = jets.load(c);
      dw_c = dw_c + a_0.w;
      jets.store(c, {w_c, dw_c});
      const auto o = motions.load(c);
      accelerations.store(c, add_cross(add_cross(o.p_ddot, dw_c, o.p), w_c, cross(w_c, o.p) + o.p_dot + o.p_dot));
    });
    scan(Sum<S>(), accelerations);

    for_each_chunk<S>(engine, call, cut, w, rows, [&](const auto& chunk) TANDEM_INLINE {
      push(chunk, orientations, jets, accelerations, forces, moments);
    });

    // what is felt at the end of each chunk
    scan_back(Sum<S>(), forces);
    few.for_each(n, [&](Index c) TANDEM_INLINE {
      moments.store(c, add_cross(moments.load(c), motions.load(c).p, forces.load(c)));
    });
    scan_back(Sum<S>(), moments);
    for_each_chunk<S>(engine, call, cut, w, rows,
                      [&](const auto& chunk) TANDEM_INLINE { gather_forces(chunk, orientations, forces, moments); });
  }

  template <class Chunk, class Orientations, class Motions>
  TANDEM_HD static void move(const Chunk& chunk, const Orientations& orientations, const Motions& motions) {
    using S = typename Chunk::Number;
    auto E_i = Mat3<S>::identity();
    auto o = OriginMotion<S>::zero();
    chunk.template outward<reads_placement | reads_q | reads_v | reads_a>(
        [&](Index j, auto joint, const auto& link) TANDEM_INLINE {
          const auto X_ip = joint.transform(link.placement(), link.q());
          const auto r = transpose_mul(E_i, X_ip.r);
          E_i = X_ip.E * E_i;
          append(o, r, JointAxes<S, decltype(joint)>{joint, E_i}, link);
          const auto rows = chunk.work(j);
          tandem::store(rows, E, E_i);
          tandem::store(rows, R, r);
        });
    chunk.store(orientations, E_i);
    chunk.store(motions, o);
  }

  /// Newton's and Euler's equations about each link's origin.
  template <class Chunk, class Orientations, class Jets, class Accelerations, class Forces, class Moments>
  TANDEM_HD static void push(const Chunk& chunk, const Orientations& orientations, const Jets& jets,
                             const Accelerations& accelerations, const Forces& forces, const Moments& moments) {
    using S = typename Chunk::Number;
    const auto E_c = chunk.load(orientations);
    const auto jet_c = chunk.load(jets);
    const auto a_0 = base_acceleration<S>(chunk.call.m);
    auto o = OriginMotion<S>::zero();
    o.w = E_c * jet_c.w;
    o.dw = E_c * jet_c.dw;
    o.p_ddot = E_c * (chunk.load(accelerations) + a_0.v);
    auto total = Force<S>::zero();
    const Index f_row = force_row(chunk);
    const auto pass = [&](Index j, auto joint, const auto& link) TANDEM_INLINE {
      const auto rows = chunk.work(j);
      const auto E_i = load_mat3<S>(rows, E);
      append(o, load_vec3<S>(rows, R), JointAxes<S, decltype(joint)>{joint, E_i}, link);
      const auto I_i = link.inertia();
      const Vec3<S> h_i = transpose_mul(E_i, I_i.h), w_i = E_i * o.w;
      const auto spin = mul_add(I_i.I, E_i * o.dw, cross(w_i, I_i.I * w_i));
      Force<S> f_i = {add_cross(transpose_mul(E_i, spin), h_i, o.p_ddot),
                      add_cross(add_cross(I_i.m * o.p_ddot, o.dw, h_i), o.w, cross(o.w, h_i))};
      if (chunk.call.f_ext) {
        const auto f = link.external_force();
        f_i = f_i - Force<S>{transpose_mul(E_i, f.n), transpose_mul(E_i, f.f)};
      }
      tandem::store(rows, f_row, f_i);
      total = {add_cross(total.n + f_i.n, o.p, f_i.f), total.f + f_i.f};
    };
    constexpr unsigned always = reads_inertia | reads_v | reads_a;
    if (chunk.call.f_ext)
      chunk.template outward<always | reads_force>(pass);
    else
      chunk.template outward<always>(pass);
    chunk.store(forces, transpose_mul(E_c, total.f));
    chunk.store(moments, transpose_mul(E_c, total.n));
  }

  template <class Chunk, class Orientations, class Forces, class Moments>
  TANDEM_HD static void gather_forces(const Chunk& chunk, const Orientations& orientations, const Forces& forces,
                                      const Moments& moments) {
    using S = typename Chunk::Number;
    const auto E_c = chunk.load(orientations);
    Force<S> f = {E_c * chunk.load(moments), E_c * chunk.load(forces)};
    const Index f_row = force_row(chunk);
    chunk.template inward<reads_a>([&](Index j, auto joint, const auto& link) TANDEM_INLINE {
      const auto rows = chunk.work(j);
      f = f + load_force<S>(rows, f_row);
      const auto E_i = load_mat3<S>(rows, E);
      for (int k = 0; k < decltype(joint)::nv; ++k) link.put(k, JointAxes<S, decltype(joint)>{joint, E_i}.along(k, f));
      f.n = add_cross(f.n, load_vec3<S>(rows, R), f.f);
    });
  }

 private:
  template <class S, class Axes, class Link>
  TANDEM_HD static void append(OriginMotion<S>& o, const Vec3<S>& r, const Axes& axes, const Link& link) {
    Motion<S> a_J = motion_along(axes, link.a());
    if constexpr (decltype(axes.joint)::axes_turn) a_J.w = a_J.w + drift_along(axes, link.v());
    o.template append<(Axes::d > 1)>(r, motion_along(axes, link.v()), a_J);
  }
  template <class Chunk>
  TANDEM_HD static Index force_row(const Chunk& chunk) {
    return is_axial(chunk.call.m) ? Index{axial_F} : Index{F};
  }
};

}  // namespace tandem::inline TANDEM_ISA
