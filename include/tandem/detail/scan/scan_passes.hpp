// SPDX-License-Identifier: Apache-2.0
/// The passes of the scan form over the chunks of a group, and where a lone chunk finds its numbers.
#pragma once
#include "tandem/detail/scan/scan_chunk.hpp"

namespace tandem::inline TANDEM_ISA {

/// What is known of a link that carries other branches.
template <class S>
struct ScanSlot {
  ArticulatedInertia<S> J;  ///< what the branches bring, along its axes
  Force<S> eta;
  Motion<S> moves;  ///< how it drifts, then accelerates
  Mat3<S> axes;
  Vec3<S> w;  ///< its turning, if the base of its chunk does not turn
};

/// Scratch memory of the scan form.
template <class S>
struct ScanMemory {
  ScanSlot<S>* slots;       ///< [n_slots + 1]
  RotatingRun<S>* ends;     ///< [2 n_chunks] axes of a chunk's last link, its turning; then their joins
  Vec3<S>* w_0;             ///< [2 n_chunks] how the base of each chunk turns, then that of each join
  TwoHandleRows<S>* runs;   ///< [2 n_chunks] the chunks as runs, then their joins
  Interface<S>* between;    ///< [n_chunks] what each join keeps
  TwoHandlePort<S>* ports;  ///< [2 n_chunks] a_1 and f_2 of every run
  S* chunks;                ///< the rows of all groups

  TANDEM_HD ScanMemory(Arena& arena, Index n_chunks, Index n_slots, Index group_rows) {
    arena.take(n_slots + 1, slots);
    arena.take(2 * n_chunks, ends, w_0, runs, ports);
    arena.take(n_chunks, between);
    arena.take(group_rows, chunks);
  }
};

template <class Call>
struct ScanLane;

/// One call of the scan form: the model, its plan, the columns and the scratch memory, for whoever works on a group of
/// chunks.
template <class S, class M, class Q, class Qd, class Tau, class Fx, class D, class A>
struct ScanCall {
  using Number = S;
  using Lone = ScanLane<ScanCall>;
  const ModelView<M>& m;
  ScanPlan plan;
  Q q;
  Qd v;
  Tau tau;
  Fx f_ext;
  D diagonal;
  A a;
  ScanMemory<S> memory;

  /// What chunks keep of their links leaves the cache from one pass to the next, but what a group keeps fits next to
  /// the core.
  TANDEM_HD bool far() const {
    const Index bytes = plan.group_row[plan.n_groups] * static_cast<Index>(sizeof(S));
    return bytes > bytes_in_cache && bytes / bytes_near_core < plan.n_groups;
  }
};

/// One chunk, its joints of any kind.
template <class Call>
struct ScanLane : LoneChunk<Call> {
  using S = typename Call::Number;
  using LoneChunk<Call>::LoneChunk, LoneChunk<Call>::call, LoneChunk<Call>::link, LoneChunk<Call>::v;

  TANDEM_HD ScanRows rows() const { return {this->dof}; }
  TANDEM_HD void begin_place(int, int, bool) const {}
  TANDEM_HD void begin_gather(int, int) const {}
  TANDEM_HD void begin_accelerate(int, int) const {}
  TANDEM_HD void end_accelerate(int, int) const {}

  TANDEM_HD Inertia<S> rotated_inertia(int k, const Mat3<S>& E) const {
    return congruence(E, link_inertia<S>(call.m, link(k)));
  }
  TANDEM_HD auto v_of_block(int k) const { return v(k); }
  TANDEM_HD S tau(int k, int j) const { return S(call.tau[call.m.v_index[link(k)] + j]); }
  TANDEM_HD S armature(int k, int j) const {
    const int row = call.m.v_index[link(k)] + j;
    const S armature(call.m.armature[row]);
    return call.diagonal ? armature + S(call.diagonal[row]) : armature;
  }
  TANDEM_HD void write(int k, int j, const S& x) const { call.a[call.m.v_index[link(k)] + j] = x; }

