// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/chunks/scan_plan.hpp"
#include "tandem/detail/engines/scan.hpp"
#include "tandem/detail/methods/all_pairs.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::inline TANDEM_ISA {

/// Mass matrix by a scan of composite inertias.
///
/// Method    stage A of [Amin-Javaheri] as one suffix scan: element (X, I), combined by
///           I_P + X_P^T I_Q X_P; a prefix scan places the links; then all pairs of axes meet directly (all_pairs.hpp),
///           instead of stage B's log n levels of moved forces
/// In, out   those of mass_matrix
/// Joints    every type. Armature is on the diagonal
/// Trees     paths are scanned, level by level: inward, each brings its composite inertia to the link that it hangs from;
///           outward, each begins where that link is. Axes of which neither carries the other have 0
/// Work      34 rows per link, 13 per degree of freedom and what its plan takes     Cost O(n^2)
/// Depth     `chunk` combinations and 2 log2 (n / chunk), twice, and one block of all pairs: O(log n) where every chunk, link
///           and block has a processor; on trees that for each of at most log2 n levels
/// Errors    none; a NaN stays in its own state
struct CompositeScan {
  using Problem = MassMatrix;
  static constexpr Method method = Method::composite_scan;
  int chunk = 256;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options&) {
    return m.n_mimic == 0 ? nullptr : "joints that follow others; composite_rigid_body serves them";
  }

  template <class S>
  using Composite = InwardRun<S, Inertia>;
  static constexpr Index pose = rows_of<Transform<double>>, composite = rows_of<Composite<double>>;

  template <class M>
  Index work_rows(const ModelView<M>& m) const {
    Arena arena;
    ScanPlanner<M> planner(m, cut());
    planner.lay_out(arena);
    Memory<M>(arena, m, chunk, planner.slots());
    return arena.rows<M>();
  }

  template <class S, class Engine, class M, class Q, class Matrix>
  void body(const Engine& engine, const ModelView<M>& m, Q q, Matrix H, S* w) const {
    const Index n = m.n_links - 1;
    if (n == 0) return;
    Arena arena(w);
    ScanPlanner<M> planner(m, cut());
    planner.lay_out(arena);
    const ScanPlan plan = planner.plan();
    const Memory<S> of(arena, m, chunk, plan.n_slots);
    const auto poses = records<Transform<S>>(of.poses);
    const auto runs = records<Composite<S>>(of.runs);
    const auto slot_of = [&](Index link) TANDEM_INLINE { return plan.n_slots > 0 ? Index{plan.slot[link]} : 0; };

    // the joint at a position carries the link there; its composite element reaches to the start of the next one
    engine.for_each(n, [&](Index k) TANDEM_INLINE {
      const int i = plan.link_at(k);
      on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE { poses.store(k, joint_transform<S>(joint, m, i, q)); });
      if (const Index s = slot_of(i)) of.slots[s] = {k, Inertia<S>::zero()};
    });
    for (Index level = plan.n_levels - 1; level >= 0; --level) {
      scan_paths<Scan::inclusive_suffix>(
          engine, plan, level, Inward<S, Inertia>(),
          [&](const Path& path, Index k) TANDEM_INLINE {
            const int i = plan.link_at(k);
            const auto X = k + 1 < path.end ? poses.load(k + 1) : Transform<S>::identity();
            const auto I = link_inertia<S>(m, i);
            const Index s = slot_of(i);
            return Composite<S>{X, s == 0 ? I : I + of.slots[s].brought};
          },
          runs, records<Composite<S>>(of.totals));
      if (level == 0) continue;
      for (Index p = plan.level_path[level]; p < plan.level_path[level + 1]; ++p) {
        const Index head = Path(plan, p).begin;
        auto& slot = of.slots[plan.slot[plan.path_link[p]]];
        slot.brought = slot.brought + transpose_mul(poses.load(head), runs.load(head).b);
      }
    }
    for (Index level = 0; level < plan.n_levels; ++level)
      scan_paths<Scan::inclusive_prefix>(
          engine, plan, level, Product<Transform<S>>(),
          [&](const Path& path, Index k) TANDEM_INLINE {
            const auto X = poses.load(k);
            return k == path.begin && level > 0 ? X * poses.load(of.slots[plan.slot[path.link]].position) : X;
          },
          poses, records<Transform<S>>(of.totals));

    engine.for_each(n, [&](Index position) TANDEM_INLINE {
      const int i = plan.link_at(position);
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
    AllPairs::fill_in<S>(engine, m.n_dof, of.pairs, m.armature, H, of.ends);
  }

 private:
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
  /// The positions of a path, and the link that it hangs from.
  struct Path {
    Index begin, end, link;
    Path(const ScanPlan& plan, Index p)
        : begin(plan.chunk[plan.path_chunk[p]]), end(plan.chunk[plan.path_chunk[p + 1]]), link(plan.path_link[p]) {}
  };
  /// Paths alone: of no consequence here where they are cut.
  static ScanCut cut() {
    ScanCut cut;
    cut.rows = [](int, int) { return Index{0}; };
    cut.chunks = 1;
    return cut;
  }

  /// A scan of load(path, position) along every path of a level.
  template <Scan kind, class Engine, class Op, class Load, class Results, class Totals>
  void scan_paths(const Engine& engine, const ScanPlan& plan, Index level, const Op& op, const Load& load,
                  const Results& results, const Totals& totals) const {
    const auto on_path = [&](Index p, auto&& f) TANDEM_INLINE {
      const Path path(plan, p);
      f(
          path.end - path.begin, [&, path](Index j) TANDEM_INLINE { return load(path, path.begin + j); },
          From<Results>{results, path.begin});
    };
    plan.for_each_path(
        engine, level,
        [&](Index p) TANDEM_INLINE {
          const Path path(plan, p);
          return path.end - path.begin > chunk;
        },
        [&](Index p) TANDEM_INLINE {
          on_path(p, [&](Index n, const auto& of_path, const auto& to)
                         TANDEM_INLINE { scan_range(InScanOrder<kind, Op>{op, n}, 0, n, of_path, to); });
        },
        [&](Index p) TANDEM_INLINE {
          on_path(p, [&](Index n, const auto& of_path, const auto& to)
                         TANDEM_INLINE { scan_chunked<kind>(engine, op, n, chunk, of_path, to, totals); });
        });
  }
  /// Records from one on.
  template <class Records>
  struct From {
    const Records& records;
    Index begin;
    auto load(Index i) const { return records.load(begin + i); }
    template <class T>
    void store(Index i, const T& x) const {
      records.store(begin + i, x);
    }
  };
};

}  // namespace tandem::inline TANDEM_ISA
