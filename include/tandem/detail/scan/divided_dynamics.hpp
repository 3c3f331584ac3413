// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/divided_product.hpp"
#include "tandem/detail/scan/scan_articulated_body.hpp"

namespace tandem::inline TANDEM_ISA {

/// f(0) .. f(n - 1), a few operations each.
template <class Executor, class F>
void for_each_row(const Executor& executor, Index n, F&& f) {
  constexpr Index block = 4096;
  executor.for_each((n + block - 1) / block, [&](Index b) TANDEM_INLINE {
    for (Index k = b * block; k < n && k < (b + 1) * block; ++k) f(k);
  });
}

/// What methods share that solve for accelerations of a chain in chunks before and after passes over the same chunks:
/// twice with the same articulated bodies, which stay in memory.
template <class Method_, class Passes_>
struct DividedDynamics : DividedProduct<Method_, Passes_> {
  using Passes = Passes_;
  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options&) {
    return DividedProduct<Method_, Passes_>::refusal(
        m, "it has mimic joints, which couple its branches; use articulated_body",
        "it has branches, and the method is for chains; use articulated_body");
  }
  static Index rows_of_chunk(int dof, int steps) {
    const Index solve = ScanArticulatedBody::rows_of_chunk(dof, steps), passes = Passes::rows_of_chunk(dof, steps);
    return solve > passes ? solve : passes;
  }
  template <class M>
  ScanCut cut(const ModelView<M>& m) const {
    ScanCut cut = DividedProduct<Method_, Passes_>::cut(m);
    cut.rows = rows_of_chunk;
    return cut;
  }
  template <class M>
  Index work_rows(const ModelView<M>& m) const {
    Arena arena;
    ScanPlanner<M> planner(m, cut(m));
    planner.lay_out(arena);
    arena.take<M>(m.nv);
    return rows<M>(arena, planner.most_chunks(), planner.slots(), planner.most_rows());
  }
  /// Rows of scratch memory for a plan made beforehand.
  template <class S>
  static Index rows(const ScanPlan& plan) {
    Index dofs = 0;  // at most
    for (Index g = 0; g < plan.n_groups; ++g)
      dofs += Index{plan.group_dof[g]} * (plan.chunk[plan.group_chunk[g + 1]] - plan.chunk[plan.group_chunk[g]]);
    Arena arena;
    arena.take<S>(dofs);
    return rows<S>(arena, plan.n_chunks, plan.n_slots, plan.group_row[plan.n_groups]);
  }

 protected:
  /// What is left of the arena beyond the articulated bodies.
  template <class S>
  static Arena beyond_articulated_bodies(Arena arena, const ScanPlan& plan) {
    articulated_bodies<S>(arena, plan.n_chunks, plan.n_slots, plan.group_row[plan.n_groups]);
    return arena;
  }

 private:
  template <class S>
  static Index rows(const Arena& arena, Index chunks, Index slots, Index group_rows) {
    Arena all = arena;
    articulated_bodies<S>(all, chunks, slots, group_rows);
    [[maybe_unused]] const typename Passes::template Memory<S> passes(all, chunks, group_rows);
    return all.rows<S>();
  }
  template <class S>
  static void articulated_bodies(Arena& arena, Index chunks, Index slots, Index group_rows) {
    [[maybe_unused]] const ScanMemory<S> solve(arena, chunks, slots, group_rows);
  }
};

}  // namespace tandem::inline TANDEM_ISA
