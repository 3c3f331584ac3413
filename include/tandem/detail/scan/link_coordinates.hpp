// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/executors/scan.hpp"
#include "tandem/detail/scan/inverse_chunk.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::inline TANDEM_ISA {

/// Inverse dynamics in link coordinates, the equations of [Yang] as scans:
///
///     v_i = X_i v_{i-1} + S v                            prefix scan, Affine
///     a_i = X_i a_{i-1} + S a + v_i x S v                prefix scan, Affine; or both in one, Jet
///     f_i = I_i a_i + v_i x* I_i v_i + X_{i+1}^T f_{i+1} suffix scan, Inward
///
/// A chunk runs each recursion from rest first, to see what it adds, and once more from where the scan says it starts.
/// Of a tree the paths are scanned, level by level: outward each begins as the link moves that it hangs from, inward
/// its force goes to that link.
struct LinkCoordinates {
  enum Field { X = 0, F = 12, rows_per_link = 18 };
  static Index rows_of_chunk(int, int steps) { return Index{rows_per_link} * steps; }

  /// How the start of a chunk moves.
  template <class S>
  struct Start {
    Motion<S> v, a;
  };
  template <class S>
  using InwardForce = InwardRun<S, Force>;

  /// How the end of a run moves whose start moves so.
  template <class S>
  TANDEM_HD static Start<S> end_of(const JetRun<S>& run, const Start<S>& start) {
    const Motion<S> v_in = run.X * start.v;
    return {v_in + run.v, run.X * start.a + velocity_product(v_in, run.v) + run.a};
  }

  /// What is known of a link that carries paths: how it moves, what they bring.
  template <class S>
  struct Slot {
    Motion<S> v, a;
    Force<S> brought;
  };

  template <class S>
  struct Memory {
    Start<S>* starts;  ///< [n_chunks], as the runs
    InwardForce<S>* runs;
    JetRun<S>* jets;
    AffineRun<S>* affines;
    JetRun<S>* spare;       ///< room for another row of any of these
    InwardForce<S>* heads;  ///< [n_paths] the first run of each, of trees
    Slot<S>* slots;         ///< [n_slots + 1]
    S* chunks;              ///< the rows of links

    TANDEM_HD Memory(Arena& arena, Index n, Index n_slots, Index rows) {
      arena.take(n, starts, runs, jets, affines, spare);
      arena.take(n_slots > 0 ? n : 0, heads);
      arena.take(n_slots > 0 ? n_slots + 1 : 0, slots);
      arena.take(rows, chunks);
    }
  };

