// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/link_coordinates.hpp"
#include "tandem/detail/scan/world_orientation.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"

namespace tandem::inline TANDEM_ISA {

/// Inverse dynamics of one robot of many links as parallel scans.
///
/// Method    [Yang] (2a)-(2d): velocities and accelerations are prefix scans over the links, forces a suffix scan.
///           Changed: both Coriolis terms have the other sign (in print they are wrong); the operators know their
///           structure instead of multiplying 6x6 matrices; chunks of consecutive links run the ordinary recursion,
///           once from rest to see what they do to their ends, and again when the scan over chunks has told how their
///           ends move. Forms:
///             body               v, then a, then f: three scans
///             jet                v and a in one scan, then f
///             world_orientation  sums along world axes; see world_orientation.hpp
///             automatic          world_orientation, in float of more than some thousand links jet: it keeps more
///                                digits; of trees jet
/// Trees     paths are scanned one level after the other, at most log2 n levels; not by world_orientation
/// In, out   those of inverse_dynamics
/// Joints    every type
/// Options   form; chunk, the links of a chunk; or chunks, how many, of a tree on every path. Chunks come in groups of
///           8 in double, 16 in float, that go in lockstep in the lanes of vector registers, where joints are revolute
///           or prismatic, or spherical; scan_schedule: tree by itself
/// Work      12 or 18 rows per link, 96 per chunk and what its plan takes      Cost O(n_links), depth chunk +
///           log(chunks)
/// Errors    none; a NaN stays in its own state
struct InverseDynamicsScan {
  using Problem = InverseDynamics;
  static constexpr Method method = Method::scan;
  static constexpr bool turns_inertias = false;  ///< motions are turned instead
  Form form = Form::automatic;
  int chunk = 0, chunks = 0;
  ScanSchedule scan_schedule = ScanSchedule::tree;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options& options) {
    if (m.n_mimic != 0) return "it has mimic joints; use recursive_newton_euler";
    if (options.form == Form::world_orientation && !is_chain(m))
      return "it has branches, and form world_orientation is for chains; use form jet or body, or "
             "recursive_newton_euler";
    return nullptr;
  }

  /// Of a chain chunks that are equally long but for a link, in whole groups, no more of them than links.
  template <class M>
  ScanCut cut(const ModelView<M>& m) const {
    constexpr Index lanes = chunks_in_group<M>, usual_chunk = 256;
    if (!is_chain(m))
      return {.rows = LinkCoordinates::rows_of_chunk, .lanes = lanes, .chunk = chunk, .chunks = chunks, .even = true};
    const Index n = m.n_links - 1, links = chunk > 0 ? chunk : usual_chunk;
    Index groups = ((chunks > 0 ? chunks : (n + links - 1) / links) + lanes - 1) / lanes;
    if (groups * lanes > n) groups = n / lanes;
    return {
        .rows = chosen(m) == Form::world_orientation ? WorldOrientation::rows_of_chunk : LinkCoordinates::rows_of_chunk,
        .lanes = lanes,
        .chunks = static_cast<int>(groups > 0 ? groups * lanes : 1),
        .even = true};
  }
  /// The form that a robot is served by. Measured for chains, see docs/algorithms/inverse_dynamics_scan.md.
  template <class M>
  TANDEM_HD Form chosen(const ModelView<M>& m) const {
    if (form != Form::automatic) return form;
    return (sizeof(M) <= sizeof(float) && m.n_links > 4096) || !is_chain(m) ? Form::jet : Form::world_orientation;
  }

  template <class M>
  Index work_rows(const ModelView<M>& m) const {
    Arena arena;
    ScanPlanner<M> planner(m, cut(m));
    planner.lay_out(arena);
    return rows<M>(arena, planner.most_chunks(), planner.slots(), planner.most_rows());
  }
  template <class S, class Executor, class M, class Q, class Qd, class Qdd, class Fx, class Tau>
  [[gnu::noinline]] void body(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Qdd a, Fx f_ext, Tau tau,
                              S* w) const {
    Arena arena(w);
    ScanPlanner<M> planner(m, cut(m));
    planner.lay_out(arena);
    run<S>(OneByOne<Executor>{executor}, executor, planner.plan(), m, q, v, a, f_ext, tau, arena);
  }

  /// Rows of scratch memory for a plan made beforehand.
  template <class S>
  static Index rows(const ScanPlan& plan) {
    return rows<S>({}, plan.n_chunks, plan.n_slots, plan.group_row[plan.n_groups]);
  }
  /// The same with such a plan, groups carried out by `groups`, in what is left of an arena.
  template <class S, class Groups, class Executor, class M, class Q, class Qd, class Qdd, class Fx, class Tau>
  TANDEM_HD void run(const Groups& groups, const Executor& executor, const ScanPlan& plan, const ModelView<M>& m, Q q,
                     Qd v, Qdd a, Fx f_ext, Tau tau, Arena arena) const {
    const auto with = [&]<class Memory>(const Memory& memory) {
      return InverseCall<S, M, Q, Qd, Qdd, Fx, Tau, Memory>{m, plan, q, v, a, f_ext, tau, memory, scan_schedule};
    };
    const Index n = plan.n_chunks, slots = plan.n_slots, rows = plan.group_row[plan.n_groups];
    switch (chosen(m)) {
      case Form::body:
        return LinkCoordinates::body<false>(groups, executor, with(LinkCoordinates::Memory<S>(arena, n, slots, rows)));
      case Form::jet:
        if constexpr (!is_of_threads<Executor>)  // which have it in kernels of its own
          return LinkCoordinates::body<true>(groups, executor, with(LinkCoordinates::Memory<S>(arena, n, slots, rows)));
        [[fallthrough]];
      default: return WorldOrientation::body(groups, executor, with(WorldOrientation::Memory<S>(arena, n, rows)));
    }
  }

 private:
  template <class S>
  static Index rows(const Arena& arena, Index chunks, Index slots, Index rows) {
    Arena link = arena, world = arena;
    LinkCoordinates::Memory<S>(link, chunks, slots, rows);
    WorldOrientation::Memory<S>(world, chunks, rows);
    return link.rows<S>() > world.rows<S>() ? link.rows<S>() : world.rows<S>();
  }
};

}  // namespace tandem::inline TANDEM_ISA
