// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tandem/detail/blocks/engine.hpp"
#include "tandem/detail/chunks/scan_passes.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"

namespace tandem::inline TANDEM_ISA {

/// Forward dynamics by an associative scan of articulated bodies: the ABA with all its recursions, that of the articulated
/// inertias included, divided among lanes, threads and chunks of links.                       docs/algorithms/scan.md
///
/// A run of joints and links, seen through the link before it and through its last link, is an element (two_handle.hpp);
/// elements join by an associative operator, so that all articulated inertias of a robot come out of a scan. Here the scan is
/// cut into chunks: inside a chunk the ABA goes on as ever and gathers the chunk's element on the way, the chunks of a path
/// are joined, in a row or as a tree, and one more pass inside the chunks gives the accelerations.
///
/// In, Out   as ForwardDynamics
/// Frames    inside a chunk all vectors stand along the axes of its base, about each link's own origin; accelerations are
///           classical ones, of material points
/// Trees     paths that hang from a link are gathered before the path it lies on, and bring their inertia and bias force to
///           it; level by level, at most log2 n levels
/// Joints    of any type; in lanes side by side where a path has revolute and prismatic joints, or spherical joints, beyond
///           its first joint; one chunk after the other elsewhere
/// Options   chunk, chunks: links per chunk, chunks per path
/// Work      23 rows per link with one degree of freedom, up to 136 with six; 430 per chunk
/// Cost      about 850 flops per link with one degree of freedom, 3700 per chunk; depth O(links per chunk + log chunks)
/// Errors    none; a singular robot gives infinities or NaN
struct ScanArticulatedBody {
  using Problem = ForwardDynamics;
  static constexpr Method method = Method::scan;
  int chunk = 0, chunks = 0;

  explicit ScanArticulatedBody(const Options& o) : chunk(o.chunk), chunks(o.chunks) {}

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options&) {
    return m.n_mimic == 0 ? nullptr
                          : "mimic joints tie its branches together; articulated_body and composite_rigid_body do";
  }

  /// Chunks of a full group: as many as the widest vector register has lanes. The same on every instruction set.
  template <class S>
  static constexpr int lanes = sizeof(S) == 4 ? 16 : 8;

  template <class M>
  Index work_rows(const ModelView<M>& m) const {
    const ScanPlanner<M> planner(m, chunk, chunks, lanes<M>);
    // integers are no longer than numbers
    return planner.integers() + rows<M>(planner.most_chunks(), planner.slots(), planner.most_rows());
  }
  template <class S, class Engine, class M, class Q, class Qd, class Tau, class Fx, class D, class A>
  void body(const Engine& engine, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, A a, S* w) const {
    static_assert(sizeof(S) >= sizeof(ScanPlan::Int));
    ScanPlanner<M> planner(m, chunk, chunks, lanes<M>);
    const Index integers = planner.integers();
    while (reinterpret_cast<std::uintptr_t>(w) % alignof(Index) != 0) ++w;
    run(OneByOne<Engine>{engine}, engine, planner.plan(w), m, q, v, tau, f_ext, diagonal, a, w + integers);
  }

  /// Rows of scratch memory for a plan made beforehand.
  template <class S>
  static Index rows(const ScanPlan& plan) {
    return rows<S>(plan.n_chunks, plan.n_slots, plan.group_row[plan.n_groups]);
  }
  /// The same with such a plan, and groups carried out by `groups`.
  template <class Groups, class S, class Engine, class M, class Q, class Qd, class Tau, class Fx, class D, class A>
  static void run(const Groups& groups, const Engine& engine, const ScanPlan& plan, const ModelView<M>& m, Q q, Qd v,
                  Tau tau, Fx f_ext, D diagonal, A a, S* w) {
    // lanes want their rows at a multiple of their size
    while (reinterpret_cast<std::uintptr_t>(w) % 64 != 0 && 64 % sizeof(S) == 0) ++w;
    const auto take = [&](Index n) {
      S* p = w;
      w += padded(n);
      return p;
    };
    using Call = ScanCall<S, M, Q, Qd, Tau, Fx, D, A>;
    constexpr Index cache = Index{1} << 24;
    const Index chunks = plan.n_chunks;
    Call call{m,
              plan,
              q,
              v,
              tau,
              f_ext,
              diagonal,
              a,
              plan.group_row[plan.n_groups] * static_cast<Index>(sizeof(S)) > cache,
              take(Call::rows_per_slot * (plan.n_slots + 1)),
              take(12 * chunks),
              take(3 * chunks),
              take(288 * chunks),
              take(96 * chunks),
              take(24 * chunks),
              nullptr};
    call.chunks = w;
    solve(groups, engine, call);
  }

