// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/executors/runs.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/scan/scan_passes.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::inline TANDEM_ISA {

/// Forward dynamics of a robot in chunks, however it is cut.
struct ArticulatedBodyScan {
  static Index rows_of_chunk(int dof, int steps) { return ScanRows{dof}.of_chunk(steps); }

  /// Rows of scratch memory for a plan made beforehand.
  template <class S>
  static Index rows(const ScanPlan& plan) {
    Arena arena;
    memory<S>(arena, plan);
    return arena.rows<S>();
  }
  /// The same with such a plan, groups carried out by `groups`, in what is left of an arena.
  template <class S, class Groups, class Executor, class M, class Q, class Qd, class Tau, class Fx, class D, class A>
  [[gnu::noinline]] static void run(const Groups& groups, const Executor& executor, const ScanPlan& plan,
                                    const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, A a, Arena arena) {
    solve(groups, executor,
          ScanCall<S, M, Q, Qd, Tau, Fx, D, A>{m, plan, q, v, tau, f_ext, diagonal, a, memory<S>(arena, plan)});
  }
  /// After run on a chain, with what it left in the arena: a = (M + diagonal)^-1 tau, by the same articulated bodies,
  /// at rest and without gravity.
  template <class S, class Groups, class Executor, class M, class Q, class Tau, class D, class A>
  [[gnu::noinline]] static void respond(const Groups& groups, const Executor& executor, const ScanPlan& plan,
                                        const ModelView<M>& m, Q q, Tau tau, D diagonal, A a, Arena arena) {
    const auto at_rest = m.without_gravity();
    const ScanCall<S, M, Q, Tau, Tau, Tau, D, A> call = {
        at_rest, plan, q, Tau{}, tau, Tau{}, diagonal, a, memory<S>(arena, plan)};
    for_each_backwards(executor, plan.n_groups, [&](Index g) TANDEM_INLINE {
      groups.each(call, g, [&](auto& lane) TANDEM_INLINE { ScanPasses::gather_push(lane, plan.group_ends[g], call); });
    });
    using Row = typename Groups::template Row<S>;
    join_path<Row>(executor, call, 0);
    spread(executor, call, 0, groups);
  }

 private:
  template <class S>
  static ScanMemory<S> memory(Arena& arena, const ScanPlan& plan) {
    return {arena, plan.n_chunks, plan.n_slots, plan.group_row[plan.n_groups]};
  }

  template <class Groups, class Executor, class Call>
  static void solve(const Groups& groups, const Executor& executor, const Call& call) {
    const ScanPlan& plan = call.plan;
    // What chunks keep of their links goes into the next pass. Where it would not stay in the cache until then, only
    // the ends of the chunks are found first, and the links are placed again when they are wanted.
    const bool keep = !call.far();
    executor.for_each(plan.n_groups, [&](Index g) TANDEM_INLINE {
      groups.each(call, g, [&](auto& lane) TANDEM_INLINE { ScanPasses::place(lane, keep, call); });
    });
    for (Index level = 0; level < plan.n_levels; ++level)
      for (Index p = plan.level_path[level]; p < plan.level_path[level + 1]; ++p) rotate_bases(executor, call, p);
    using Row = typename Groups::template Row<typename Call::Number>;
    for (Index level = plan.n_levels - 1; level >= 0; --level) {
      const Index first = plan.level_group[level], n = plan.level_group[level + 1] - first;
      for_each_backwards(executor, n, [&](Index k) TANDEM_INLINE {
        const Index g = first + k;
        groups.each(call, g,
                    [&](auto& lane) TANDEM_INLINE { ScanPasses::gather(lane, keep, plan.group_ends[g], call); });
      });
      for (Index p = plan.level_path[level]; p < plan.level_path[level + 1]; ++p) join_path<Row>(executor, call, p);
    }
    for (Index level = 0; level < plan.n_levels; ++level) spread(executor, call, level, groups);
  }
  /// Outward: how the links of a level accelerate.
  template <class Groups, class Executor, class Call>
  static void spread(const Executor& executor, const Call& call, Index level, const Groups& groups) {
    using Row = typename Groups::template Row<typename Call::Number>;
    const ScanPlan& plan = call.plan;
    for (Index p = plan.level_path[level]; p < plan.level_path[level + 1]; ++p) part_path<Row>(executor, call, p);
    const Index first = plan.level_group[level];
    executor.for_each(plan.level_group[level + 1] - first, [&](Index k) TANDEM_INLINE {
      const Index g = first + k;
      groups.each(call, g, [&](auto& lane) TANDEM_INLINE { ScanPasses::accelerate(lane, plan.group_ends[g], call); });
    });
  }

  /// The chunks of path p as a row of what begins with `elements`: those of all chunks, then what joins make of them.
  /// Few of them are joined in a row where a tree is not faster, not even on two threads; of every run only J and eta
  /// are wanted then.
  template <class Op, class Executor, class Call>
  static Runs<Op> row_of(const Executor& executor, const Call& call, Index p, typename Op::Element* elements,
                         typename Op::Kept* kept, typename Op::Port* ports) {
    const ScanPlan& plan = call.plan;
    const Index first = plan.path_chunk[p], chunks = plan.path_chunk[p + 1] - first, joins = first - p;
    return {{},
            tree_over(executor, chunks, plan.joined_in_a_row),
            elements + first,
            elements + plan.n_chunks + joins,
            kept ? kept + joins : nullptr,
            ports + first,
            ports + plan.n_chunks + joins};
  }
  template <class Row, class Executor, class Call>
  static auto runs_of(const Executor& executor, const Call& call, Index p) {
    using Op = JoinTwoHandles<Row>;
    return row_of<Op>(executor, call, p, call.memory.runs, call.memory.between, call.memory.ports);
  }

