// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/kinematics_scan.hpp"
#include "tandem/detail/derivatives/forward_kinematics_jvp.hpp"

namespace tandem::inline TANDEM_ISA {

/// The derivative of kinematics along increments, as scans. A chunk whose start moves with v and a, and changes by
/// place, dv and da, all seen at its end, where its own joints add v', a', place', dv' and da' to a start at rest, has
/// an end that changes by
///
///     place + place'
///     dv + v x place' + dv'
///     da + a x place' + (dv + v x place') x v' + v x dv' + da'
struct KinematicsTangentScan : KinematicsScan {
  /// Columns that go in; none comes out but those of frames.
  enum Increments { dq_in = 2, dv_in, da_in, n_in };
  enum Out { n_out = 1 };

  template <class S>
  using Change = Shared::Change<S>;
  /// How a link moves and changes.
  template <class S>
  struct Changing {
    Motion<S> v, a;
    Change<S> by;
    TANDEM_HD static Changing zero() { return {Motion<S>::zero(), Motion<S>::zero(), Change<S>::zero()}; }
  };
  /// And its frames with it, which see it along its axes.
  template <class S>
  struct Carrier {
    ForwardKinematics::Link<S> at;
    Change<S> by;
  };

  /// Rows of a link: its axes, r from the link before.
  struct Rows {
    enum Field { E = 0, r = 9 };
    TANDEM_HD static constexpr Index at(int k, Field field) { return Index{12} * k + field; }
  };
  static Index rows_of_chunk(int, int steps) { return Rows::at(steps, Rows::E); }

  template <class S>
  struct Memory {
    Chunks<S> chunks_of_chain;
    Changing<S>* ends;          ///< of chunks that start at rest
    Motion<S>*place, *dv, *da;  ///< of starts
    S* chunks;                  ///< the rows of links

    TANDEM_HD Memory(Arena& arena, Index n, Index rows) : chunks_of_chain(arena, n) {
      arena.take(n, ends, place, dv, da);
      arena.take(rows, chunks);
    }
  };

