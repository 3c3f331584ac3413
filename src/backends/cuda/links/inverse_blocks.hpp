// SPDX-License-Identifier: Apache-2.0
/// Blocks of the kernels of inverse dynamics by scan.
///
///   move     outward: motion of the end of every chunk relative to its start, scanned over the chunks of a block, and
///            over the blocks of a path by its last block
///   start    motions of the parent links of paths, level by level
///   push     inward, level by level: inertial forces of the links and forces of child paths, and their sum at the
///            start of the chunk, scanned inward
///   torque   inward: joint torques
#pragma once
#include "backends/cuda/links/inverse_lanes.hpp"
#include "backends/cuda/links/paths.hpp"

namespace tandem::cuda {

/// Bytes of shared memory.
template <class T>
TANDEM_HD std::size_t inverse_memory(const ScanShape<T>& shape) {
  return sizeof(JetRun<T>) * static_cast<std::size_t>(shape.threads);
}

template <class ThreadBlock, class T, LaneKind kind>
TANDEM_BLOCK void move(const ScanCallOnDevice<T>& call, const Launch& launch) {
  const Work<ThreadBlock, T> work(call, launch);
  const ScanShape<T>& shape = work.shape();
  const ScanScratch<T>& scratch = work.state.scratch;
  auto* const memory = reinterpret_cast<JetRun<T>*>(ThreadBlock::shared());
  ChunkPlace chunk = {};
  if (ThreadBlock::thread() < shape.slots) chunk = shape.chunk[work.slot()];
  auto run = Jet<T>::identity();
  if (chunk.steps > 0) {
    using Lane = InverseLaneOnDevice<T, kind>;
    Lane lane(work.state, work.slot(), chunk);
    run = JetChunk<Lane>{lane}.move();
  }
  run = scan_of_block<ThreadBlock>(Jet<T>(), run, chunk.first, memory);
  if (chunk.steps > 0) scratch.jet[work.slot()] = run;
  const BlockPlace block = shape.block[work.block];
  if (block.path < 0) return;
  if (ThreadBlock::thread() == chunk.end - 1) scratch.jet_total[work.block] = run;
  const PathPlace path = shape.path[block.path];
  if (ThreadBlock::is_last(scratch.counters + block.path, path.blocks))
    scan_blocks<ThreadBlock>(Jet<T>(), path.blocks, scratch.jet_total + path.first_block,
                             scratch.jet_before + path.first_block, memory);
}

/// How the start of a slot's chunk moves.
template <class T>
TANDEM_HD LinkCoordinates::Start<T> start_of(const ScanCallOnDevice<T>& call, const ScanScratch<T>& scratch, Index slot,
                                             const ChunkPlace& chunk) {
  const PathPlace& path = call.shape.path[chunk.path];
  const Index block = slot / call.shape.slots;
  LinkCoordinates::Start<T> start = {Motion<T>::zero(), base_acceleration<T>(call.m)};
  if (path.slot != 0) start = {scratch.starts[chunk.path].v, scratch.starts[chunk.path].a};
  if (path.blocks > 1) start = LinkCoordinates::end_of(scratch.jet_before[block], start);
  if (slot % call.shape.slots != chunk.first) start = LinkCoordinates::end_of(scratch.jet[slot - 1], start);
  return start;
}
/// One block for a state.
template <class ThreadBlock, class T>
TANDEM_BLOCK void start(const ScanCallOnDevice<T>& call) {
  const StateOfCall<T> state(call, ThreadBlock::block());
  for_each_hanging<ThreadBlock>(call.shape, [&](int p, const PathPlace& path, const ChunkPlace& chunk) TANDEM_INLINE {
    const auto of_link =
        LinkCoordinates::end_of(state.scratch.ways[path.slot], start_of(call, state.scratch, path.carrier, chunk));
    state.scratch.starts[p] = {of_link.v, of_link.a};
  });
}

/// Threads have the slots from the last one on.
template <class ThreadBlock, class T, LaneKind kind>
TANDEM_BLOCK void push(const ScanCallOnDevice<T>& call, const Launch& launch) {
  using Run = InwardRun<T, Force>;
  using Op = Backwards<Inward<T, Force>>;
  const Work<ThreadBlock, T> work(call, launch);
  const ScanShape<T>& shape = work.shape();
  const ScanScratch<T>& scratch = work.state.scratch;
  auto* const memory = reinterpret_cast<Run*>(ThreadBlock::shared());
  const int own = shape.slots - 1 - ThreadBlock::thread();
  const Index slot = Index{work.block} * shape.slots + own;
  ChunkPlace chunk = {};
  if (own >= 0) chunk = shape.chunk[slot];
  Run run = Inward<T, Force>::identity();
  if (chunk.steps > 0) {
    const auto start = start_of(call, scratch, slot, chunk);
    using Lane = InverseLaneOnDevice<T, kind>;
    Lane lane(work.state, slot, chunk);
    run = JetChunk<Lane>{lane}.push(start.v, start.a);
  }
  run = scan_of_block<ThreadBlock>(Op(), run, shape.slots - chunk.end, memory);
  if (chunk.steps > 0) scratch.force[slot] = run;
  hand_in<ThreadBlock>(work, own, chunk, run, scratch.force_total, scratch.force_behind, scratch.contributions, memory);
}

template <class ThreadBlock, class T, LaneKind kind>
TANDEM_BLOCK void torque(const ScanCallOnDevice<T>& call, const Launch& launch) {
  const Work<ThreadBlock, T> work(call, launch);
  const ScanShape<T>& shape = work.shape();
  const ScanScratch<T>& scratch = work.state.scratch;
  if (ThreadBlock::thread() >= shape.slots) return;
  const Index slot = work.slot();
  const ChunkPlace chunk = shape.chunk[slot];
  if (chunk.steps == 0) return;
  Force<T> f = shape.block[work.block].path >= 0 ? scratch.force_behind[work.block].b : Force<T>::zero();
  if (ThreadBlock::thread() + 1 < chunk.end)
    f = scratch.force[slot + 1].b + transpose_mul(scratch.force[slot + 1].X, f);
  using Lane = InverseLaneOnDevice<T, kind>;
  Lane lane(work.state, slot, chunk);
  JetChunk<Lane>{lane}.gather(f);
}

}  // namespace tandem::cuda
