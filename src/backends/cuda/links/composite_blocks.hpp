// SPDX-License-Identifier: Apache-2.0
/// Blocks of the kernels of the mass matrix by composite scan.
///
///   pose     outward: pose of the end of every chunk, and inertia of its links; poses are scanned over the chunks of a
///            block, and over the blocks of a path by its last block
///   settle   poses of the parent links of paths, level by level
///   hang     inward, level by level: composite inertias including those of child paths, scanned inward
///   axes     axis and inertial force of every degree of freedom
///   pairs    entries of the matrix, one thread for sixteen rows of a column
#pragma once
#include "backends/cuda/links/inverse_lanes.hpp"
#include "backends/cuda/links/paths.hpp"
#include "tandem/detail/scan/composite_chunk.hpp"

namespace tandem::cuda {

template <class T, LaneKind kind>
struct CompositeLane : InverseNumbers<T, kind> {
  using InverseNumbers<T, kind>::InverseNumbers;
  TANDEM_BLOCK void keep_place(int j, const Transform<T>& X) const { tandem::store(this->kept(j), 0, X); }
  TANDEM_BLOCK Transform<T> place_kept(int j) const { return load<Transform<T>>(this->kept(j), 0); }
  TANDEM_BLOCK void keep_way(int j, const Transform<T>& X) const {
    this->state_.scratch.ways_to[this->carrier_of(j)] = X;
  }
  TANDEM_BLOCK Inertia<T> brought(int j) const {
    return this->sum_of_branches(j, Inertia<T>::zero(),
                                 [&](int path) TANDEM_INLINE { return this->state_.scratch.hung[path]; });
  }
  TANDEM_BLOCK void store(int j, int k, const AllPairs::Dof<T>& dof) const {
    AllPairs::dof(this->model().nv, this->row(j) + k, this->state_.scratch.dofs).store(0, dof);
  }
};

/// Bytes of shared memory.
template <class T>
TANDEM_HD std::size_t composite_memory(const ScanShape<T>& shape) {
  return sizeof(InwardRun<T, Inertia>) * static_cast<std::size_t>(shape.threads);
}

template <class ThreadBlock, class T, LaneKind kind>
TANDEM_BLOCK void pose(const ScanCallOnDevice<T>& call, const Launch& launch) {
  using Op = Product<Transform<T>>;
  const Work<ThreadBlock, T> work(call, launch);
  const ScanShape<T>& shape = work.shape();
  const ScanScratch<T>& scratch = work.state.scratch;
  auto* const memory = reinterpret_cast<Transform<T>*>(ThreadBlock::shared());
  ChunkPlace chunk = {};
  if (ThreadBlock::thread() < shape.slots) chunk = shape.chunk[work.slot()];
  auto run = Inward<T, Inertia>::identity();
  if (chunk.steps > 0) {
    using Lane = CompositeLane<T, kind>;
    Lane lane(work.state, work.slot(), chunk);
    run = CompositeChunk<Lane>{lane}.gather();
    scratch.mass[work.slot()] = run;
  }
  const Transform<T> X = scan_of_block<ThreadBlock>(Op(), run.X, chunk.first, memory);
  if (chunk.steps > 0) scratch.pose[work.slot()] = X;
  const BlockPlace block = shape.block[work.block];
  if (block.path < 0) return;
  if (ThreadBlock::thread() == chunk.end - 1) scratch.pose_total[work.block] = X;
  const PathPlace path = shape.path[block.path];
  if (ThreadBlock::is_last(scratch.counters + block.path, path.blocks))
    scan_blocks<ThreadBlock>(Op(), path.blocks, scratch.pose_total + path.first_block,
                             scratch.pose_before + path.first_block, memory);
}

/// Where a slot's chunk starts.
template <class T>
TANDEM_HD Transform<T> place_of(const ScanShape<T>& shape, const ScanScratch<T>& scratch, Index slot,
                                const ChunkPlace& chunk) {
  const PathPlace& path = shape.path[chunk.path];
  auto X = path.slot != 0 ? scratch.places[chunk.path] : Transform<T>::identity();
  if (path.blocks > 1) X = scratch.pose_before[slot / shape.slots] * X;
  if (slot % shape.slots != chunk.first) X = scratch.pose[slot - 1] * X;
  return X;
}
/// One block for a state.
template <class ThreadBlock, class T>
TANDEM_BLOCK void settle(const ScanCallOnDevice<T>& call) {
  const StateOfCall<T> state(call, ThreadBlock::block());
  for_each_hanging<ThreadBlock>(call.shape, [&](int p, const PathPlace& path, const ChunkPlace& chunk) TANDEM_INLINE {
    state.scratch.places[p] =
        state.scratch.ways_to[path.slot] * place_of(call.shape, state.scratch, path.carrier, chunk);
  });
}

/// What paths bring to the links of a chunk, at its start.
template <class T>
TANDEM_BLOCK Inertia<T> hung_from(const ScanShape<T>& shape, const ScanScratch<T>& scratch, const ChunkPlace& chunk) {
  auto sum = Inertia<T>::zero();
  for (int k = 0; k < chunk.steps; ++k) {
    const int carrier = shape.carrier[chunk.position < 0 ? chunk.first_link + k : shape.link[chunk.position + k]];
    if (carrier == 0) continue;
    const auto I =
        sum_of_hanging(shape, carrier, Inertia<T>::zero(), [&](int path) TANDEM_INLINE { return scratch.hung[path]; });
    sum = sum + transpose_mul(scratch.ways_to[carrier], I);
  }
  return sum;
}
/// Threads have the slots from the last one on.
template <class ThreadBlock, class T>
TANDEM_BLOCK void hang(const ScanCallOnDevice<T>& call, const Launch& launch) {
  using Run = InwardRun<T, Inertia>;
  using Op = Backwards<Inward<T, Inertia>>;
  const Work<ThreadBlock, T> work(call, launch);
  const ScanShape<T>& shape = work.shape();
  const ScanScratch<T>& scratch = work.state.scratch;
  auto* const memory = reinterpret_cast<Run*>(ThreadBlock::shared());
  const int own = shape.slots - 1 - ThreadBlock::thread();
  const Index slot = Index{work.block} * shape.slots + own;
  ChunkPlace chunk = {};
  if (own >= 0) chunk = shape.chunk[slot];
  Run run = Inward<T, Inertia>::identity();
  if (chunk.steps > 0) {
    run = scratch.mass[slot];
    if (shape.carrier) run.b = run.b + hung_from(shape, scratch, chunk);
  }
  run = scan_of_block<ThreadBlock>(Op(), run, shape.slots - chunk.end, memory);
  if (chunk.steps > 0) scratch.mass[slot] = run;
  hand_in<ThreadBlock>(work, own, chunk, run, scratch.mass_total, scratch.mass_behind, scratch.hung, memory);
}

template <class ThreadBlock, class T, LaneKind kind>
TANDEM_BLOCK void axes(const ScanCallOnDevice<T>& call, const Launch& launch) {
  const Work<ThreadBlock, T> work(call, launch);
  const ScanShape<T>& shape = work.shape();
  const ScanScratch<T>& scratch = work.state.scratch;
  if (ThreadBlock::thread() >= shape.slots) return;
  const Index slot = work.slot();
  const ChunkPlace chunk = shape.chunk[slot];
  if (chunk.steps == 0) return;
  const auto X = place_of(shape, scratch, slot, chunk);
  auto I = shape.block[work.block].path < 0 ? Inertia<T>::zero() : scratch.mass_behind[work.block].b;
  if (ThreadBlock::thread() + 1 < chunk.end) I = scratch.mass[slot + 1].b + transpose_mul(scratch.mass[slot + 1].X, I);
  using Lane = CompositeLane<T, kind>;
  Lane lane(work.state, slot, chunk);
  CompositeChunk<Lane>{lane}.find_axes(X, I);
}

/// Entries of a block of rows for as many columns as a block has threads.
inline constexpr int columns_at_once = 128;
inline Index blocks_of_pairs(Index n) {
  return (n + AllPairs::block - 1) / AllPairs::block * ((n + columns_at_once - 1) / columns_at_once);
}
template <class T>
TANDEM_HD std::size_t pairs_memory() {
  return sizeof(AllPairs::Dof<T>) * AllPairs::block;
}
template <class ThreadBlock, class T>
TANDEM_BLOCK void pairs(const ScanCallOnDevice<T>& call, Index blocks) {
  using Dof = AllPairs::Dof<T>;
  const StateOfCall<T> state(call, ThreadBlock::block() / blocks);
  const Index n = call.m.nv, parts = (n + columns_at_once - 1) / columns_at_once;
  const Index at = ThreadBlock::block() % blocks, b = at / parts, first = b * AllPairs::block;
  const Index k = at % parts * columns_at_once + ThreadBlock::thread();
  const Index rows = first + AllPairs::block < n ? Index{AllPairs::block} : n - first;
  T* const dofs = state.scratch.dofs;
  const std::int32_t* const ends = call.shape.ends;
  auto* const of_rows = reinterpret_cast<Dof*>(ThreadBlock::shared());
  // rows as they are seen from their point, columns likewise from the rows' point or from their own
  const Vec3<T> p_b = AllPairs::point_of_block(n, b, dofs);
  if (ThreadBlock::thread() < rows)
    of_rows[ThreadBlock::thread()] = AllPairs::dof(n, first + ThreadBlock::thread(), dofs).load(0);
  ThreadBlock::sync();
  if (k >= n) return;
  const Dof column = AllPairs::dof(n, k, dofs).load(0);
  const Vec3<T> p_c = AllPairs::point_of_block(n, k / AllPairs::block, dofs);
  const Force<T> F = AllPairs::force_about(column, p_b);
  const Motion<T> axis = AllPairs::axis_about(column, p_c);
  for (Index j = first; j < first + rows; ++j) {
    const Dof row = of_rows[j - first];
    T x = j <= k ? dot(AllPairs::axis_about(row, p_b), F) : dot(axis, AllPairs::force_about(row, p_c));
    if (j == k) x += call.m.armature[j];
    if (ends && (j < k ? k >= ends[j] : j >= ends[k])) x = T(0);
    state.M[j * n + k] = x;
  }
}

}  // namespace tandem::cuda