  template <class Groups, class Executor, class Call>
  TANDEM_HD static void body(const Groups& groups, const Executor& executor, const Call& call) {
    using S = typename Call::Number;
    report_base(call);
    const auto passes = chunk_passes(groups, executor, call);
    passes.over_links(
        [](auto& lane) TANDEM_INLINE { on_kinematics_of(lane, [&](auto order) TANDEM_INLINE { move(lane, order); }); });

    // how the start of each chunk moves and changes
    const Memory<S>& memory = call.memory;
    const auto& of = memory.chunks_of_chain;
    find_places(passes);
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      const auto in_world = [&](const Motion<S>& m) TANDEM_INLINE { return turned_back(of.orientations[c], m); };
      const auto& [v, a, by] = memory.ends[c];
      memory.ends[c] = {in_world(v), in_world(a), {in_world(by.place), in_world(by.v), in_world(by.a)}};
    });
    const auto ends = memory.ends;
    const auto seen = [&](const Motion<S>* starts, Index c) TANDEM_INLINE { return at_end(of, starts, c); };
    sum_outward(passes, memory.place, [&](Index c) TANDEM_INLINE { return ends[c].by.place; });
    if (call.kinematics() != Kinematics::pose) {
      sum_outward(passes, of.v, [&](Index c) TANDEM_INLINE { return ends[c].v; });
      sum_outward(passes, memory.dv,
                  [&](Index c) TANDEM_INLINE { return cross(seen(of.v, c), ends[c].by.place) + ends[c].by.v; });
    }
    if (call.kinematics() == Kinematics::acceleration) {
      sum_outward(passes, of.a, [&](Index c) TANDEM_INLINE { return cross(seen(of.v, c), ends[c].v) + ends[c].a; });
      sum_outward(passes, memory.da, [&](Index c) TANDEM_INLINE {
        const auto& [v_c, a_c, by] = ends[c];
        const Motion<S> v = seen(of.v, c), dv = seen(memory.dv, c) + cross(v, by.place);
        return cross(seen(of.a, c), by.place) + cross(dv, v_c) + cross(v, by.v) + by.a;
      });
    }
    passes.over_links([](auto& lane) TANDEM_INLINE {
      on_kinematics_of(lane, [&](auto order) TANDEM_INLINE { report(lane, order); });
    });
  }

 private:
  /// Frames of the base do not change.
  template <class Call>
  TANDEM_HD static void report_base(const Call& call) {
    using S = typename Call::Number;
    const ForwardKinematics::Link<S> base = {Transform<S>::identity(), Motion<S>::zero(), Motion<S>::zero()};
    call.for_each_frame(0, [&](Index frame, const Transform<S>& X_f0) TANDEM_INLINE {
      call.problem.report_frame(call.kinematics(), call.frames, frame, X_f0, base, Change<S>::zero());
    });
  }

  /// From rest.
  template <class Lane, class Of>
  TANDEM_PASS static void move(Lane& lane, Of kinematics) {
    using S = typename Lane::S;
    const auto& of = lane.call.memory;
    auto E = Mat3<S>::identity();
    auto p = Vec3<S>::zero();
    auto state = Changing<S>::zero();
    go_outward(lane, kinematics, true, E, p, state, [](auto&&...) TANDEM_INLINE {});
    lane.put(of.chunks_of_chain.orientations, E);
    lane.put(of.chunks_of_chain.levers, p);
    lane.put(of.ends, state);
  }

  template <class Lane, class Of>
  TANDEM_PASS static void report(Lane& lane, Of kinematics_of_call) {
    using S = typename Lane::S;
    const Kinematics kinematics = kinematics_of_call;
    const auto& of = lane.call.memory;
    const auto& starts = of.chunks_of_chain;
    const auto E_c = lane.take(starts.orientations);
    const auto p_c = lane.take(starts.positions);
    const auto at_start = [&](const auto* motions) TANDEM_INLINE { return turned(E_c, lane.take(motions)); };
    auto E = Mat3<S>::identity();
    auto p = Vec3<S>::zero();
    auto state = Changing<S>::zero();
    state.by.place = at_start(of.place);
    if (kinematics != Kinematics::pose) {
      state.v = at_start(starts.v);
      state.by.v = at_start(of.dv);
    }
    if (kinematics == Kinematics::acceleration) {
      state.a = at_start(starts.a);
      state.by.a = at_start(of.da);
    }
    go_outward(lane, kinematics_of_call, lane.call.far(), E, p, state, [&](int k) TANDEM_INLINE {
      Carrier<S> link = {carrier(kinematics, E_c, p_c, E, p, state.v, state.a), Change<S>::zero()};
      link.by.place = turned(E, state.by.place);
      if (kinematics != Kinematics::pose) link.by.v = turned(E, state.by.v);
      if (kinematics == Kinematics::acceleration) link.by.a = turned(E, state.by.a);
      lane.put_frames(k, link, [&](const auto& from, const auto& X_fi, Index frame, const auto& columns) TANDEM_INLINE {
        lane.call.problem.report_frame(kinematics, columns, frame, X_fi, from.at, from.by);
      });
    });
  }

  /// Through a chunk: calls f(k) when E, p and state are those of link k. Joints are placed, and kept unless they would
  /// leave the cache, or are where they were kept.
  template <class Lane, class Of, class S, class F>
  TANDEM_HD static void go_outward(Lane& lane, Of kinematics_of_call, bool placing, Mat3<S>& E, Vec3<S>& p,
                                   Changing<S>& state, F&& f) {
    const Kinematics kinematics = kinematics_of_call;
    const bool moving = kinematics != Kinematics::pose, accelerating = kinematics == Kinematics::acceleration;
    const unsigned reads = reads_in(dq_in) | (moving ? reads_in(v_in) | reads_in(dv_in) : 0) |
                           (accelerating ? reads_in(a_in) | reads_in(da_in) : 0);
    const bool keep = placing && !lane.call.far();
    outward_blocks(lane.steps, [&](int begin, int n) TANDEM_INLINE {
      lane.outward_block(reads, begin, n, placing, [&](int k, const auto& link, auto joint) TANDEM_INLINE {
        Vec3<S> r;
        if (placing) {
          const Transform<S> X = placed(lane, k, link, joint, E);
          E = X.E;
          r = X.r;
        } else {
          E = load<Mat3<S>>(lane.w, Rows::at(k, Rows::E));
          r = load<Vec3<S>>(lane.w, Rows::at(k, Rows::r));
        }
        if (keep) {
          store(lane.w, Rows::at(k, Rows::E), E);
          store(lane.w, Rows::at(k, Rows::r), r);
        }
        p = p + r;
        state.by.place = shift_origin(state.by.place, r);
        const JointAxes<S, decltype(joint)> axes = {joint, E};
        if (!moving) {
          state.by.place = state.by.place + motion_along(axes, link.in[dq_in]);
        } else {
          state.v = shift_origin(state.v, r);
          state.by.v = shift_origin(state.by.v, r);
          if (accelerating) {
            state.a = shift_origin(state.a, r);
            state.by.a = shift_origin(state.by.a, r);
          }
          pass_outward(accelerating, axes, link, state.v, state.a, [&](int axis, const auto& j) TANDEM_INLINE {
            state.by.pass(accelerating, j, along(axes, axis, link.in[dq_in]), along(axes, axis, link.in[dv_in]),
                          along(axes, axis, link.in[da_in]));
          });
        }
        f(k);
      });
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
