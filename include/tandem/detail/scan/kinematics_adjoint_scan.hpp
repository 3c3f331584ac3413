// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/kinematics_scan.hpp"
#include "tandem/detail/derivatives/forward_kinematics_vjp.hpp"

namespace tandem::inline TANDEM_ISA {

/// The transpose of the derivatives of kinematics times weights, as scans: outwards how links move, inwards what the
/// weights of all frames beyond a joint do to its coordinates. Forces f on how the end of a chunk is displaced, f_v on
/// how its velocity changes and f_a on how its acceleration does are at its start, where its own joints add v' to what
/// a start at rest does,
///
///     f        f_v + v' x* f_a        f_a
struct KinematicsAdjointScan : KinematicsScan {
  enum Columns { n_in = 2 };
  enum Out { q_bar, v_bar, a_bar, n_out };

  template <class S>
  using Weights = Shared::Weights<S>;
  /// How a link stands against the start of its chunk, and moves.
  template <class S>
  struct Moving {
    Mat3<S> E;
    Vec3<S> p;
    Motion<S> v, a;
    TANDEM_HD static Moving zero() {
      return {Mat3<S>::identity(), Vec3<S>::zero(), Motion<S>::zero(), Motion<S>::zero()};
    }
  };

  /// Rows of a link: its axes, r from the link before; how that moves, at this one's origin; the weights of its frames.
  struct Rows {
    enum Field { E = 0, r = 9, v = 12, a = 18, weights = 24 };
    static constexpr Index per_link = 42;
    TANDEM_HD static constexpr Index at(int k, Field field) { return per_link * k + field; }
    /// Where only the links of a block are kept: how the link before each block moves.
    TANDEM_HD static constexpr Index start(int begin) {
      return per_link * scan_block + rows_of<Moving<double>> * (begin / scan_block);
    }
  };
  static Index rows_of_chunk(int, int steps) { return Rows::per_link * steps; }

  template <class S>
  struct Memory {
    Chunks<S> chunks_of_chain;
    Motion<S>*v, *a;         ///< of the ends of chunks that start at rest
    Weights<S>* weights;     ///< of all frames of a chunk, at its start
    Force<S>*f, *f_v, *f_a;  ///< of all that lie beyond, at its end
    S* chunks;               ///< the rows of links

    TANDEM_HD Memory(Arena& arena, Index n, Index rows) : chunks_of_chain(arena, n) {
      arena.take(n, v, a, weights, f, f_v, f_a);
      arena.take(rows, chunks);
    }
  };

  template <class Groups, class Executor, class Call>
  TANDEM_HD static void body(const Groups& groups, const Executor& executor, const Call& call) {
    using S = typename Call::Number;
    const Kinematics kinematics = call.kinematics();
    const bool moving = kinematics != Kinematics::pose, accelerating = kinematics == Kinematics::acceleration;
    const auto passes = chunk_passes(groups, executor, call);
    passes.over_links([](auto& lane)
                          TANDEM_INLINE { on_kinematics_of(lane, [&](auto order) TANDEM_INLINE { move(lane,
                              order); }); });

    // how the start of each chunk moves
    const Memory<S>& memory = call.memory;
    const auto& of = memory.chunks_of_chain;
    find_places(passes);
    if (moving) {
      passes.over_chunks([&](Index c) TANDEM_INLINE { memory.v[c] = turned_back(of.orientations[c], memory.v[c]); });
      sum_outward(passes, of.v, [&](Index c) TANDEM_INLINE { return memory.v[c]; });
    }
    if (accelerating)
      sum_outward(passes, of.a, [&](Index c) TANDEM_INLINE {
        return cross(at_end(of, of.v, c), memory.v[c]) + turned_back(of.orientations[c], memory.a[c]);
      });

    passes.over_links([](auto& lane)
                          TANDEM_INLINE { on_kinematics_of(lane, [&](auto order) TANDEM_INLINE { weigh(lane,
                              order); }); });

    // forces at the end of each chunk
    sum_inward(passes, memory.f, [&](Index c) TANDEM_INLINE { return memory.weights[c].place; });
    if (accelerating) sum_inward(passes, memory.f_a, [&](Index c) TANDEM_INLINE { return memory.weights[c].a; });
    if (moving)
      sum_inward(passes, memory.f_v, [&](Index c) TANDEM_INLINE {
        Force<S> f = memory.weights[c].v;
        if (accelerating) f = f + shift_origin(cross(memory.v[c], memory.f_a[c]), of.levers[c]);
        return f;
      });
    passes.over_links([](auto& lane)
                          TANDEM_INLINE { on_kinematics_of(lane, [&](auto order) TANDEM_INLINE { gather(lane,
                              order); }); });
  }

