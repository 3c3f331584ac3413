// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/moving_chunks.hpp"

namespace tandem::inline TANDEM_ISA {

/// What is gathered inward: forces, and what the power y . f of the forces on a motion y changes by (ByIncrement).
template <class S>
struct Gathered {
  Force<S> f;
  ByIncrement<S> by;
  TANDEM_HD static constexpr Gathered zero() { return {Force<S>::zero(), ByIncrement<S>::zero()}; }
  TANDEM_HD friend constexpr Gathered operator+(const Gathered& a, const Gathered& b) {
    return {a.f + b.f, a.by + b.by};
  }
};
/// About the origin from the point at r, which moves faster by u.
template <class S>
TANDEM_HD Gathered<S> shift_origin(const Gathered<S>& g, const Vec3<S>& r, const Vec3<S>& u) {
  return {shift_origin(g.f, r), {add_cross(g.by.turn, u + u, g.by.momentum.f), shift_origin(g.by.momentum, r)}};
}

/// The transpose of the derivatives of inverse dynamics times one vector x, as scans. Let the joints move with x
/// besides all else: x . tau is the power of what the links take on those motions y, and its change by an increment of
/// a coordinate falls into what the links that hang from it feel (passes/increments.hpp). Along axes that do not turn
/// from link to link, about own origins, y and how links move are sums from the base outwards, and forces are
/// sums inwards:
///
///     inside a chunk, outwards from rest      how its end moves against its start, and y
///     between chunks   E; w, dw and the turn of y; then the origins' accelerations and the rest of y
///     inside a chunk, outwards                force of each link, and tangents of its power; their sums
///     between chunks   forces, then what they do with the levers and velocities between chunks
///     inside a chunk, inwards                 the sums of all that hangs from a joint, seen along its axes
struct AdjointScan {
  /// Columns that go in and come out.
  enum In { v_in, a_in, weights, n_in };
  enum Out { tau, q_bar, v_bar, a_bar, n_out };

  /// How a link stands against the start of its chunk, moves and would move with the weights.
  template <class S>
  struct Start {
    Mat3<S> E;
    CarriedRates<S> rates;
    Motion<S> y;
  };
  /// Rows of a link: its axes, r from the link before; of the link before, at this one's origin, w, dw, acceleration
  /// and y; what it feels. Of joints with one degree of freedom the last needs no more of the axes than z.
  struct Rows {
    enum Field { E = 0, z = 6, r = 9, before = 12, y = 21, turn = 27, momentum = 30 };
    int dof;  ///< most of a joint
    TANDEM_HD constexpr Index per_link() const { return dof == 1 ? 36 : 42; }
    TANDEM_HD constexpr Index f(int k) const { return per_link() * k + (dof == 1 ? 0 : 36); }
    TANDEM_HD constexpr Index at(int k, Field field) const { return per_link() * k + field; }
    /// Where only the links of a block are kept: how the link before each block stands and moves.
    TANDEM_HD constexpr Index start(int begin) const {
      return per_link() * scan_block + rows_of<Start<double>> * (begin / scan_block);
    }
  };
  static Index rows_of_chunk(int dof, int steps) { return Rows{dof}.per_link() * steps; }

  /// [n_chunks] each: a chunk's end against its start; then how its start moves and the forces at its end.
  template <class S>
  struct Memory {
    Mat3<S>* orientations;
    OriginMotion<S>* motions;
    Motion<S>* y;
    WorldJetRun<S>* jets;
    Vec3<S>* accelerations;
    Gathered<S>* forces;
    Vec3<S>*y_turn, *y_slide, *force, *moment, *momentum, *angular_momentum, *turn;
    S* chunks;  ///< the rows of links

    TANDEM_HD Memory(Arena& arena, Index n, Index rows) {
      arena.take(n, orientations, motions, y, jets, accelerations, forces);
      arena.take(n, y_turn, y_slide, force, moment, momentum, angular_momentum, turn);
      arena.take(rows, chunks);
    }
  };

  template <class Groups, class Executor, class Call>
  TANDEM_HD static void body(const Groups& groups, const Executor& executor, const Call& call) {
    using S = typename Call::Number;
    const auto& of = call.memory;
    const auto passes = chunk_passes(groups, executor, call);

    passes.over_links([](auto& lane) TANDEM_INLINE { move(lane); });

    // how the start of each chunk moves
    find_starts(passes);
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      auto& y_c = of.y[c];
      y_c = {transpose_mul(of.orientations[c], y_c.w), transpose_mul(of.orientations[c], y_c.v)};
      of.y_turn[c] = y_c.w;
    });
    passes.scan(Sum<S>(), of.y_turn);
    passes.over_chunks([&](Index c)
                           TANDEM_INLINE { of.y_slide[c] = add_cross(of.y[c].v, of.y_turn[c], of.motions[c].p); });
    passes.scan(Sum<S>(), of.y_slide);

    passes.over_links([](auto& lane) TANDEM_INLINE { push(lane); });