  template <bool as_jet, class Groups, class Executor, class Call>
  TANDEM_HD static void body(const Groups& groups, const Executor& executor, const Call& call) {
    using S = typename Call::Number;
    const auto& of = call.memory;
    const Index levels = call.plan.n_levels;
    const auto few = in_small_parts(executor);  // what is done for chunks, not for links
    const auto on_chunks = [&](auto&& f) TANDEM_INLINE { call.for_each_chunk(groups, executor, f); };
    const auto on_level = [&](Index level, auto&& f)
                              TANDEM_INLINE { call.for_each_chunk_of(level, groups, executor, f); };
    const auto scan = [&](Index level, auto op, auto* elements)
                          TANDEM_INLINE { call.template scan<Scan::exclusive_prefix>(few, op, elements, level); };
    // f(c, its start or null, if the path begins at the base, which rests but for its acceleration)
    const auto on_starts = [&](Index level, auto&& f) TANDEM_INLINE {
      const Index first = call.plan.path_chunk[call.plan.level_path[level]];
      few.for_each(call.plan.path_chunk[call.plan.level_path[level + 1]] - first, [&](Index k) TANDEM_INLINE {
        const Index link = call.plan.path_link[call.plan.path_of(first + k, level)];
        f(first + k, link == 0 ? nullptr : of.slots + call.plan.slot[link]);
      });
    };
    const auto a_0 = base_acceleration<S>(call.m);

    // how the start of each chunk moves, and from there its links
    if constexpr (as_jet) {
      on_chunks([](auto& lane) TANDEM_INLINE { move<Jet>(lane, lane.call.memory.jets); });
      for (Index level = 0; level < levels; ++level) {
        scan(level, Jet<S>(), of.jets);
        on_starts(level, [&](Index c, const Slot<S>* from) TANDEM_INLINE {
          const auto& run = of.jets[c];
          if (from)
            of.starts[c] = end_of(run, Start<S>{from->v, from->a});
          else
            of.starts[c] = {run.v, run.X * a_0 + run.a};
        });
        on_level(level, [=](auto& lane) TANDEM_INLINE { push(lane, level + 1 == levels); });
      }
    } else {
      on_chunks([](auto& lane) TANDEM_INLINE { move<Affine>(lane, lane.call.memory.affines); });
      for (Index level = 0; level < levels; ++level) {
        scan(level, Affine<S>(), of.affines);
        on_starts(level, [&](Index c, const Slot<S>* from) TANDEM_INLINE {
          const auto& run = of.affines[c];
          of.starts[c].v = from ? run.X * from->v + run.b : run.b;
        });
        on_level(level, [](auto& lane) TANDEM_INLINE { find_acceleration(lane); });
      }
      for (Index level = 0; level < levels; ++level) {
        scan(level, Affine<S>(), of.affines);
        on_starts(level, [&](Index c, const Slot<S>* from) TANDEM_INLINE {
          const auto& run = of.affines[c];
          of.starts[c].a = run.X * (from ? from->a : a_0) + run.b;
        });
        on_level(level, [=](auto& lane) TANDEM_INLINE { push(lane, level + 1 == levels); });
      }
    }

    for (Index level = levels - 1; level >= 0; --level) {
      if (level + 1 < levels) on_level(level, [](auto& lane) TANDEM_INLINE { add_up(lane); });
      if (level > 0)
        bring(executor, call, level);
      else
        call.template scan<Scan::exclusive_suffix>(few, Inward<S, Force>(), of.runs);
    }
    on_chunks([](auto& lane) TANDEM_INLINE { gather_forces(lane); });
  }

  /// From the motion of the link before to that of link i, whose joint adds S v and S a.
  template <class S, class V>
  TANDEM_HD static void advance(const Transform<S>& X_ip, const V& v_J, const V& a_J, Motion<S>& v_i, Motion<S>& a_i) {
    v_i = X_ip * v_i + v_J;
    a_i = X_ip * a_i + a_J + velocity_product(v_i, v_J);
  }

 private:
  TANDEM_HD static Index at(int k, Field field) { return Index{rows_per_link} * k + field; }

  /// Velocity of the chunk's end against its start; by Jet its acceleration, too.
  template <template <class> class Op, class Lane>
  TANDEM_HD static void move(Lane& lane, auto* runs) {
    using S = typename Lane::S;
    constexpr bool as_jet = std::is_same_v<Op<S>, Jet<S>>;
    S* const w = lane.w;
    auto run = Op<S>::identity();
    lane.template outward<reads_q | reads_v | (as_jet ? unsigned{reads_a} : 0u)>(
        [&](int k, const auto& link, auto joint) TANDEM_INLINE {
          const auto X_ip = link.transform(joint);
          tandem::store(w, at(k, X), X_ip);
          if constexpr (as_jet)
            run = Jet<S>::append(run, X_ip, joint.template motion<S>(link.v), joint.template motion<S>(link.a));
          else
            run = Affine<S>::append(run, X_ip, joint.template motion<S>(link.v));
        });
    lane.put(runs, run);
    lane.template put<InwardForce>(lane.call.memory.runs, {run.X, Force<S>::zero()});
  }

  template <class Lane>
  TANDEM_HD static void find_acceleration(Lane& lane) {
    using S = typename Lane::S;
    S* const w = lane.w;
    auto v_i = lane.take(lane.call.memory.starts).v;
    auto a_i = Motion<S>::zero();
    lane.template outward<reads_v | reads_a>([&](int k, const auto& link, auto joint) TANDEM_INLINE {
      advance_to(link, joint, load<Transform<S>>(w, at(k, X)), v_i, a_i);
      if (lane.carries(k)) lane.note(k, v_i, a_i);  // of which the velocity is known
    });
    lane.put(lane.call.memory.affines, AffineRun<S>{lane.template take<InwardForce>(lane.call.memory.runs).X, a_i});
  }