 private:
  static constexpr Index padded(Index n) { return (n + 15) / 16 * 16; }
  template <class S>
  static constexpr Index rows(Index chunks, Index slots, Index of_chunks) {
    return 32 + padded(45 * (slots + 1)) + padded(12 * chunks) + padded(3 * chunks) + padded(288 * chunks) +
           padded(96 * chunks) + padded(24 * chunks) + of_chunks;
  }

  template <class Groups, class Engine, class Call>
  static void solve(const Groups& groups, const Engine& engine, const Call& call) {
    const ScanPlan& plan = call.plan;
    // What chunks keep of their links goes into the next pass. Where it would not stay in the cache until then, only the ends
    // of the chunks are found first, and the links are placed again when they are wanted.
    const bool keep = !call.far;
    engine.for_each(plan.n_groups, [&](Index g) TANDEM_INLINE { groups.place(call, g, keep); });
    for (Index level = 0; level < plan.n_levels; ++level) rotate_bases(call, level);
    for (Index level = plan.n_levels - 1; level >= 0; --level) {
      const Index first = plan.level_group[level], n = plan.level_group[level + 1] - first;
      for_each_backwards(engine, n, [&](Index g) TANDEM_INLINE { groups.gather(call, first + g, keep); });
      for (Index p = plan.level_path[level]; p < plan.level_path[level + 1]; ++p)
        join_path<typename Groups::template Row<typename Call::Number>>(engine, call, p);
    }
    for (Index level = 0; level < plan.n_levels; ++level) {
      for (Index p = plan.level_path[level]; p < plan.level_path[level + 1]; ++p) part_path(engine, call, p);
      const Index first = plan.level_group[level];
      engine.for_each(plan.level_group[level + 1] - first,
                      [&](Index g) TANDEM_INLINE { groups.accelerate(call, first + g); });
    }
  }

  /// How the base of every chunk turns, along its own axes.
  template <class Call>
  static void rotate_bases(const Call& call, Index level) {
    using S = typename Call::Number;
    const ScanPlan& plan = call.plan;
    for (Index p = plan.level_path[level]; p < plan.level_path[level + 1]; ++p) {
      auto w = Vec3<S>::zero();
      if (const auto link = plan.path_link[p]; link != 0) {
        const auto k = plan.slot[link];
        const auto w_0 = load_vec3<S>(call.w_0, 3 * plan.slot_chunk[k]);
        w = load_mat3<S>(call.slot(k), Call::AXES) * (w_0 + load_vec3<S>(call.slot(k), Call::TURNS));
      }
      for (Index c = plan.path_chunk[p]; c < plan.path_chunk[p + 1]; ++c) {
        store(call.w_0, 3 * c, w);
        w = load_mat3<S>(call.ends, 12 * c) * (w + load_vec3<S>(call.ends, 12 * c + 9));
      }
    }
  }

  /// Two neighbouring runs of a path, and what they become; with `ends` nothing hangs from the outboard one.
  struct Join {
    Index inboard, outboard, whole;
    bool ends;
  };
  /// The joins over the chunks of a path, level by level. A few chunks are joined from the end of the path inward, one a
  /// level: of every run only J and eta are wanted then. More chunks make a tree; there level h has count(h) runs, the last
  /// one of which stands for itself where it finds no partner.
  struct JoinTree {
    Index first, chunks, joined;  ///< first chunk of the path, their number, index of the first join among the runs

    TANDEM_HD int height() const {
      if (few()) return static_cast<int>(chunks) - 1;
      int h = 0;
      while (count(h) > 1) ++h;
      return h;
    }
    /// Joins that make the runs of level h out of those of level h - 1.
    TANDEM_HD Index joins(int h) const { return few() ? 1 : count(h - 1) / 2; }
    TANDEM_HD Join join(int h, Index j) const {
      if (few()) return {first + chunks - 1 - h, tail(h - 1), tail(h), true};
      return {run(h - 1, 2 * j), run(h - 1, 2 * j + 1), run(h, j), (j + 1) << h >= chunks};
    }
    TANDEM_HD Index root() const { return few() ? tail(height()) : run(height(), 0); }

