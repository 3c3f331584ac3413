// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/executors/executor.hpp"
#include "tandem/detail/executors/scan.hpp"

namespace tandem::inline TANDEM_ISA {

/// What methods that go along one chain do with its chunks: passes over their links, a few operations with what is
/// known of each chunk, and scans of that, in place. A call has for_each_chunk(groups, executor, f) and
/// scan<kind>(executor, op, elements).
template <class Groups, class Executor, class Call>
struct ChunkPasses {
  const Groups& groups;
  const Executor& executor;
  const Call& call;

  /// Calls f(lane) until all links are done.
  template <class F>
  TANDEM_HD void over_links(F&& f) const {
    call.for_each_chunk(groups, executor, f);
  }
  /// Calls f(c) for all chunks.
  template <class F>
  TANDEM_HD void over_chunks(F&& f) const {
    in_small_parts(executor).for_each(call.plan.n_chunks, f);
  }
  /// In place of each element what all before it combine to.
  template <class Op>
  TANDEM_HD void scan(const Op& op, ElementOf<Op>* elements) const {
    call.template scan<Scan::exclusive_prefix>(in_small_parts(executor), op, elements);
  }
  /// And what all beyond it do.
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