 private:
  TANDEM_HD static constexpr unsigned columns(Kinematics kinematics) {
    return (kinematics != Kinematics::pose ? reads_in(v_in) : 0) |
           (kinematics == Kinematics::acceleration ? reads_in(a_in) : 0);
  }
  /// Whether all links are kept from pass to pass; else the last pass goes outward once more through each block before
  /// it comes inward.
  template <class Lane>
  TANDEM_HD static bool keeps(const Lane& lane) {
    return !lane.call.far() || lane.steps < 2 * scan_block;
  }
  /// To the next link: r from origin to origin, before its joint.
  template <class S>
  TANDEM_HD static void carry(Kinematics kinematics, Moving<S>& link, const Vec3<S>& r) {
    link.p = link.p + r;
    if (kinematics != Kinematics::pose) link.v = shift_origin(link.v, r);
    if (kinematics == Kinematics::acceleration) link.a = shift_origin(link.a, r);
  }
  template <class S, class Axes, class Link>
  TANDEM_HD static void join(Kinematics kinematics, Moving<S>& moving, const Axes& axes, const Link& link) {
    if (kinematics != Kinematics::pose)
      pass_outward(kinematics == Kinematics::acceleration, axes, link, moving.v, moving.a,
                   [](auto&&...) TANDEM_INLINE {});
  }

  /// From rest.
  template <class Lane, class Of>
  TANDEM_HD static void move(Lane& lane, Of of_call) {
    using S = typename Lane::S;
    const auto& of = lane.call.memory;
    const Kinematics kinematics = of_call;
    const bool keep = keeps(lane);
    auto end = Moving<S>::zero();
    lane.outward(reads_configuration | columns(kinematics), [&](int k, const auto& link, auto joint) TANDEM_INLINE {
      const Transform<S> X = placed(lane, k, link, joint, end.E);
      end.E = X.E;
      carry(kinematics, end, X.r);
      join(kinematics, end, JointAxes<S, decltype(joint)>{joint, X.E}, link);
      if (!keep) return;
      store(lane.w, Rows::at(k, Rows::E), X.E);
      store(lane.w, Rows::at(k, Rows::r), X.r);
    });
    lane.put(of.chunks_of_chain.orientations, end.E);
    lane.put(of.chunks_of_chain.levers, end.p);
    if (kinematics != Kinematics::pose) lane.put(of.v, end.v);
    if (kinematics == Kinematics::acceleration) lane.put(of.a, end.a);
  }

  /// How the start of a chunk stands in the base.
  template <class S>
  struct Start {
    Mat3<S> E;
    Vec3<S> p;
  };

  /// What a chunk makes of the weights of its frames: their sum at its start, and v' on the way to each link.
  template <class S>
  struct Sums {
    Weights<S> total = Weights<S>::zero();
    Moving<S> from_rest = Moving<S>::zero();

    /// Those of a link at p, r from the link before.
    template <class Axes, class Link>
    TANDEM_HD void add(Kinematics kinematics, const Axes& axes, const Link& link, const Vec3<S>& r, const Vec3<S>& p,
                       const Weights<S>& g) {
      total.place = total.place + shift_origin(g.place, p);
      if (kinematics == Kinematics::acceleration) {
        carry(Kinematics::velocity, from_rest, r);
        join(Kinematics::velocity, from_rest, axes, link);
        total.a = total.a + shift_origin(g.a, p);
        total.v = total.v + shift_origin(g.v + cross(from_rest.v, g.a), p);
      } else if (kinematics == Kinematics::velocity) {
        total.v = total.v + shift_origin(g.v, p);
      }
    }
  };

