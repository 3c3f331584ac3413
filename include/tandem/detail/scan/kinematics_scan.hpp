// SPDX-License-Identifier: Apache-2.0
/// What the scans of products of kinematics share. Along axes that do not turn from link to link, about each link's own
/// origin, velocities, spatial accelerations, displacements and what increments change are sums from the base outwards,
/// weights sums inwards, in which only levers multiply:
///
///     inside a chunk, outwards from rest      how its end moves against its start
///     between chunks                          how each start moves
///     inside a chunk, outwards                how its links move
///
/// The base is at rest: gravity is no part of kinematics.
#pragma once
#include "tandem/detail/scan/chunk_passes.hpp"
#include "tandem/detail/joint/axes.hpp"
#include "tandem/detail/scan/kinematics_call.hpp"
#include "tandem/detail/scan/moving_chunks.hpp"

namespace tandem::inline TANDEM_ISA {

template <class S>
TANDEM_HD constexpr Force<S> cross(const Angular<S>& a, const Force<S>& b) {
  return {cross(a.w, b.n), cross(a.w, b.f)};
}

struct KinematicsScan {
  using Shared = KinematicsProducts;
  /// The first columns that go in.
  enum In { v_in, a_in };

  /// [n_chunks] each: what products of both kinds keep of a chunk. Its end against its start, then its start against
  /// the base.
  template <class S>
  struct Chunks {
    Mat3<S>* orientations;
    Vec3<S>* levers;       ///< from its start to its end
    Vec3<S>* positions;    ///< of its start
    Motion<S>*v, *a;       ///< of its start
    Vec3<S>*turn, *slide;  ///< for sums

    TANDEM_HD Chunks(Arena& arena, Index n) {
      arena.take(n, orientations, levers, positions, v, a);
      arena.take(n, turn, slide);
    }
  };

  /// Calls f with how much of kinematics a lane's call asks for: a constant, unless one lane is compiled for all.
  template <class Lane, class F>
  TANDEM_HD static void on_kinematics_of(const Lane& lane, F&& f) {
    if constexpr (Lane::compiled_once)
      f(lane.call.kinematics());
    else
      on_kinematics(lane.call.frames.velocity, lane.call.frames.acceleration, f);
  }

  /// S x, or its part along axis k, without what is zero where a joint turns only.
  template <class Axes, class Column>
  TANDEM_HD static auto along(const Axes& axes, [[maybe_unused]] int k, const Column& x) {
    using S = std::remove_cvref_t<decltype(axes.E.row0.x)>;
    using Joint = decltype(axes.joint);
    if constexpr (std::is_same_v<Joint, AnyJoint<S>>)
      return axes.joint.axes_turn ? Motion<S>{S(x[k]) * axes.direction(k), Vec3<S>::zero()} : motion_along(axes, x);
    else if constexpr (Joint::axes_turn)
      return Angular<S>{S(x[k]) * axes.direction(k)};
    else if constexpr (Joint::has_linear)
      return motion_along(axes, x);
    else
      return Angular<S>{motion_along(axes, x).w};
  }
  /// Outward across a joint, before which the link moves with v and a: calls f(axis or -1 for all of them, how it is
  /// passed).
  template <class S, class Axes, class Link, class F>
  TANDEM_HD static void pass_outward(bool accelerating, const Axes& axes, const Link& link, Motion<S>& v, Motion<S>& a,
                                     F&& f) {
    using Joint = decltype(axes.joint);
    const auto pass = [&](int k) TANDEM_INLINE {
      const auto v_J = along(axes, k, link.in[v_in]);
      const Shared::JointState<S, std::remove_const_t<decltype(v_J)>> j = {v, a, v_J};
      f(k, j);
      if (accelerating) a = j.a(along(axes, k, link.in[a_in]));
      v = j.v();
    };
    if constexpr (axes_may_turn<Joint>)
      if (axes.joint.axes_turn) {
        for (int k = 0; k < axes.nv; ++k) pass(k);
        return;
      }
    pass(-1);
  }
  /// The same from the last axis to the first.
  template <class S, class Axes, class Link, class F>
  TANDEM_HD static void pass_inward(bool accelerating, const Axes& axes, const Link& link, Motion<S> v, Motion<S> a,
                                    F&& f) {
    using Joint = decltype(axes.joint);
    if constexpr (axes_may_turn<Joint>)
      if (axes.joint.axes_turn) {
        constexpr int most_axes = Universal::nv;
        Shared::JointState<S, std::remove_const_t<decltype(along(axes, 0, link.in[v_in]))>> at[most_axes];
        pass_outward(accelerating, axes, link, v, a, [&](int k, const auto& j) TANDEM_INLINE { at[k] = j; });
        for (int k = axes.nv - 1; k >= 0; --k) f(k, at[k]);
        return;
      }
    pass_outward(false, axes, link, v, a, f);
  }