  template <class S, class Link, class Joint>
  TANDEM_HD static void advance_to(const Link& link, const Joint& joint, const Transform<S>& X_ip, Motion<S>& v_i,
                                   Motion<S>& a_i) {
    advance(X_ip, joint.template motion<S>(link.v), joint.template motion<S>(link.a), v_i, a_i);
  }

  /// The force that each link's motion takes; where nothing hangs from links what all of them take at the chunk's
  /// start.
  template <class Lane>
  TANDEM_HD static void push(Lane& lane, bool adds_up) {
    using S = typename Lane::S;
    S* const w = lane.w;
    const bool feels = lane.feels();
    auto [v_i, a_i] = lane.take(lane.call.memory.starts);
    lane.template outward<reads_v | reads_a>([&](int k, const auto& link, auto joint) TANDEM_INLINE {
      advance_to(link, joint, load<Transform<S>>(w, at(k, X)), v_i, a_i);
      const auto I_i = link.inertia();
      auto f_i = I_i * a_i + cross(v_i, I_i * v_i);
      if (feels) f_i = f_i - lane.force(k);
      tandem::store(w, at(k, F), f_i);
      if (lane.carries(k)) lane.note(k, v_i, a_i);
    });
    if (adds_up) add_up(lane);
  }

  /// What the links of a chunk take at its start, and what hangs from them.
  template <class Lane>
  TANDEM_HD static void add_up(Lane& lane) {
    using S = typename Lane::S;
    S* const w = lane.w;
    auto f = Force<S>::zero();
    for (int k = lane.steps - 1; k >= 0; --k) {
      auto f_k = load<Force<S>>(w, at(k, F));
      if (lane.carries(k)) {
        f_k = f_k + lane.brought(k);
        tandem::store(w, at(k, F), f_k);
      }
      f = transpose_mul(load<Transform<S>>(w, at(k, X)), f + f_k);
    }
    lane.template put<InwardForce>(lane.call.memory.runs,
                                   {lane.template take<InwardForce>(lane.call.memory.runs).X, f});
  }

  /// Inward: forces at the ends of the chunks of a level, and what its paths take at the links that carry them.
  template <class Executor, class Call>
  TANDEM_HD static void bring(const Executor& executor, const Call& call, Index level) {
    const ScanPlan& plan = call.plan;
    const auto& of = call.memory;
    const auto few = in_small_parts(executor);
    const Index first = plan.level_path[level], end = plan.level_path[level + 1];
    few.for_each(end - first,
                 [&](Index k) TANDEM_INLINE { of.heads[first + k] = of.runs[plan.path_chunk[first + k]]; });
    call.template scan<Scan::exclusive_suffix>(few, Inward<typename Call::Number, Force>(), of.runs, level);
    on_one(executor, [&]() TANDEM_INLINE {  // several may hang from a link: in their order
      for (Index p = first; p < end; ++p) {
        const auto& head = of.heads[p];
        auto& slot = of.slots[plan.slot[plan.path_link[p]]];
        slot.brought = slot.brought + (head.b + transpose_mul(head.X, of.runs[plan.path_chunk[p]].b));
      }
    });
  }

  template <class Lane>
  TANDEM_HD static void gather_forces(Lane& lane) {
    using S = typename Lane::S;
    S* const w = lane.w;
    auto f = lane.template take<InwardForce>(lane.call.memory.runs).b;
    lane.template inward<reads_a>([&](int k, const auto& link, auto joint) TANDEM_INLINE {
      f = f + load<Force<S>>(w, at(k, F));
      for (int j = 0; j < decltype(joint)::nv; ++j) link.put(j, joint.along(j, f));
      f = transpose_mul(load<Transform<S>>(w, at(k, X)), f);
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