  /// Outward through a block: the weights of each link's frames, along the axes of the chunk's start, and their sums
  /// unless `sums` is null. Joints are placed first, if that was not kept.
  template <class Lane, class Of, class S>
  TANDEM_PASS static void weigh_block(Lane& lane, Of of_call, const Start<S>& start, int begin, int n, bool keep,
                                      Moving<S>& moving_to_end, Sums<S>* sums) {
    const Kinematics kinematics = of_call;
    S* const memory = lane.w;
    auto moving = moving_to_end;
    lane.outward_block(
        columns(kinematics), begin, n, !keep, [&](int joint_k, const auto& link, auto joint) TANDEM_INLINE {
          const int k = keep ? joint_k : joint_k - begin;
          Vec3<S> r;
          if (keep) {
            moving.E = load<Mat3<S>>(memory, Rows::at(k, Rows::E));
            r = load<Vec3<S>>(memory, Rows::at(k, Rows::r));
          } else {
            const Transform<S> X = placed(lane, joint_k, link, joint, moving.E);
            moving.E = X.E;
            r = X.r;
            store(memory, Rows::at(k, Rows::E), X.E);
            store(memory, Rows::at(k, Rows::r), r);
          }
          carry(kinematics, moving, r);
          if (kinematics != Kinematics::pose) store(memory, Rows::at(k, Rows::v), moving.v);
          if (kinematics == Kinematics::acceleration) store(memory, Rows::at(k, Rows::a), moving.a);
          const JointAxes<S, decltype(joint)> axes = {joint, moving.E};
          join(kinematics, moving, axes, link);
          const Mat3<S>& E = moving.E;
          const auto on_link = lane.weights(
              joint_k, carrier(kinematics, start.E, start.p, E, moving.p, moving.v, moving.a),
              [&](const auto& at, const auto& X_fi, Index frame, const auto& columns)
                  TANDEM_INLINE { return lane.call.problem.of_frame(kinematics, columns, frame, X_fi, at); });
          auto g = Weights<S>::zero();
          g.place = turned_back(E, on_link.place);
          if (kinematics != Kinematics::pose) g.v = turned_back(E, on_link.v);
          if (kinematics == Kinematics::acceleration) g.a = turned_back(E, on_link.a);
          put_weights(kinematics, memory, k, g);
          if (sums) sums->add(kinematics, axes, link, r, moving.p, g);
        });
    moving_to_end = moving;
  }
  template <class S>
  TANDEM_HD static void put_weights(Kinematics kinematics, S* memory, int k, const Weights<S>& g) {
    store(memory, Rows::at(k, Rows::weights), g.place);
    if (kinematics != Kinematics::pose) store(memory, Rows::at(k, Rows::weights) + 6, g.v);
    if (kinematics == Kinematics::acceleration) store(memory, Rows::at(k, Rows::weights) + 12, g.a);
  }
  template <class S>
  TANDEM_HD static Weights<S> weights_at(Kinematics kinematics, const S* memory, int k) {
    auto g = Weights<S>::zero();
    g.place = load<Force<S>>(memory, Rows::at(k, Rows::weights));
    if (kinematics != Kinematics::pose) g.v = load<Force<S>>(memory, Rows::at(k, Rows::weights) + 6);
    if (kinematics == Kinematics::acceleration) g.a = load<Force<S>>(memory, Rows::at(k, Rows::weights) + 12);
    return g;
  }

  template <class Lane>
  TANDEM_HD static auto start_of_chunk(const Lane& lane) {
    const auto& starts = lane.call.memory.chunks_of_chain;
    return Start<typename Lane::S>{lane.take(starts.orientations), lane.take(starts.positions)};
  }

