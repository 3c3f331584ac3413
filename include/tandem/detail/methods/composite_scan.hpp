// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/chunks/scan_plan.hpp"
#include "tandem/detail/engines/scan.hpp"
#include "tandem/detail/methods/all_pairs.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::inline TANDEM_ISA {

/// Mass matrix of a chain by a scan of composite inertias.
///
/// Method    stage A of [Amin-Javaheri] as one suffix scan: element (X, I), combined by
///           I_P + X_P^T I_Q X_P; a prefix scan places the links; then all pairs of axes meet directly (all_pairs.hpp),
///           instead of stage B's log n levels of moved forces
/// In, out   those of mass_matrix
/// Joints    every type; chains only. Armature is on the diagonal
/// Work      34 rows per link, 13 per degree of freedom     Cost O(n^2)
/// Depth     `chunk` combinations and 2 log2 (n / chunk), twice, and one block of all pairs: O(log n) where every chunk, link
///           and block has a processor
/// Errors    none; a NaN stays in its own state
struct CompositeScan {
  using Problem = MassMatrix;
  static constexpr Method method = Method::composite_scan;
  int chunk = 256;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options&) {
    if (m.n_mimic != 0) return "joints that follow others; composite_rigid_body serves them";
    if (!is_chain(m)) return "it has branches, and scans go along a chain; composite_rigid_body does";
    return nullptr;
  }

  template <class S>
  using Composite = InwardRun<S, Inertia>;
  static constexpr Index pose = rows_of<Transform<double>>, composite = rows_of<Composite<double>>;

  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    const Index n = m.n_links - 1;
    return (pose + composite) * (n + chunks_of(n, chunk)) + AllPairs::work_rows(m.n_dof);
  }

  template <class S, class Engine, class M, class Q, class Matrix, class Work>
  TANDEM_HD void body(const Engine& engine, const ModelView<M>& m, Q q, Matrix H, Work w) const {
    const Index n = m.n_links - 1, chunks = chunks_of(n, chunk);
    if (n == 0) return;
    const auto poses = records<Transform<S>>(w);
    const auto runs = records<Composite<S>>(w + pose * n);
    const auto totals = w + (pose + composite) * n;
    const auto pairs = totals + (pose + composite) * chunks;

    // joint j + 1 carries link j + 1; element j of the composite scan reaches to the start of element j + 1
    engine.for_each(n, [&](Index j) TANDEM_INLINE {
      const int i = static_cast<int>(j) + 1;
      on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE { poses.store(j, joint_transform<S>(joint, m, i, q)); });
    });
    scan_chunked<Scan::inclusive_suffix>(
        engine, Inward<S, Inertia>(), n, chunk,
        [&](Index j) TANDEM_INLINE {
          const auto X = j + 1 < n ? poses.load(j + 1) : Transform<S>::identity();
          return Composite<S>{X, link_inertia<S>(m, static_cast<int>(j) + 1)};
        },
        runs, records<Composite<S>>(totals));
    scan_chunked<Scan::inclusive_prefix>(
        engine, Product<Transform<S>>(), n, chunk, [&](Index j) TANDEM_INLINE { return poses.load(j); }, poses,
        records<Transform<S>>(totals));

    engine.for_each(n, [&](Index j) TANDEM_INLINE {
      const int i = static_cast<int>(j) + 1;
      const auto X_iw = poses.load(j);
      const auto I_i = runs.load(j).b;
      on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        for (int k = 0; k < decltype(joint)::nv; ++k) {
          const auto F = momentum_of_axis(I_i, X_iw.E, joint, k);
          AllPairs::dof(m.n_dof, m.dof_index[i] + k, pairs)
              .store(0, {along_world_axes(X_iw, joint.template axis<S>(k)), X_iw.r, F});
        }
      });
    });
    AllPairs::fill_in<S>(engine, m.n_dof, pairs, m.armature, H);
  }
};

}  // namespace tandem::inline TANDEM_ISA
