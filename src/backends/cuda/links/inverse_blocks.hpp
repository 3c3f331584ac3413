// SPDX-License-Identifier: Apache-2.0
/// What the blocks of the kernels of inverse dynamics by scan do.
///
///   move     outward: how every chunk's end moves against its start; scanned over the chunks of a block, by the last block of a
///            path over its blocks
///   start    how the links move that paths hang from, level by level
///   push     inward, level by level: the forces that the links' motion takes and their paths bring, and their sum at the
///            chunk's start; scanned inward likewise
///   torque   inward: the torques
#pragma once
#include "backends/cuda/links/inverse_lanes.hpp"
#include "backends/cuda/links/paths.hpp"

namespace tandem::cuda {

/// Bytes of shared memory.
template <class T>
TANDEM_HD std::size_t inverse_memory(const ScanShape<T>& shape) {
  return sizeof(JetRun<T>) * static_cast<std::size_t>(shape.threads);
}

template <class Machine, class T, LaneKind kind>
TANDEM_BLOCK void move(const ScanCallOnDevice<T>& call, const Launch& launch) {
  const Work<Machine, T> work(call, launch);
  const ScanShape<T>& shape = work.shape();
  const ScanScratch<T>& scratch = work.state.scratch;
  auto* const memory = reinterpret_cast<JetRun<T>*>(Machine::shared());
  ChunkPlace chunk = {};
  if (Machine::thread() < shape.slots) chunk = shape.chunk[work.slot()];
  auto run = Jet<T>::identity();
  if (chunk.steps > 0) {
    using Lane = InverseLaneOnDevice<T, kind>;
    Lane lane(work.state, work.slot(), chunk);
    run = JetChunk<Lane>{lane}.move();
  }
  run = scan_of_block<Machine>(Jet<T>(), run, chunk.first, memory);
  if (chunk.steps > 0) scratch.jet[work.slot()] = run;
  const BlockPlace block = shape.block[work.block];
  if (block.path < 0) return;
  if (Machine::thread() == chunk.end - 1) scratch.jet_total[work.block] = run;
  const PathPlace path = shape.path[block.path];
  if (Machine::is_last(scratch.counters + block.path, path.blocks))
    scan_blocks<Machine>(Jet<T>(), path.blocks, scratch.jet_total + path.first_block,
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
template <class Machine, class T>
TANDEM_BLOCK void start(const ScanCallOnDevice<T>& call) {
  const StateOfCall<T> state(call, Machine::block());
  for_each_hanging<Machine>(call.shape, [&](int p, const PathPlace& path, const ChunkPlace& chunk) TANDEM_INLINE {
    const auto of_link =
        LinkCoordinates::end_of(state.scratch.ways[path.slot], start_of(call, state.scratch, path.carrier, chunk));
    state.scratch.starts[p] = {of_link.v, of_link.a};
  });
}

/// Threads have the slots from the last one on.
template <class Machine, class T, LaneKind kind>
TANDEM_BLOCK void push(const ScanCallOnDevice<T>& call, const Launch& launch) {
  using Run = InwardRun<T, Force>;
  using Op = Backwards<Inward<T, Force>>;
  const Work<Machine, T> work(call, launch);
  const ScanShape<T>& shape = work.shape();
  const ScanScratch<T>& scratch = work.state.scratch;
  auto* const memory = reinterpret_cast<Run*>(Machine::shared());
  const int own = shape.slots - 1 - Machine::thread();
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
  run = scan_of_block<Machine>(Op(), run, shape.slots - chunk.end, memory);
  if (chunk.steps > 0) scratch.force[slot] = run;
  hand_in<Machine>(work, own, chunk, run, scratch.force_total, scratch.force_behind, scratch.felt, memory);
}

template <class Machine, class T, LaneKind kind>
TANDEM_BLOCK void torque(const ScanCallOnDevice<T>& call, const Launch& launch) {
  const Work<Machine, T> work(call, launch);
  const ScanShape<T>& shape = work.shape();
  const ScanScratch<T>& scratch = work.state.scratch;
  if (Machine::thread() >= shape.slots) return;
  const Index slot = work.slot();
  const ChunkPlace chunk = shape.chunk[slot];
  if (chunk.steps == 0) return;
  Force<T> f = shape.block[work.block].path >= 0 ? scratch.force_behind[work.block].b : Force<T>::zero();
  if (Machine::thread() + 1 < chunk.end) f = scratch.force[slot + 1].b + transpose_mul(scratch.force[slot + 1].X, f);
  using Lane = InverseLaneOnDevice<T, kind>;
  Lane lane(work.state, slot, chunk);
  JetChunk<Lane>{lane}.gather(f);
}

}  // namespace tandem::cuda