  /// Where joint k leaves its link: X.E turns the axes of the chunk's start into its own, X.r leads from the origin of
  /// the link before, along whose axes E turns.
  template <class Lane, class Link, class Joint, class S>
  TANDEM_HD static Transform<S> placed(const Lane& lane, int k, const Link& link, const Joint& joint,
                                       const Mat3<S>& E) {
    const Transform<S> X_T = lane.placement(k);
    return link.transform(joint, {X_T.E * E, transpose_mul(E, X_T.r)});
  }

  /// A link of a chunk that starts as E_c and p_c say, as its frames see it.
  template <class S>
  TANDEM_HD static ForwardKinematics::Link<S> carrier(Kinematics of, const Mat3<S>& E_c, const Vec3<S>& p_c,
                                                      const Mat3<S>& E, const Vec3<S>& p, const Motion<S>& v,
                                                      const Motion<S>& a) {
    ForwardKinematics::Link<S> at = {{E * E_c, p_c + transpose_mul(E_c, p)}, Motion<S>::zero(), Motion<S>::zero()};
    if (of != Kinematics::pose) at.v = turned(E, v);
    if (of == Kinematics::acceleration) at.a = turned(E, a);
    return at;
  }
  /// Along the axes that E turns into, or back.
  template <class S>
  TANDEM_HD static Motion<S> turned(const Mat3<S>& E, const Motion<S>& m) {
    return {E * m.w, E * m.v};
  }
  template <class S>
  TANDEM_HD static Force<S> turned(const Mat3<S>& E, const Force<S>& f) {
    return {E * f.n, E * f.f};
  }
  template <class S>
  TANDEM_HD static Motion<S> turned_back(const Mat3<S>& E, const Motion<S>& m) {
    return {transpose_mul(E, m.w), transpose_mul(E, m.v)};
  }
  template <class S>
  TANDEM_HD static Force<S> turned_back(const Mat3<S>& E, const Force<S>& f) {
    return {transpose_mul(E, f.n), transpose_mul(E, f.f)};
  }

  // Between chunks, along the base's axes.

  /// Where chunks start; levers lie along the base's axes from then on.
  template <class Passes>
  TANDEM_HD static void find_places(const Passes& passes) {
    using S = typename std::remove_cvref_t<decltype(passes.call)>::Number;
    const auto& of = passes.call.memory.chunks_of_chain;
    passes.scan(Product<Mat3<S>>(), of.orientations);
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      of.positions[c] = of.levers[c] = transpose_mul(of.orientations[c], of.levers[c]);
    });
    passes.scan(Sum<S>(), of.positions);
  }
  /// How starts move, of which every chunk adds added(c) to that of its end; what levers multiply is known before it is
  /// summed.
  template <class Passes, class S, class F>
  TANDEM_HD static void sum_outward(const Passes& passes, Motion<S>* starts, F&& added) {
    const auto& of = passes.call.memory.chunks_of_chain;
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      starts[c] = added(c);
      of.turn[c] = starts[c].w;
    });
    passes.scan(Sum<S>(), of.turn);
    passes.over_chunks([&](Index c) TANDEM_INLINE { of.slide[c] = add_cross(starts[c].v, of.turn[c], of.levers[c]); });
    passes.scan(Sum<S>(), of.slide);
    passes.over_chunks([&](Index c) TANDEM_INLINE { starts[c] = {of.turn[c], of.slide[c]}; });
  }
  /// Forces at the ends, to which every chunk adds added(c), about its start.
  template <class Passes, class S, class F>
  TANDEM_HD static void sum_inward(const Passes& passes, Force<S>* ends, F&& added) {
    const auto& of = passes.call.memory.chunks_of_chain;
    auto *const force = of.slide, *const moment = of.turn;
    passes.over_chunks([&](Index c) TANDEM_INLINE {
      ends[c] = added(c);
      force[c] = ends[c].f;
    });
    passes.scan_back(Sum<S>(), force);
    passes.over_chunks([&](Index c) TANDEM_INLINE { moment[c] = add_cross(ends[c].n, of.levers[c], force[c]); });
    passes.scan_back(Sum<S>(), moment);
    passes.over_chunks([&](Index c) TANDEM_INLINE { ends[c] = {moment[c], force[c]}; });
  }
  /// A start's motion as its end has it.
  template <class S>
  TANDEM_HD static Motion<S> at_end(const Chunks<S>& of, const Motion<S>* starts, Index c) {
    return shift_origin(starts[c], of.levers[c]);
  }
};

}  // namespace tandem::inline TANDEM_ISA
