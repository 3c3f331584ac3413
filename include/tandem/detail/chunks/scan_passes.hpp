// SPDX-License-Identifier: Apache-2.0
/// The passes of the scan form over the chunks of a group, and where a lone chunk finds its numbers.
#pragma once
#include "tandem/detail/chunks/scan_plan.hpp"
#include "tandem/detail/engines/engine.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// One call of the scan form: the model, its plan, the columns and the scratch memory, for whoever works on a group of chunks.
template <class S, class M, class Q, class Qd, class Tau, class Fx, class D, class A>
struct ScanCall {
  using Number = S;
  const ModelView<M>& m;
  ScanPlan plan;
  Q q;
  Qd v;
  Tau tau;
  Fx f_ext;
  D diagonal;
  A a;
  bool far;  ///< what chunks keep of their links leaves the cache from one pass to the next

  // of links that carry other branches: what these bring, how the link drifts and then accelerates, its axes and turning
  enum SlotField { J = 0, ETA = 21, MOVES = 27, AXES = 33, TURNS = 42, rows_per_slot = 45 };

  S* slots;    ///< [n_slots + 1][rows_per_slot]
  S* ends;     ///< [2 n_chunks][12] axes of a chunk's last link, its turning; then their joins
  S* w_0;      ///< [2 n_chunks][3] how the base of each chunk turns, then that of each join
  S* runs;     ///< [2 n_chunks][144] the chunks as runs, then their joins
  S* between;  ///< [n_chunks][96] what each join keeps
  S* ports;    ///< [2 n_chunks][12] a_1 and f_2 of every run
  S* chunks;   ///< the rows of all groups

  TANDEM_HD S* slot(Index k) const { return slots + rows_per_slot * k; }
  TANDEM_HD S* run(Index k) const { return runs + TwoHandleRows<S>::rows * k; }
  TANDEM_HD TwoHandleRows<S>& rows_of_run(Index k) const { return *reinterpret_cast<TwoHandleRows<S>*>(run(k)); }
  TANDEM_HD Interface<S>& interface(Index k) const {
    return *reinterpret_cast<Interface<S>*>(between + Interface<S>::rows * k);
  }
};

/// One chunk, its joints of any kind.
template <class Call>
struct ScanLane {
  using S = typename Call::Number;
  const Call& call;
  Index first;  ///< position
  int steps;
  Index chunk;

  ScanRows layout;

  ScanLane(const Call& c, Index k, ScanRows rows)
      : call(c), first(c.plan.chunk[k]), steps(static_cast<int>(c.plan.chunk[k + 1] - first)), chunk(k), layout(rows) {}
  TANDEM_HD ScanRows rows() const { return layout; }
  TANDEM_HD int link(int k) const { return call.plan.link_at(first + k); }
  TANDEM_HD void begin_place(int, int, bool) const {}
  TANDEM_HD void begin_gather(int, int) const {}
  TANDEM_HD void begin_accelerate(int, int) const {}
  TANDEM_HD void end_accelerate(int, int) const {}

  template <class F>
  TANDEM_HD void on_joint(int k, F&& f) const {
    tandem::on_joint(call.m.type[link(k)], f);
  }
  TANDEM_HD Transform<S> placement(int k) const { return load_transform<S>(call.m.placement, Index{12} * link(k)); }
  TANDEM_HD Inertia<S> rotated_inertia(int k, const Mat3<S>& E) const {
    return congruence(E, link_inertia<S>(call.m, link(k)));
  }
  template <class Joint>
  TANDEM_HD Transform<S> transform(Joint joint, int k, const Transform<S>& X_T) const {
    return joint.transform(X_T, call.q + call.m.q_index[link(k)]);
  }
  TANDEM_HD auto v(int k) const { return call.v + call.m.v_index[link(k)]; }
  TANDEM_HD auto v_of_block(int k) const { return v(k); }
  TANDEM_HD S tau(int k, int j) const { return S(call.tau[call.m.v_index[link(k)] + j]); }
  TANDEM_HD S armature(int k, int j) const {
    const int row = call.m.v_index[link(k)] + j;
    const S armature(call.m.armature[row]);
    return call.diagonal ? armature + S(call.diagonal[row]) : armature;
  }
  TANDEM_HD bool feels() const { return static_cast<bool>(call.f_ext); }
  TANDEM_HD Force<S> force(int k) const { return external_force<S>(call.m, link(k), call.f_ext); }
  TANDEM_HD void write(int k, int j, const S& x) const { call.a[call.m.v_index[link(k)] + j] = x; }

