// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/chunks/chain_chunks.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::inline TANDEM_ISA {

/// Inverse dynamics of a chain in link coordinates, the equations of [Yang] as scans:
///
///     v_i = X_i v_{i-1} + S v                            prefix scan, Affine
///     a_i = X_i a_{i-1} + S a + v_i x S v                prefix scan, Affine; or both in one, Jet
///     f_i = I_i a_i + v_i x* I_i v_i + X_{i+1}^T f_{i+1} suffix scan, Inward
///
/// A chunk runs each recursion from rest first, to see what it adds, and once more from where the scan says it starts.
struct LinkCoordinates {
  enum Field { X = 0, F = 12, rows_per_link = 18 };

  /// How the start of a chunk moves.
  template <class S>
  struct Start {
    Motion<S> v, a;
  };
  template <class S>
  using InwardForce = InwardRun<S, Force>;
  enum SlotRows { jet = 24, affine = 18, inward = 18, start = 12, rows_per_chunk = jet + affine + inward + start };

  template <class S, bool as_jet, class Engine, class Call, class Work>
  TANDEM_HD static void body(const Engine& engine, const Call& call, const ChainCut& cut, Work w, Work per_chunk) {
    const Index n = cut.chunks();
    const auto few = in_small_parts(engine);  // what is done for chunks, not for links
    const auto starts = chunk_slots<Start, S>(per_chunk);
    const auto runs = chunk_slots<InwardForce, S>(per_chunk + start * n);
    const auto jets = chunk_slots<JetRun, S>(per_chunk + (start + inward) * n);
    const auto affines = chunk_slots<AffineRun, S>(per_chunk + (start + inward + jet) * n);
    const auto on_chunks = [&](auto&& f) TANDEM_INLINE { for_each_chunk<S>(engine, call, cut, w, rows_per_link, f); };
    const auto scan = [&](auto op, auto slots) TANDEM_INLINE { scan_on<Scan::exclusive_prefix>(few, op, n, slots); };
    const auto a_0 = base_acceleration<S>(call.m);

    // how the start of each chunk moves: the base does not, but for its acceleration
    if constexpr (as_jet) {
      on_chunks([&](const auto& chunk) TANDEM_INLINE { move(chunk, jets, runs); });
      scan(Jet<S>(), jets);
      few.for_each(n, [&](Index c) TANDEM_INLINE {
        const auto run = jets.load(c);
        starts.store(c, {run.v, run.X * a_0 + run.a});
      });
    } else {
      on_chunks([&](const auto& chunk) TANDEM_INLINE { find_velocity(chunk, affines, runs); });
      scan(Affine<S>(), affines);
      few.for_each(n, [&](Index c) TANDEM_INLINE { starts.store(c, {affines.load(c).b, Motion<S>::zero()}); });
      on_chunks([&](const auto& chunk) TANDEM_INLINE { find_acceleration(chunk, starts, runs, affines); });
      scan(Affine<S>(), affines);
      few.for_each(n, [&](Index c) TANDEM_INLINE {
        const auto run = affines.load(c);
        starts.store(c, {starts.load(c).v, run.X * a_0 + run.b});
      });
    }

    on_chunks([&](const auto& chunk) TANDEM_INLINE { push(chunk, starts, runs); });
    scan_on<Scan::exclusive_suffix>(few, Inward<S, Force>(), n, runs);
    on_chunks([&](const auto& chunk) TANDEM_INLINE { gather_forces(chunk, runs); });
  }

  /// Velocity and acceleration of the chunk's end against its start.
  template <class Chunk, class Jets, class Runs>
  TANDEM_HD static void move(const Chunk& chunk, const Jets& jets, const Runs& runs) {
    using S = typename Chunk::Number;
    auto run = Jet<S>::identity();
    chunk.template outward<reads_placement | reads_q | reads_v | reads_a>(
        [&](Index j, auto joint, const auto& link) TANDEM_INLINE {
          const auto X_ip = joint.transform(link.placement(), link.q());
          tandem::store(chunk.work(j), X, X_ip);
          run = Jet<S>::append(run, X_ip, joint.template motion<S>(link.v()), joint.template motion<S>(link.a()));
        });
    chunk.store(jets, run);
    chunk.store(runs, InwardForce<S>{run.X, Force<S>::zero()});
  }

