// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/executors/executor.hpp"
#include "tandem/detail/executors/scan.hpp"

namespace tandem::inline TANDEM_ISA {

/// Steps of methods that divide one chain into chunks: passes over links, a few operations per chunk, and scans over
/// chunks, in place. A call has for_each_chunk(groups, executor, f) and scan<kind>(executor, op, elements).
template <class Groups, class Executor, class Call>
struct ChunkPasses {
  const Groups& groups;
  const Executor& executor;
  const Call& call;

  /// Calls f(lane) for all chunks.
  template <class F>
  TANDEM_HD void over_links(F&& f) const {
    call.for_each_chunk(groups, executor, f);
  }
  /// Calls f(c) for all chunks c.
  template <class F>
  TANDEM_HD void over_chunks(F&& f) const {
    in_small_parts(executor).for_each(call.plan.n_chunks, f);
  }
  /// Replaces each element by the combination of all before it.
  template <class Op>
  TANDEM_HD void scan(const Op& op, ElementOf<Op>* elements) const {
    call.template scan<Scan::exclusive_prefix>(in_small_parts(executor), op, elements);
  }
  /// Replaces each element by the combination of all after it.
  template <class Op>
  TANDEM_HD void scan_back(const Op& op, ElementOf<Op>* elements) const {
    call.template scan<Scan::exclusive_suffix>(in_small_parts(executor), op, elements);
  }
};
template <class Groups, class Executor, class Call>
TANDEM_HD ChunkPasses<Groups, Executor, Call> chunk_passes(const Groups& groups, const Executor& executor,
                                                           const Call& call) {
  return {groups, executor, call};
}

}  // namespace tandem::inline TANDEM_ISA