  TANDEM_HD bool carries(int k) const { return call.plan.slot && call.plan.slot[link(k)] != 0; }
  TANDEM_HD S* slot(int k) const { return call.slot(call.plan.slot[link(k)]); }
  TANDEM_HD void mark(int k, const Mat3<S>& E, const Vec3<S>& w) const {
    fill(slot(k), 27, S(0));
    store(slot(k), Call::AXES, E);
    store(slot(k), Call::TURNS, w);
  }
  TANDEM_HD Mat3<S> axes(int k) const { return load_mat3<S>(slot(k), Call::AXES); }
  TANDEM_HD ArticulatedInertia<S> inertia_of_branches(int k) const {
    return load_articulated_inertia<S>(slot(k), Call::J);
  }
  TANDEM_HD Force<S> bias_of_branches(int k) const { return load_force<S>(slot(k), Call::ETA); }
  TANDEM_HD void note(int k, const Motion<S>& g) const { store(slot(k), Call::MOVES, g); }
  TANDEM_HD void keep(int k, const Motion<S>& a) const {
    const Mat3<S> E = axes(k);
    const Motion<S> sum = a + load_motion<S>(slot(k), Call::MOVES);
    store(slot(k), Call::MOVES, Motion<S>{E * sum.w, E * sum.v});
  }

  /// Numbers of this chunk, to and from one row of an array for all chunks.
  TANDEM_HD void put(S* rows, int n, const S* x) const {
    for (int k = 0; k < n; ++k) rows[n * chunk + k] = x[k];
  }
  TANDEM_HD void take(const S* rows, int n, S* x) const {
    for (int k = 0; k < n; ++k) x[k] = rows[n * chunk + k];
  }
};

/// The three passes over the chunks of a group. Lane is ScanLane, or a type alike for several chunks at once.
struct ScanPasses {
  /// Where chunks end, and with `keep` where their links are.
  template <class Lane, class S>
  TANDEM_HD static void place(Lane& lane, S* w, bool keep, const auto& call) {
    S x[ChunkEnd<S>::rows];
    const ChunkEnd<S> end = ScanChunk<Lane>{lane, w}.place(keep, true);
    store(&x[0], 0, end.E);
    store(&x[0], 9, end.w);
    lane.put(call.ends, 12, x);
  }
  /// A chunk as a run, handle 2 along the axes of its last link. Its links are placed first, if that was not kept.
  template <class Lane, class S>
  TANDEM_HD static void gather(Lane& lane, S* w, bool placed, bool ends, const auto& call) {
    if (!placed) ScanChunk<Lane>{lane, w}.place(true, false);
    S x[12];
    lane.take(call.w_0, 3, x);
    const auto w_0 = load_vec3<S>(x, 0);
    const ScanChunk<Lane> chunk{lane, w};
    if (ends) {
      put(lane, chunk.template gather<true>(w_0), call);
    } else {
      lane.take(call.ends, 12, x);
      const auto E = load_mat3<S>(x, 0);
      put(lane, with_end_along(E, chunk.template gather<false>(w_0)), call);
    }
  }

  template <class Lane, class S>
  TANDEM_HD static void accelerate(Lane& lane, S* w, bool ends, const auto& call) {
    S x[12];
    lane.take(call.ends, 12, x);
    const auto E = load_mat3<S>(x, 0);
    lane.take(call.ports, 12, x);
    const auto a_1 = load_motion<S>(x, 0);
    const auto f_2 = load_force<S>(x, 6);
    const ScanChunk<Lane> chunk{lane, w};
    if (ends)
      chunk.template accelerate<true>(a_1, f_2);
    else
      chunk.template accelerate<false>(a_1, {transpose_mul(E, f_2.n), transpose_mul(E, f_2.f)});
  }

 private:
  template <class Lane, class S>
  TANDEM_HD static void put(Lane& lane, const TwoHandle<S>& e, const auto& call) {
    const TwoHandleRows<S> rows(e);
    lane.put(call.runs, TwoHandleRows<S>::rows, &rows.Ab[0][0]);
  }
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

/// Groups of chunks as they come, one chunk after the other.
template <class Engine = SerialEngine>
struct OneByOne {
  Engine engine;

  template <class S>
  using Row = Eight<S>;

  template <class Call>
  void place(const Call& call, Index g, bool keep) const {
    each(call, g, [&](auto& lane, auto* w) TANDEM_INLINE { ScanPasses::place(lane, w, keep, call); });
  }
  template <class Call>
  void gather(const Call& call, Index g, bool placed) const {
    const bool ends = call.plan.group_ends[g] != 0;
    each(call, g, [&](auto& lane, auto* w) TANDEM_INLINE { ScanPasses::gather(lane, w, placed, ends, call); });
  }
  template <class Call>
  void accelerate(const Call& call, Index g) const {
    each(call, g, [&](auto& lane, auto* w) TANDEM_INLINE {
      ScanPasses::accelerate(lane, w, call.plan.group_ends[g] != 0, call);
    });
  }

 private:
  template <class Call, class F>
  void each(const Call& call, Index g, F&& f) const {
    const ScanPlan& plan = call.plan;
    const Index first = plan.group_chunk[g];
    for_each_in_part(engine, plan.group_chunk[g + 1] - first, [&](Index k) TANDEM_INLINE {
      ScanLane<Call> lane(call, first + k, plan.rows(g));
      f(lane, call.chunks + plan.group_row[g] + k * plan.rows(g).of_chunk(plan.group_steps[g]));
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