  /// The weights of all frames of a chunk, at its start.
  template <class Lane, class Of>
  TANDEM_HD static void weigh(Lane& lane, Of of_call) {
    using S = typename Lane::S;
    const auto& of = lane.call.memory;
    const Kinematics kinematics = of_call;
    const auto start = start_of_chunk(lane);
    const bool keep = keeps(lane);
    auto moving = Moving<S>::zero();
    if (kinematics != Kinematics::pose) moving.v = turned(start.E, lane.take(of.chunks_of_chain.v));
    if (kinematics == Kinematics::acceleration) moving.a = turned(start.E, lane.take(of.chunks_of_chain.a));
    Sums<S> sums;
    outward_blocks(lane.steps, [&](int begin, int n) TANDEM_INLINE {
      if (!keep) store(lane.w, Rows::start(begin), moving);
      weigh_block(lane, of_call, start, begin, n, keep, moving, &sums);
    });
    const auto& total = sums.total;
    lane.put(of.weights, Weights<S>{turned_back(start.E, total.place), turned_back(start.E, total.v),
                                    turned_back(start.E, total.a)});
  }

  template <class Lane, class Of>
  TANDEM_HD static void gather(Lane& lane, Of of_call) {
    using S = typename Lane::S;
    const Kinematics kinematics = of_call;
    const bool moving = kinematics != Kinematics::pose, accelerating = kinematics == Kinematics::acceleration;
    const auto& of = lane.call.memory;
    S* const memory = lane.w;
    const bool keep = keeps(lane);
    const auto start = start_of_chunk(lane);
    auto g = Weights<S>::zero();
    g.place = turned(start.E, lane.take(of.f));
    if (moving) g.v = turned(start.E, lane.take(of.f_v));
    if (accelerating) g.a = turned(start.E, lane.take(of.f_a));
    int first = 0;  // of the links that are kept
    const auto weigh_again = [&](int begin, int n) TANDEM_INLINE {
      if (keep) return;
      first = begin;
      auto before = load<Moving<S>>(memory, Rows::start(begin));
      weigh_block<Lane, Of, S>(lane, of_call, start, begin, n, false, before, nullptr);
    };
    lane.inward(columns(kinematics), weigh_again, [&](int joint_k, const auto& link, auto joint) TANDEM_INLINE {
      const int k = joint_k - first;
      g = g + weights_at(kinematics, memory, k);
      const JointAxes<S, decltype(joint)> axes = {joint, load<Mat3<S>>(memory, Rows::at(k, Rows::E))};
      if (!moving) {
        put(axes, link, -1, q_bar, g.place);
        put(axes, link, -1, v_bar, Force<S>::zero());
        put(axes, link, -1, a_bar, Force<S>::zero());
      } else {
        auto a = Motion<S>::zero();
        if (accelerating) a = load<Motion<S>>(memory, Rows::at(k, Rows::a));
        pass_inward(accelerating, axes, link, load<Motion<S>>(memory, Rows::at(k, Rows::v)), a,
                    [&](int axis, const auto& j) TANDEM_INLINE {
                      const auto by = g.pass(accelerating, j);
                      put(axes, link, axis, q_bar, by.q);
                      put(axes, link, axis, v_bar, by.v);
                      put(axes, link, axis, a_bar, g.a);
                    });
      }
      const auto r = load<Vec3<S>>(memory, Rows::at(k, Rows::r));
      g.place = shift_origin(g.place, r);
      if (moving) g.v = shift_origin(g.v, r);
      if (accelerating) g.a = shift_origin(g.a, r);
    });
  }
  /// S^T f, or its part along one axis.
  template <class Axes, class Link, class S>
  TANDEM_HD static void put(const Axes& axes, const Link& link, int axis, int column, const Force<S>& f) {
    if (axis >= 0) return link.put(column, axis, axes.along(axis, f));
    for (int j = 0; j < axes.nv; ++j) link.put(column, j, axes.along(j, f));
  }
};

}  // namespace tandem::inline TANDEM_ISA