   private:
    /// As long as a tree is not faster, not even on two threads.
    TANDEM_HD bool few() const { return chunks <= 32; }
    /// The last h + 1 chunks as one run.
    TANDEM_HD Index tail(int h) const { return h == 0 ? first + chunks - 1 : joined + h - 1; }
    TANDEM_HD Index count(int h) const { return (chunks + (Index{1} << h) - 1) >> h; }
    /// Joins below level h.
    TANDEM_HD Index below(int h) const {
      Index sum = 0;
      for (int k = 1; k < h; ++k) sum += joins(k);
      return sum;
    }
    TANDEM_HD Index run(int h, Index j) const {
      while (h > 0 && 2 * j + 1 >= count(h - 1)) {
        j *= 2;
        --h;
      }
      return h == 0 ? first + j : joined + below(h) + j;
    }
  };
  static JoinTree tree_of(const ScanPlan& plan, Index p) {
    const Index first = plan.path_chunk[p];
    return {first, plan.path_chunk[p + 1] - first, plan.n_chunks + first - p};
  }
  /// Joins are small: a few at a time.
  template <class Engine, class F>
  static void for_each_join(const Engine& engine, Index n, F&& f) {
    constexpr Index at_once = 8;
    engine.for_each((n + at_once - 1) / at_once, [&](Index k) TANDEM_INLINE {
      const Index first = k * at_once;
      for_each_in_part(engine, n - first < at_once ? n - first : at_once, [&](Index j) TANDEM_INLINE { f(first + j); });
    });
  }

  /// Inward: the path as one run; what it brings to the link it hangs from.
  template <class Row, class Engine, class Call>
  static void join_path(const Engine& engine, const Call& call, Index p) {
    using S = typename Call::Number;
    const JoinTree tree = tree_of(call.plan, p);
    for (int h = 1; h <= tree.height(); ++h)
      for_each_join(engine, tree.joins(h), [&](Index j) {
        const Join runs = tree.join(h, j);
        const auto &P = call.rows_of_run(runs.inboard), &Q = call.rows_of_run(runs.outboard);
        auto& between = call.interface(runs.whole - call.plan.n_chunks);
        if (runs.ends)
          join<true, Row>(P, Q, between, call.rows_of_run(runs.whole));
        else
          join<false, Row>(P, Q, between, call.rows_of_run(runs.whole));
      });
    if (const auto link = call.plan.path_link[p]; link != 0) {
      S* slot = call.slot(call.plan.slot[link]);
      const auto& path = call.rows_of_run(tree.root());
      store(slot, Call::J, load_articulated_inertia<S>(slot, Call::J) + path.J());
      store(slot, Call::ETA, load_force<S>(slot, Call::ETA) + path.eta());
    }
  }

  /// Outward: what every chunk of the path has at its handles.
  template <class Engine, class Call>
  static void part_path(const Engine& engine, const Call& call, Index p) {
    using S = typename Call::Number;
    const JoinTree tree = tree_of(call.plan, p);
    const auto link = call.plan.path_link[p];
    const auto a_0 =
        link == 0 ? base_acceleration<S>(call.m) : load_motion<S>(call.slot(call.plan.slot[link]), Call::MOVES);
    store(call.port(tree.root()), Call::A_1, a_0);
    store(call.port(tree.root()), Call::F_2, Force<S>::zero());
    for (int h = tree.height(); h >= 1; --h)
      for_each_join(engine, tree.joins(h), [&](Index j) {
        const auto [inboard, outboard, whole, ends] = tree.join(h, j);
        const auto& between = call.interface(whole - call.plan.n_chunks);
        const auto a_1 = load_motion<S>(call.port(whole), Call::A_1);
        const auto f_2 = load_force<S>(call.port(whole), Call::F_2);
        const auto& Q = call.rows_of_run(outboard);
        const auto a =
            ends ? between.template acceleration<true>(a_1, f_2) : between.template acceleration<false>(a_1, f_2);
        store(call.port(inboard), Call::A_1, a_1);
        store(call.port(inboard), Call::F_2,
              ends ? Q.template wrench_at_handle_1<true>(a, f_2) : Q.template wrench_at_handle_1<false>(a, f_2));
        store(call.port(outboard), Call::A_1, a);
        store(call.port(outboard), Call::F_2, f_2);
      });
  }
};

}  // namespace tandem::inline TANDEM_ISA
