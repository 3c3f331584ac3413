// SPDX-License-Identifier: Apache-2.0
/// What blocks do for the paths of a tree.
#pragma once
#include "backends/cuda/links/block_scan.hpp"
#include "backends/cuda/links/work.hpp"

namespace tandem::cuda {

/// By one block: f(path, its place, the chunk of the link that it hangs from) for all that hang from links, level by
/// level outward.
template <class ThreadBlock, class T, class F>
TANDEM_BLOCK void for_each_hanging(const ScanShape<T>& shape, F&& f) {
  for (int level = 1; level < shape.n_levels; ++level) {
    for (int p = shape.level_path[level] + ThreadBlock::thread(); p < shape.level_path[level + 1];
         p += ThreadBlock::threads()) {
      const PathPlace& path = shape.path[p];
      f(p, path, shape.chunk[path.carrier]);
    }
    ThreadBlock::sync();
  }
}

/// After a scan inward over the chunks of a block: what lies behind each block of a long path, by the last of them to
/// finish, and what whole paths bring to the links that they hang from.
template <class ThreadBlock, class T, template <class> class B>
TANDEM_BLOCK void hand_in(const Work<ThreadBlock, T>& work, int slot, const ChunkPlace& chunk,
                          const InwardRun<T, B>& run, InwardRun<T, B>* totals, InwardRun<T, B>* behind, B<T>* brought,
                          InwardRun<T, B>* memory) {
  const ScanShape<T>& shape = work.shape();
  const BlockPlace block = shape.block[work.block];
  if (block.path < 0) {
    if (chunk.steps > 0 && slot == chunk.first && shape.path[chunk.path].slot != 0) brought[chunk.path] = run.b;
    return;
  }
  if (slot == 0) totals[work.block] = run;
  const PathPlace path = shape.path[block.path];
  if (!ThreadBlock::is_last(work.state.scratch.counters + block.path, path.blocks)) return;
  totals += path.first_block;
  behind += path.first_block;
  scan_blocks<ThreadBlock>(Backwards<Inward<T, B>>(), path.blocks, totals, behind, memory, true);
  if (path.slot == 0) return;
  ThreadBlock::sync();
  if (ThreadBlock::thread() != 0) return;
  const auto head = fresh_record<ThreadBlock>(totals);
  brought[block.path] = head.b + transpose_mul(head.X, behind[0].b);
}

}  // namespace tandem::cuda