  /// How the base of every chunk turns, along its own axes.
  template <class Executor, class Call>
  static void rotate_bases(const Executor& executor, const Call& call, Index p) {
    using S = typename Call::Number;
    auto w = Vec3<S>::zero();
    if (const auto link = call.plan.path_link[p]; link != 0) {
      const auto k = call.plan.slot[link];
      const ScanSlot<S>& slot = call.memory.slots[k];
      w = slot.axes * (call.memory.w_0[call.plan.slot_chunk[k]] + slot.w);
    }
    const auto row = row_of<RotatingBase<S>>(executor, call, p, call.memory.ends, nullptr, call.memory.w_0);
    const auto few = in_small_parts(executor);
    if (!row.tree.in_a_row) gather_runs(few, row);  // in a row, ports pass single chunks only
    spread_ports(few, row, w);
  }

  /// Inward: the path as one run; what it brings to the link it hangs from.
  template <class Row, class Executor, class Call>
  static void join_path(const Executor& executor, const Call& call, Index p) {
    const auto runs = runs_of<Row>(executor, call, p);
    gather_runs(in_small_parts(executor, 9), runs);
    if (const auto link = call.plan.path_link[p]; link != 0) {
      auto& slot = call.memory.slots[call.plan.slot[link]];
      slot.J = slot.J + runs.whole().J();
      slot.eta = slot.eta + runs.whole().eta();
    }
  }

  /// Outward: what every chunk of the path has at its handles.
  template <class Row, class Executor, class Call>
  static void part_path(const Executor& executor, const Call& call, Index p) {
    using S = typename Call::Number;
    const auto link = call.plan.path_link[p];
    const auto a_0 = link == 0 ? base_acceleration<S>(call.m) : call.memory.slots[call.plan.slot[link]].moves;
    spread_ports(in_small_parts(executor, 9), runs_of<Row>(executor, call, p), {a_0, Force<S>::zero()});
  }
};

/// The same for a method that says how the robot is cut.
template <class Cut>
struct ArticulatedBodyInChunks : ArticulatedBodyScan {
  using Problem = ForwardDynamics;
  static constexpr bool turns_inertias = true;  ///< into other axes, in every call

  template <class M>
  Index work_rows(const ModelView<M>& m) const {
    Arena arena;
    ScanPlanner<M> planner(m, as_method().cut(m));
    planner.lay_out(arena);
    ScanMemory<M>(arena, planner.most_chunks(), planner.slots(), planner.most_rows());
    return arena.rows<M>();
  }
  template <class S, class Executor, class M, class Q, class Qd, class Tau, class Fx, class D, class A>
  void body(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, A a,
            S* w) const {
    Arena arena(w);
    ScanPlanner<M> planner(m, as_method().cut(m));
    planner.lay_out(arena);
    run<S>(OneByOne<Executor>{executor}, executor, planner.plan(), m, q, v, tau, f_ext, diagonal, a, arena);
  }

 private:
  const Cut& as_method() const { return static_cast<const Cut&>(*this); }
};

/// Forward dynamics by an associative scan of articulated bodies: the ABA with all its recursions, that of the
/// articulated inertias included, divided among lanes, threads and chunks of links.
/// docs/algorithms/scan.md
///
/// A run of joints and links, seen through the link before it and through its last link, is an element
/// (two_handle.hpp); elements join by an associative operator, so that all articulated inertias of a robot come out of
/// a scan. Here the scan is cut into chunks: inside a chunk the ABA goes on as ever and gathers the chunk's element on
/// the way, the chunks of a path are joined, in a row or as a tree, and one more pass inside the chunks gives the
/// accelerations.
///
/// In, Out   as ForwardDynamics
/// Frames    inside a chunk all vectors stand along the axes of its base, about each link's own origin; accelerations
///           are classical ones, of material points
/// Trees     paths that hang from a link are gathered before the path it lies on, and bring their inertia and bias
///           force to it; level by level, at most log2 n levels
/// Joints    of any type; in lanes side by side where a path has revolute and prismatic joints, or spherical joints,
///           beyond its first joint; one chunk after the other elsewhere
/// Options   chunk, chunks: links per chunk, chunks per path
/// Work      23 rows per link with one degree of freedom, up to 136 with six; 430 per chunk
/// Cost      O(n_links) (docs/operation_counts.md); depth O(links per chunk + log chunks)
/// Errors    none; a singular robot gives infinities or NaN
struct ScanArticulatedBody : ArticulatedBodyInChunks<ScanArticulatedBody> {
  static constexpr Method method = Method::scan;
  int chunk = 0, chunks = 0;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options&) {
    return m.n_mimic == 0
               ? nullptr
               : "it has mimic joints, which couple its branches; use articulated_body or composite_rigid_body";
  }
  template <class M>
  ScanCut cut(const ModelView<M>&) const {
    return {.rows = rows_of_chunk, .lanes = chunks_in_group<M>, .chunk = chunk, .chunks = chunks};
  }
};

}  // namespace tandem::inline TANDEM_ISA
