// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/moving_chunks.hpp"

namespace tandem::inline TANDEM_ISA {

/// The JVP of inverse dynamics as scans. Along axes that all links share, about each link's own origin, the tangents of
/// motions are sums from the base outward, and those of forces are sums inward, in which each joint rotates all bodies
/// beyond it (passes/increments.hpp):
///
///     inside a chunk, outwards from rest      how its end moves against its start, and is displaced
///     between chunks   E; w, dw; then the origins' accelerations
///     inside a chunk, outwards                tangent of the motion of its end, for a zero tangent at its start
///     between chunks   what is added to turning; then to the acceleration of the origins
///     inside a chunk, outwards                what each link takes, and what is added to that; their sums
///     between chunks   forces; then what displacements make of them; then moments
///     inside a chunk, inwards                 the sums of all that hangs from a joint, seen along its axes
struct TangentScan {
  /// Columns that go in and come out.
  enum In { v_in, a_in, dq_in, dv_in, da_in, n_in };
  enum Out { tau, dtau, n_out };

  /// Rows of a link: its axes, r from the link before; its force and the tangent of this.
  struct Rows {
    enum Field { E = 0, r = 9, f = 12 };
    int dof = 0;
    TANDEM_HD static constexpr Index at(int k, Field field) { return Index{24} * k + field; }
  };
  static Index rows_of_chunk(int, int steps) { return Rows::at(steps, Rows::E); }

  /// [n_chunks] each: a chunk's end against its start; then how its start moves and the forces at its end.
  template <class S>
  struct Memory {
    Mat3<S>* orientations;
    OriginMotion<S>* motions;
    Motion<S>* displaced;
    WorldJetRun<S>* jets;
    Vec3<S>* accelerations;
    Increment<S>* increments;
    Vec3<S>*added_turn, *added_spin, *added_slide;
    ForceTangent<S>* forces;
    Vec3<S>*force, *moment, *added_force, *added_moment;
    S* chunks;  ///< the rows of links

    TANDEM_HD Memory(Arena& arena, Index n, Index rows) {
      arena.take(n, orientations, motions, displaced, jets, accelerations, increments, forces);
      arena.take(n, added_turn, added_spin, added_slide, force, moment, added_force, added_moment);
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
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      auto& d = of.displaced[c];
      d = {transpose_mul(of.orientations[c], d.w), transpose_mul(of.orientations[c], d.v)};
    });