  TANDEM_HD bool carries(int k) const { return call.plan.slot && call.plan.slot[link(k)] != 0; }
  TANDEM_HD ScanSlot<S>& slot(int k) const { return call.memory.slots[call.plan.slot[link(k)]]; }
  TANDEM_HD void mark(int k, const Mat3<S>& E, const Vec3<S>& turning) const {
    const auto none = TwoHandle<S>::identity();
    slot(k) = {none.J, none.eta, Motion<S>::zero(), E, turning};
  }
  TANDEM_HD Mat3<S> axes(int k) const { return slot(k).axes; }
  TANDEM_HD ArticulatedInertia<S> inertia_of_branches(int k) const { return slot(k).J; }
  TANDEM_HD Force<S> bias_of_branches(int k) const { return slot(k).eta; }
  TANDEM_HD void note(int k, const Motion<S>& g) const { slot(k).moves = g; }
  TANDEM_HD void keep(int k, const Motion<S>& a) const {
    const Mat3<S> E = axes(k);
    const Motion<S> sum = a + slot(k).moves;
    slot(k).moves = {E * sum.w, E * sum.v};
  }
};

/// The three passes over the chunks of a group. Lane is ScanLane, or a type alike for several chunks at once.
struct ScanPasses {
  /// Where chunks end, and with `keep` where their links are.
  template <class Lane>
  TANDEM_HD static void place(Lane& lane, bool keep, const auto& call) {
    lane.put(call.memory.ends, ScanChunk<Lane>{lane}.place(keep, true));
  }
  /// A chunk as a run, handle 2 along the axes of its last link. Its links are placed first, if that was not kept.
  template <class Lane>
  TANDEM_HD static void gather(Lane& lane, bool placed, bool ends, const auto& call) {
    const ScanChunk<Lane> chunk{lane};
    if (!placed) chunk.place(true, false);
    const auto w_0 = lane.take(call.memory.w_0);
    const auto run = ends ? chunk.template gather<true>(w_0)
                          : with_end_along(lane.take(call.memory.ends).E, chunk.template gather<false>(w_0));
    lane.put(call.memory.runs, TwoHandleRows<typename Lane::S>(run));
  }

  /// After all of that: the chunk, pushed by other joint forces at rest.
  template <class Lane>
  TANDEM_HD static void gather_push(Lane& lane, bool ends, const auto& call) {
    const ScanChunk<Lane> chunk{lane};
    const auto E = lane.take(call.memory.ends).E;
    const auto push = ends ? chunk.template gather_push<true>() : chunk.template gather_push<false>();
    auto run = lane.take(call.memory.runs);
    run.set_push({E * push.b.w, E * push.b.v}, push.eta);
    lane.put(call.memory.runs, run);
  }

  template <class Lane>
  TANDEM_HD static void accelerate(Lane& lane, bool ends, const auto& call) {
    const auto E = lane.take(call.memory.ends).E;
    const auto [a_1, f_2] = lane.take(call.memory.ports);
    const ScanChunk<Lane> chunk{lane};
    if (ends)
      chunk.template accelerate<true>(a_1, f_2);
    else
      chunk.template accelerate<false>(a_1, {transpose_mul(E, f_2.n), transpose_mul(E, f_2.f)});
  }

 private:
  /// The same run with handle 2 seen along the axes that E turns into.
  template <class S>
  TANDEM_HD static TwoHandle<S> with_end_along(const Mat3<S>& E, const TwoHandle<S>& e) {
    TwoHandle<S> t = e;
    for (int i = 0; i < 3; ++i) {
      const Vec3<S>& row = row_of(E, i);
      for (int half = 0; half < 6; half += 3)
        t.A[half + i] = mul_add(row.x, e.A[half], mul_add(row.y, e.A[half + 1], row.z * e.A[half + 2]));
    }
    t.C = congruence(transpose(E), e.C);
    t.b = {E * e.b.w, E * e.b.v};
    return t;
  }
};

}  // namespace tandem::inline TANDEM_ISA
