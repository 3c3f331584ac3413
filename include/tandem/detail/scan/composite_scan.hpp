// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/executors/scan.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"
#include "tandem/detail/scan/all_pairs.hpp"
#include "tandem/detail/scan/scan_plan.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::inline TANDEM_ISA {

/// Mass matrix by a scan of composite inertias.
///
/// Method    stage A of [Amin-Javaheri] as one suffix scan: element (X, I), combined by
///           I_P + X_P^T I_Q X_P; a prefix scan places the links; then all pairs of axes meet directly (all_pairs.hpp),
///           instead of stage B's log n levels of moved forces
/// In, out   those of mass_matrix
/// Joints    every type. Armature is on the diagonal
/// Trees     paths are scanned, level by level: inward, each adds its composite inertia to its parent link; outward,
///           each begins at the pose of its parent link. Axes on different branches have 0
/// Work      34 rows per link, 13 per degree of freedom and those of its plan     Cost O(n^2)
/// Depth     `chunk` combinations and 2 log2 (n / chunk), twice, and one block of all pairs: O(log n) if every
///           chunk, link and block has a processor; on trees that for each of at most log2 n levels
/// Errors    none; a NaN stays in its own state
struct CompositeScan {
  using Problem = MassMatrix;
  static constexpr Method method = Method::composite_scan;
  int chunk = 256;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options&) {
    return m.n_mimic == 0 ? nullptr : "it has mimic joints; use composite_rigid_body";
  }

  template <class S>
  using Composite = InwardRun<S, Inertia>;
  static constexpr Index pose = rows_of<Transform<double>>, composite = rows_of<Composite<double>>;

  template <class M>
  Index work_rows(const ModelView<M>& m) const {
    Arena arena;
    Index slots = 0;
    if (!is_chain(m)) {
      ScanPlanner<M> planner(m, cut());
      planner.lay_out(arena);
      slots = planner.slots();
    }
    Memory<M>(arena, m, chunk, slots);
    return arena.rows<M>();
  }

  template <class S, class Executor, class M, class Q, class Matrix>
  void body(const Executor& executor, const ModelView<M>& m, Q q, Matrix H, S* w) const {
    if (m.n_links < 2) return;
    Arena arena(w);
    if (is_chain(m)) return fill<S>(executor, m, q, H, Chain{m.n_links - 1}, arena);
    ScanPlanner<M> planner(m, cut());
    planner.lay_out(arena);
    fill<S>(executor, m, q, H, Tree{planner.plan()}, arena);
  }

 private:
  /// How the links of a robot stand in paths: the link at a position, the number of one that carries further paths, or
  /// 0, and the paths of each level: positions begin .. end - 1 of links, of which each carries the next, and the link
  /// that carries the first. A chain is known to the compiler.
  struct Chain {
    Index n;
    static constexpr Index n_levels = 1, n_slots = 0;
    int link_at(Index position) const { return static_cast<int>(position) + 1; }
    Index slot_of(Index) const { return 0; }
    Index first(Index) const { return 0; }
    Index end(Index) const { return 1; }
    struct Path {
      Index end;
      static constexpr Index begin = 0, link = 0;
    };
    Path path(Index) const { return {n}; }
    template <class Records>
    const Records& on(const Path&, const Records& records) const {
      return records;
    }
    template <class Executor, class IsLong, class Alone, class Together>
    void for_each_path(const Executor&, Index, const IsLong&, const Alone&, const Together& together) const {
      together(0);
    }
  };
  /// Records from one on.
  template <class Records>
  struct From {
    const Records& records;
    Index begin;
    TANDEM_HD auto load(Index i) const { return records.load(begin + i); }
    template <class T>
    TANDEM_HD void store(Index i, const T& x) const {
      records.store(begin + i, x);
    }
  };
  struct Tree {
    ScanPlan plan;
    Index n_levels = plan.n_levels, n_slots = plan.n_slots;
    int link_at(Index position) const { return plan.link[position]; }
    Index slot_of(Index link) const { return plan.slot[link]; }
    Index first(Index level) const { return plan.level_path[level]; }
    Index end(Index level) const { return plan.level_path[level + 1]; }
    struct Path {
      Index begin, end, link;
    };
    Path path(Index p) const {
      return {plan.chunk[plan.path_chunk[p]], plan.chunk[plan.path_chunk[p + 1]], plan.path_link[p]};
    }
    template <class Records>
    From<Records> on(const Path& path, const Records& records) const {
      return {records, path.begin};
    }
    template <class... Parts>
    void for_each_path(const Parts&... parts) const {
      plan.for_each_path(parts...);
    }
  };
  /// Paths alone: of no consequence here where they are cut.
  static ScanCut cut() {
    ScanCut cut;
    cut.rows = [](int, int) { return Index{0}; };
    cut.chunks = 1;
    return cut;
  }

  /// What is known of a link that carries paths.
  template <class S>
  struct Slot {
    Index position;
    Inertia<S> brought;
  };
  template <class S>
  struct Memory {
    S *poses, *runs, *totals, *pairs;
    Slot<S>* slots;                 ///< [n_slots + 1]
    AllPairs::Int* ends = nullptr;  ///< [n_dof] of trees

    template <class M>
    Memory(Arena& arena, const ModelView<M>& m, Index chunk, Index n_slots) {
      const Index n = m.n_links - 1;
      arena.take(pose * n, poses);
      arena.take(composite * n, runs);
      arena.take((pose + composite) * chunks_of(n, chunk), totals);
      arena.take(AllPairs::work_rows(m.n_dof), pairs);
      arena.take(n_slots + 1, slots);
      if (!is_chain(m)) arena.take(m.n_dof, ends);
    }
  };

  template <class S, class Executor, class M, class Q, class Matrix, class Robot>
  void fill(const Executor& executor, const ModelView<M>& m, Q q, Matrix H, const Robot& robot, Arena arena) const {
    const Index n = m.n_links - 1;
    const Memory<S> of(arena, m, chunk, robot.n_slots);
    const auto poses = records<Transform<S>>(of.poses);
    const auto runs = records<Composite<S>>(of.runs);

    // the joint at a position carries the link there; its composite element reaches to the start of the next one
    executor.for_each(n, [&](Index k) TANDEM_INLINE {
      const int i = robot.link_at(k);
      on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE { poses.store(k, joint_transform<S>(joint, m, i, q)); });
      if (const Index s = robot.slot_of(i)) of.slots[s] = {k, Inertia<S>::zero()};
    });
    for (Index level = robot.n_levels - 1; level >= 0; --level) {
      scan_paths<Scan::inclusive_suffix>(
          executor, robot, level, Inward<S, Inertia>(),
          [&](const auto& path, Index k) TANDEM_INLINE {
            const int i = robot.link_at(k);
            const auto X = k + 1 < path.end ? poses.load(k + 1) : Transform<S>::identity();
            const auto I = link_inertia<S>(m, i);
            const Index s = robot.slot_of(i);
            return Composite<S>{X, s == 0 ? I : I + of.slots[s].brought};
          },
          runs, records<Composite<S>>(of.totals));
      for (Index p = robot.first(level); level > 0 && p < robot.end(level); ++p) {
        const auto path = robot.path(p);
        auto& slot = of.slots[robot.slot_of(path.link)];
        slot.brought = slot.brought + transpose_mul(poses.load(path.begin), runs.load(path.begin).b);
      }
    }
    for (Index level = 0; level < robot.n_levels; ++level)
      scan_paths<Scan::inclusive_prefix>(
          executor, robot, level, Product<Transform<S>>(),
          [&](const auto& path, Index k) TANDEM_INLINE {
            const auto X = poses.load(k);
            return k > path.begin || path.link == 0 ? X : X * poses.load(of.slots[robot.slot_of(path.link)].position);
          },
          poses, records<Transform<S>>(of.totals));

    executor.for_each(n, [&](Index position) TANDEM_INLINE {
      const int i = robot.link_at(position);
      const auto X_iw = poses.load(position);
      const auto I_i = runs.load(position).b;
      on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        for (int k = 0; k < decltype(joint)::nv; ++k) {
          const auto F = momentum_of_axis(I_i, X_iw.E, joint, k);
          AllPairs::dof(m.n_dof, m.dof_index[i] + k, of.pairs)
              .store(0, {along_world_axes(X_iw, joint.template axis<S>(k)), X_iw.r, F});
        }
      });
    });
    if (of.ends) AllPairs::find_ends(m, of.ends);
    AllPairs::fill_in<S>(executor, m.n_dof, of.pairs, m.armature, H, of.ends);
  }

  /// A scan of load(path, position) along every path of a level.
  template <Scan kind, class Executor, class Robot, class Op, class Load, class Results, class Totals>
  void scan_paths(const Executor& executor, const Robot& robot, Index level, const Op& op, const Load& load,
                  const Results& results, const Totals& totals) const {
    const auto on_path = [&](Index p, auto&& f) TANDEM_INLINE {
      const auto path = robot.path(p);
      f(
          path.end - path.begin, [&, path](Index j) TANDEM_INLINE { return load(path, path.begin + j); },
          robot.on(path, results));
    };
    robot.for_each_path(
        executor, level, [&](Index p) TANDEM_INLINE { return robot.path(p).end - robot.path(p).begin > chunk; },
        [&](Index p) TANDEM_INLINE {
          on_path(p, [&](Index n, const auto& of_path, const auto& to)
                         TANDEM_INLINE { scan_range(InScanOrder<kind, Op>{op, n}, 0, n, of_path, to); });
        },
        [&](Index p) TANDEM_INLINE {
          on_path(p, [&](Index n, const auto& of_path, const auto& to)
                         TANDEM_INLINE { scan_chunked<kind>(executor, op, n, chunk, of_path, to, totals); });
        });
  }
};

}  // namespace tandem::inline TANDEM_ISA