    // forces at the end of each chunk
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      const auto& g = of.forces[c];
      of.force[c] = g.f.f;
      of.momentum[c] = g.by.momentum.f;
    });
    passes.scan_back(Sum<S>(), of.force);
    passes.scan_back(Sum<S>(), of.momentum);
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      const auto& g = of.forces[c];
      const auto& o = of.motions[c];
      of.moment[c] = add_cross(g.f.n, o.p, of.force[c]);
      of.angular_momentum[c] = add_cross(g.by.momentum.n, o.p, of.momentum[c]);
      of.turn[c] = add_cross(g.by.turn, o.p_dot + o.p_dot, of.momentum[c]);
    });
    passes.scan_back(Sum<S>(), of.moment);
    passes.scan_back(Sum<S>(), of.angular_momentum);
    passes.scan_back(Sum<S>(), of.turn);
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      of.forces[c] = {{of.moment[c], of.force[c]}, {of.turn[c], {of.angular_momentum[c], of.momentum[c]}}};
    });
    passes.over_links([](auto& lane) TANDEM_INLINE { gather(lane); });
  }

 private:
  /// Whether all links are kept from pass to pass. Where they would leave the cache, the last pass goes outward once
  /// more through each block before it comes inward.
  template <class Lane>
  TANDEM_HD static bool keeps(const Lane& lane) {
    return !lane.call.far() || lane.steps < 2 * scan_block;
  }
  /// From rest.
  template <class Lane>
  TANDEM_HD static void move(Lane& lane) {
    auto y_i = Motion<typename Lane::S>::zero();
    place_and_move<Rows, weights>(lane, keeps(lane),
                                  [&](const auto& axes, const auto& link, const auto& r) TANDEM_INLINE {
                                    y_i = shift_origin(y_i, r) + motion_along(axes, link.in[weights]);
                                  });
    lane.put(lane.call.memory.y, y_i);
  }

  /// Outward through a block: what each link takes, and what increments change of its power on y. Joints are placed
  /// first, if that was not kept. What links feel is added to `total`, and the powers of their forces go out, unless it
  /// is null.
  template <class Lane, class S>
  TANDEM_PASS static void push_block(Lane& lane, int begin, int n, bool keep, Mat3<S>& E, OriginMotion<S>& motion,
                                     Motion<S>& y_end, Gathered<S>* total) {
    const Rows rows = {lane.dof};
    S* const memory = lane.w;
    const bool feels = lane.feels(), powers = total && (lane.call.f_ext_bar || lane.call.pi_bar);
    auto o = motion;
    auto y = y_end;
    auto sum = total ? *total : Gathered<S>::zero();
    lane.outward_block(
        reads_in(v_in) | reads_in(a_in) | reads_in(weights), begin, n, !keep,
        [&](int joint_k, const auto& link, auto joint) TANDEM_INLINE {
          const int k = keep ? joint_k : joint_k - begin;
          Vec3<S> r;
          if (keep) {
            E = load<Mat3<S>>(memory, rows.at(k, Rows::E));
            r = load<Vec3<S>>(memory, rows.at(k, Rows::r));
          } else {
            const Transform<S> X_T = lane.placement(joint_k);
            const Transform<S> X = link.transform(joint, {X_T.E * E, transpose_mul(E, X_T.r)});
            E = X.E;
            r = X.r;
            tandem::store(memory, rows.at(k, Rows::E), E);
            tandem::store(memory, rows.at(k, Rows::r), r);
          }
          const JointAxes<S, decltype(joint)> axes = {joint, E};
          o.carry(r);
          y = shift_origin(y, r);
          tandem::store(memory, rows.at(k, Rows::before), CarriedRates<S>{o.w, o.dw, o.p_ddot});
          tandem::store(memory, rows.at(k, Rows::y), y);
          o.join(axes, link.in[v_in], link.in[a_in]);
          y = y + motion_along(axes, link.in[weights]);

          const auto I = link.inertia(E);
          Gathered<S> g = {I * rates_of<S>({o.w, o.dw, o.p_ddot}), by_increment(I, o.w, y)};
          if (feels) {
            const auto on_link = lane.force(joint_k);
            g.f = g.f - Force<S>{transpose_mul(E, on_link.n), transpose_mul(E, on_link.f)};
          }
          tandem::store(memory, rows.f(k), g.f);
          tandem::store(memory, rows.at(k, Rows::turn), g.by);
          if (total) sum = sum + shift_origin(g, o.p, o.p_dot);
          if (powers)
            lane.put_powers(joint_k, Motion<S>{E * y.w, E * y.v}, CarriedRates<S>{E * o.w, E * o.dw, E * o.p_ddot});
        });
    motion = o;
    y_end = y;
    if (total) *total = sum;
  }

  /// What each link feels, and all of them at the start of the chunk.
  template <class Lane>
  TANDEM_HD static void push(Lane& lane) {
    using S = typename Lane::S;
    const auto& of = lane.call.memory;
    const auto E_c = lane.take(of.orientations);
    const bool keep = keeps(lane);
    auto E = Mat3<S>::identity();
    auto o = start_of(lane);
    Motion<S> y = {E_c * lane.take(of.y_turn), E_c * lane.take(of.y_slide)};
    auto total = Gathered<S>::zero();
    outward_blocks(lane.steps, [&](int begin, int n) TANDEM_INLINE {
      if (!keep) tandem::store(lane.w, Rows{lane.dof}.start(begin), Start<S>{E, {o.w, o.dw, o.p_ddot}, y});
      push_block(lane, begin, n, keep, E, o, y, &total);
    });
    const auto in_world = [&](const Force<S>& f) TANDEM_INLINE {
      return Force<S>{transpose_mul(E_c, f.n), transpose_mul(E_c, f.f)};
    };
    lane.put(of.forces,
             Gathered<S>{in_world(total.f), {transpose_mul(E_c, total.by.turn), in_world(total.by.momentum)}});
  }

  template <class Lane>
  TANDEM_HD static void gather(Lane& lane) {
    using S = typename Lane::S;
    const auto& of = lane.call.memory;
    const Rows rows = {lane.dof};
    S* const memory = lane.w;
    const bool keep = keeps(lane);
    const auto E_c = lane.take(of.orientations);
    const auto end = lane.take(of.forces);
    const auto turned = [&](const Force<S>& f) TANDEM_INLINE { return Force<S>{E_c * f.n, E_c * f.f}; };
    Gathered<S> g = {turned(end.f), {E_c * end.by.turn, turned(end.by.momentum)}};
    int first = 0;  // of the links that are kept
    const auto push_again = [&](int begin, int n) TANDEM_INLINE {
      if (keep) return;
      first = begin;
      auto [E, rates, y] = load<Start<S>>(memory, rows.start(begin));
      auto o = OriginMotion<S>::zero();
      o.w = rates.w;
      o.dw = rates.dw;
      o.p_ddot = rates.a;
      push_block<Lane, S>(lane, begin, n, false, E, o, y, nullptr);
    };
    lane.inward(
        reads_in(v_in) | reads_in(a_in) | reads_in(weights), push_again,
        [&](int joint_k, const auto& link, auto joint) TANDEM_INLINE {
          const int k = joint_k - first;
          g = g + Gathered<S>{load<Force<S>>(memory, rows.f(k)), load<ByIncrement<S>>(memory, rows.at(k, Rows::turn))};
          const JointAxes<S, decltype(joint)> axes = {joint, load<Mat3<S>>(memory, rows.at(k, Rows::E))};
          const auto r = load<Vec3<S>>(memory, rows.at(k, Rows::r));
          const auto before = load<CarriedRates<S>>(memory, rows.at(k, Rows::before));
          const auto y_p = load<Motion<S>>(memory, rows.at(k, Rows::y));
          for (int j = 0; j < axes.nv; ++j) {
            link.put(tau, j, mul_add(link.armature(j), S(link.in[a_in][j]), axes.along(j, g.f)));
            link.put(a_bar, j, mul_add(link.armature(j), S(link.in[weights][j]), axes.along(j, g.by.momentum)));
          }
          put_joint(axes, link, before, y_p, g);
          g = shift_origin(g, r, cross(before.w, r));
        });
  }
  /// What increments of the joint's own coordinates and rates change. The forces are then those before the joint.
  template <class S, class Axes, class Link>
  TANDEM_HD static void put_joint(const Axes& axes, const Link& link, const CarriedRates<S>& before, Motion<S> y,
                                  Gathered<S>& g) {
    using Joint = decltype(axes.joint);
    if constexpr (axes_may_turn<Joint>)
      if (axes.joint.axes_turn) return put_axis_by_axis(axes, link, before, y, g);
    const auto v_J = motion_along(axes, link.in[v_in]);
    if constexpr (Joint::has_linear) g.by = before_slide(v_J.v, g.by);
    const auto by = by_joint(JointState<S>{rates_of(before), before.w + before.w + v_J.w, v_J.v}, g.by, y, g.f);
    for (int j = 0; j < axes.nv; ++j) {
      link.put(q_bar, j, axes.along(j, by.q));
      link.put(v_bar, j, axes.along(j, by.v));
    }
  }
  template <class S, class Axes, class Link>
  TANDEM_HD static void put_axis_by_axis(const Axes& axes, const Link& link, const CarriedRates<S>& before, Motion<S> y,
                                         const Gathered<S>& g) {
    auto rates = before;
    for (int j = 0; j < axes.nv; ++j) {
      const Vec3<S> z = axes.direction(j);
      const auto by = by_joint(joint_state(rates), g.by, y, g.f);
      link.put(q_bar, j, dot(z, by.q.n));
      link.put(v_bar, j, dot(z, by.v.n));
      rates = moved(rates, AxisInSeries<S>{z, S(link.in[v_in][j]), S(link.in[a_in][j])});
      y.w = mul_add(S(link.in[weights][j]), z, y.w);
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