    // what is added to that of each start
    passes.over_links([](auto& lane) TANDEM_INLINE { increase(lane); });
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      of.added_turn[c] = of.increments[c].w;
      of.added_spin[c] = of.increments[c].a.w;
    });
    passes.scan(Sum<S>(), of.added_turn);
    passes.scan(Sum<S>(), of.added_spin);
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      const auto& o = of.motions[c];
      const Increment<S> start = {of.added_turn[c], {of.added_spin[c], Vec3<S>::zero()}};
      of.added_slide[c] = of.increments[c].a.v + at_lever(start, o.p, o.p_dot + o.p_dot).a.v;
    });
    passes.scan(Sum<S>(), of.added_slide);

    // forces at the end of each chunk, which is displaced against its start
    passes.over_links([](auto& lane) TANDEM_INLINE { push(lane); });
    passes.over_chunks([&](Index c) TANDEM_INLINE { of.force[c] = of.forces[c].f.f; });
    passes.scan_back(Sum<S>(), of.force);
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      of.moment[c] = add_cross(of.forces[c].f.n, of.motions[c].p, of.force[c]);
      of.added_force[c] = add_cross(of.forces[c].df.f, of.displaced[c].w, of.force[c]);
    });
    passes.scan_back(Sum<S>(), of.moment);
    passes.scan_back(Sum<S>(), of.added_force);
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      const auto moved = cross(of.displaced[c], Force<S>{of.moment[c], of.force[c]});
      of.added_moment[c] = add_cross(of.forces[c].df.n + moved.n, of.motions[c].p, of.added_force[c] + moved.f);
    });
    passes.scan_back(Sum<S>(), of.added_moment);
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      of.forces[c] = {{of.moment[c], of.force[c]}, {of.added_moment[c], of.added_force[c]}};
    });
    passes.over_links([](auto& lane) TANDEM_INLINE { gather(lane); });
  }

 private:
  /// The tangent of the motion of the point at r, which moves faster by half of u.
  template <class S>
  TANDEM_HD static Increment<S> at_lever(const Increment<S>& i, const Vec3<S>& r, const Vec3<S>& u) {
    return {i.w, {i.a.w, add_cross(add_cross(i.a.v, i.a.w, r), i.w, u)}};
  }

  /// From rest.
  template <class Lane>
  TANDEM_HD static void move(Lane& lane) {
    using S = typename Lane::S;
    auto d = Motion<S>::zero();
    place_and_move<Rows, dq_in>(lane, true, [&](const auto& axes, const auto& link, const Vec3<S>& r) TANDEM_INLINE {
      d = shift_origin(d, r) + motion_along(axes, link.in[dq_in]);
    });
    lane.put(lane.call.memory.displaced, d);
  }

  /// The tangent of the motion of the chunk's end by the tangents of its own joints.
  template <class Lane>
  TANDEM_HD static void increase(Lane& lane) {
    using S = typename Lane::S;
    const auto& of = lane.call.memory;
    auto i = Increment<S>::zero();
    go_outward<Lane, S>(lane, i, nullptr);
    const auto E_c = lane.take(of.orientations);
    lane.put(of.increments,
             Increment<S>{transpose_mul(E_c, i.w), {transpose_mul(E_c, i.a.w), transpose_mul(E_c, i.a.v)}});
  }

  /// The force of each link with its tangent, and their sums, rotated by the chunk's own joints.
  template <class Lane>
  TANDEM_HD static void push(Lane& lane) {
    using S = typename Lane::S;
    const auto& of = lane.call.memory;
    const auto E_c = lane.take(of.orientations);
    Increment<S> increment = {E_c * lane.take(of.added_turn),
                              {E_c * lane.take(of.added_spin), E_c * lane.take(of.added_slide)}};
    auto total = ForceTangent<S>::zero();
    go_outward(lane, increment, &total);
    const auto in_world = [&](const Force<S>& f) TANDEM_INLINE {
      return Force<S>{transpose_mul(E_c, f.n), transpose_mul(E_c, f.f)};
    };
    lane.put(of.forces, ForceTangent<S>{in_world(total.f), in_world(total.df)});
  }

  /// Outward through a chunk whose start moves as is known, and `increment` with it. What each link takes and what is
  /// added to that goes to memory, their sums to `total`, unless that is null.
  template <class Lane, class S>
  TANDEM_PASS static void go_outward(Lane& lane, Increment<S>& increment_of_end, ForceTangent<S>* total) {
    S* const memory = lane.w;
    const bool feels = lane.feels(), more = lane.call.df_ext, heavier = lane.call.dpi;
    auto increment = increment_of_end;
    auto sum = ForceTangent<S>::zero();
    auto d = Motion<S>::zero();
    auto o = start_of(lane);
    const auto push = [&](int k, const auto& link, const auto& axes, const Vec3<S>& r) TANDEM_INLINE {
      const auto& E = axes.E;
      const auto I = link.inertia(E);
      const auto from_link = [&](const Force<S>& f) TANDEM_INLINE {
        return Force<S>{transpose_mul(E, f.n), transpose_mul(E, f.f)};
      };
      ForceTangent<S> g = {I * rates_of<S>({o.w, o.dw, o.p_ddot}), tandem::added_force(I, o.w, increment)};
      if (feels) g.f = g.f - from_link(lane.force(k));
      if (more) g.df = g.df - from_link(lane.force(k, lane.call.df_ext));
      if (heavier) g.df = g.df + from_link(lane.added_inertia(k) * rates_of<S>({E * o.w, E * o.dw, E * o.p_ddot}));
      tandem::store(memory, Rows::at(k, Rows::f), g);
      d = shift_origin(d, r) + motion_along(axes, link.in[dq_in]);
      const auto there = turned_along(d, g.f, g.df);
      sum = sum + shift_origin(ForceTangent<S>{g.f, there}, o.p);
    };
    lane.outward(reads_in(v_in) | reads_in(a_in) | reads_in(dq_in) | reads_in(dv_in) | reads_in(da_in),
                 [&](int k, const auto& link, auto joint) TANDEM_INLINE {
                   using Joint = decltype(joint);
                   const JointAxes<S, Joint> axes = {joint, load<Mat3<S>>(lane.w, Rows::at(k, Rows::E))};
                   const auto r = load<Vec3<S>>(lane.w, Rows::at(k, Rows::r));
                   const Vec3<S> u = cross(o.w, r);
                   increment = at_lever(increment, r, u + u);
                   o.carry(r);
                   const CarriedRates<S> before = {o.w, o.dw, o.p_ddot};
                   o.join(axes, link.in[v_in], link.in[a_in]);
                   pass(axes, link, before, o.w, increment);
                   if (total) push(k, link, axes, r);
                 });
    increment_of_end = increment;
    if (total) *total = sum;
  }
  /// Across a joint between links of which one moves as `before` says and the other turns with w.
  template <class S, class Axes, class Link>
  TANDEM_HD static void pass(const Axes& axes, const Link& link, const CarriedRates<S>& before, const Vec3<S>& w,
                             Increment<S>& increment) {
    using Joint = decltype(axes.joint);
    if constexpr (axes_may_turn<Joint>)
      if (axes.joint.axes_turn) return pass_axis_by_axis(axes, link, before, increment);
    const Vec3<S> slide = Joint::has_linear ? motion_along(axes, link.in[v_in]).v : Vec3<S>::zero();
    increment = across_joint(JointState<S>{rates_of(before), before.w + w, slide}, increment,
                             motion_along(axes, link.in[dq_in]), motion_along(axes, link.in[dv_in]),
                             motion_along(axes, link.in[da_in]));
  }

  template <class S, class Axes, class Link>
  TANDEM_HD static void pass_axis_by_axis(const Axes& axes, const Link& link, const CarriedRates<S>& before,
                                          Increment<S>& increment) {
    auto rates = before;
    for (int j = 0; j < axes.nv; ++j) {
      const Motion<S> z = {axes.direction(j), Vec3<S>::zero()};
      increment = across_joint(joint_state(rates), increment, S(link.in[dq_in][j]) * z, S(link.in[dv_in][j]) * z,
                               S(link.in[da_in][j]) * z);
      rates = moved(rates, AxisInSeries<S>{z.w, S(link.in[v_in][j]), S(link.in[a_in][j])});
    }
  }

  template <class Lane>
  TANDEM_HD static void gather(Lane& lane) {
    using S = typename Lane::S;
    S* const memory = lane.w;
    const auto E_c = lane.take(lane.call.memory.orientations);
    const auto end = lane.take(lane.call.memory.forces);
    const auto turned = [&](const Force<S>& f) TANDEM_INLINE { return Force<S>{E_c * f.n, E_c * f.f}; };
    ForceTangent<S> g = {turned(end.f), turned(end.df)};
    lane.inward(reads_in(a_in) | reads_in(dq_in) | reads_in(da_in),
                [&](int k, const auto& link, auto joint) TANDEM_INLINE {
                  using Joint = decltype(joint);
                  g = g + load<ForceTangent<S>>(memory, Rows::at(k, Rows::f));
                  const JointAxes<S, Joint> axes = {joint, load<Mat3<S>>(memory, Rows::at(k, Rows::E))};
                  for (int j = 0; j < axes.nv; ++j)
                    link.put(tau, j, mul_add(link.armature(j), S(link.in[a_in][j]), axes.along(j, g.f)));
                  for (int j = axes.nv - 1; j >= 0; --j) {
                    link.put(dtau, j, mul_add(link.armature(j), S(link.in[da_in][j]), axes.along(j, g.df)));
                    if constexpr (axes_may_turn<Joint>)
                      if (joint.axes_turn)
                        g.df = g.df + cross(Motion<S>{S(link.in[dq_in][j]) * axes.direction(j), Vec3<S>::zero()}, g.f);
                  }
                  if (!joint.axes_turn) g.df = turned_along(motion_along(axes, link.in[dq_in]), g.f, g.df);
                  const auto r = load<Vec3<S>>(memory, Rows::at(k, Rows::r));
                  g = shift_origin(g, r);
                });
  }
};

}  // namespace tandem::inline TANDEM_ISA