  template <class Chunk, class Affines, class Runs>
  TANDEM_HD static void find_velocity(const Chunk& chunk, const Affines& affines, const Runs& runs) {
    using S = typename Chunk::Number;
    auto run = Affine<S>::identity();
    chunk.template outward<reads_placement | reads_q | reads_v>(
        [&](Index j, auto joint, const auto& link) TANDEM_INLINE {
          const auto X_ip = joint.transform(link.placement(), link.q());
          tandem::store(chunk.work(j), X, X_ip);
          run = Affine<S>::append(run, X_ip, joint.template motion<S>(link.v()));
        });
    chunk.store(affines, run);
    chunk.store(runs, InwardForce<S>{run.X, Force<S>::zero()});
  }

  template <class Chunk, class Starts, class Runs, class Affines>
  TANDEM_HD static void find_acceleration(const Chunk& chunk, const Starts& starts, const Runs& runs,
                                          const Affines& affines) {
    using S = typename Chunk::Number;
    auto v_i = chunk.load(starts).v;
    auto a_i = Motion<S>::zero();
    chunk.template outward<reads_v | reads_a>([&](Index j, auto joint, const auto& link) TANDEM_INLINE {
      advance(joint, link, load_transform<S>(chunk.work(j), X), v_i, a_i);
    });
    chunk.store(affines, AffineRun<S>{chunk.load(runs).X, a_i});
  }

  template <class Joint, class Link, class S>
  TANDEM_HD static void advance(const Joint& joint, const Link& link, const Transform<S>& X_ip, Motion<S>& v_i,
                                Motion<S>& a_i) {
    const auto v_J = joint.template motion<S>(link.v());
    v_i = X_ip * v_i + v_J;
    a_i = X_ip * a_i + joint.template motion<S>(link.a()) + velocity_product(v_i, v_J);
  }

  /// The force that each link's motion takes, and what all of them take at the chunk's start.
  template <class Chunk, class Starts, class Runs>
  TANDEM_HD static void push(const Chunk& chunk, const Starts& starts, const Runs& runs) {
    using S = typename Chunk::Number;
    auto [v_i, a_i] = chunk.load(starts);
    const auto pass = [&](Index j, auto joint, const auto& link) TANDEM_INLINE {
      advance(joint, link, load_transform<S>(chunk.work(j), X), v_i, a_i);
      const auto I_i = link.inertia();
      auto f_i = I_i * a_i + cross(v_i, I_i * v_i);
      if (chunk.call.f_ext) f_i = f_i - link.external_force();
      tandem::store(chunk.work(j), F, f_i);
    };
    constexpr unsigned always = reads_inertia | reads_v | reads_a;
    if (chunk.call.f_ext)
      chunk.template outward<always | reads_force>(pass);
    else
      chunk.template outward<always>(pass);

    auto f = Force<S>::zero();
    for (Index j = chunk.length() - 1; j >= 0; --j)
      f = transpose_mul(load_transform<S>(chunk.work(j), X), f + load_force<S>(chunk.work(j), F));
    chunk.store(runs, InwardForce<S>{chunk.load(runs).X, f});
  }

  template <class Chunk, class Runs>
  TANDEM_HD static void gather_forces(const Chunk& chunk, const Runs& runs) {
    using S = typename Chunk::Number;
    auto f = chunk.load(runs).b;
    chunk.template inward<reads_a>([&](Index j, auto joint, const auto& link) TANDEM_INLINE {
      f = f + load_force<S>(chunk.work(j), F);
      for (int k = 0; k < decltype(joint)::nv; ++k) link.put(k, joint.along(k, f));
      f = transpose_mul(load_transform<S>(chunk.work(j), X), f);
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
