// SPDX-License-Identifier: Apache-2.0
/// What the blocks of the kernels of inverse dynamics by scan do: one path.
///
///   move     outward: how every chunk's end moves against its start; scanned over the chunks of a block, by the last block to
///            finish over the blocks
///   push     outward: the forces that the links' motion takes, and their sum at the chunk's start; scanned inward likewise
///   torque   inward: the torques
#pragma once
#include "backends/cuda/links/block_scan.hpp"
#include "backends/cuda/links/inverse_lanes.hpp"
#include "backends/cuda/links/work.hpp"

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
  run = scan_of_block<Machine>(Jet<T>(), run, 0, memory);
  if (chunk.steps > 0) scratch.jet[work.slot()] = run;
  const BlockPlace block = shape.block[work.block];
  if (block.path < 0) return;
  if (Machine::thread() == chunk.end - 1) scratch.jet_total[work.block] = run;
  const PathPlace path = shape.path[block.path];
  if (Machine::is_last(scratch.counters + block.path, path.blocks))
    scan_blocks<Machine>(Jet<T>(), path.blocks, scratch.jet_total + path.first_block,
                         scratch.jet_before + path.first_block, memory);
}

/// How the end of a run moves whose start moves so.
template <class T>
TANDEM_HD LinkCoordinates::Start<T> end_of(const JetRun<T>& run, const LinkCoordinates::Start<T>& start) {
  const Motion<T> v_in = run.X * start.v;
  return {v_in + run.v, run.X * start.a + velocity_product(v_in, run.v) + run.a};
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
  const BlockPlace block = shape.block[work.block];
  ChunkPlace chunk = {};
  if (own >= 0) chunk = shape.chunk[slot];
  Run run = Inward<T, Force>::identity();
  if (chunk.steps > 0) {
    LinkCoordinates::Start<T> start = {Motion<T>::zero(), base_acceleration<T>(call.m)};
    if (block.path >= 0) start = end_of(scratch.jet_before[work.block], start);
    if (own > 0) start = end_of(scratch.jet[slot - 1], start);
    using Lane = InverseLaneOnDevice<T, kind>;
    Lane lane(work.state, slot, chunk);
    run = JetChunk<Lane>{lane}.push(start.v, start.a);
  }
  run = scan_of_block<Machine>(Op(), run, 0, memory);
  if (chunk.steps > 0) scratch.force[slot] = run;
  if (block.path < 0) return;
  if (own == 0) scratch.force_total[work.block] = run;
  const PathPlace path = shape.path[block.path];
  if (Machine::is_last(scratch.counters + block.path, path.blocks))
    scan_blocks<Machine>(Op(), path.blocks, scratch.force_total + path.first_block,
                         scratch.force_behind + path.first_block, memory, true);
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
