// SPDX-License-Identifier: Apache-2.0
/// Blocks of the kernels of forward dynamics by scans, as templates on ThreadBlock (team.hpp).
///
///   place       outward: rotation and angular velocity of every chunk, accumulated over the chunks of a block, and
///               over the blocks of a path by its last block
///   turn        rotations and angular velocities of the parent links of paths, level by level
///   gather      inward, level by level: chunks as runs, joined over the block, then over groups of sixteen blocks by
///               the last block of each group, and so on up the tree
///   accelerate  outward, level by level: every block descends from the whole path to its own run, then to its chunks
#pragma once
#include "backends/cuda/links/paths.hpp"

namespace tandem::cuda {

template <class S, class T>
TANDEM_HD Mat3<S> convert(const Mat3<T>& E) {
  const auto row = [](const Vec3<T>& x) TANDEM_INLINE { return Vec3<S>{S(x.x), S(x.y), S(x.z)}; };
  return {row(E.row0), row(E.row1), row(E.row2)};
}
TANDEM_HD Turn followed_by(const Turn& P, const Turn& Q) {
  Turn whole;
  RotatingBase<double>::Kept none;
  RotatingBase<double>().join(P, Q, false, none, whole);
  return whole;
}
/// How the outer end turns where the inner one turns by w.
TANDEM_HD Vec3<double> end_of(const Turn& run, const Vec3<double>& w) { return run.E * (w + run.w); }

/// How chunks turn, P and then Q.
struct Turning {
  TANDEM_HD static Turn identity() { return {Mat3<double>::identity(), Vec3<double>::zero()}; }
  TANDEM_HD Turn operator()(const Turn& P, const Turn& Q) const { return followed_by(P, Q); }
};

/// Bytes of shared memory.
template <class T>
TANDEM_HD std::size_t place_memory(const ScanShape<T>& shape) {
  return sizeof(Turn) * static_cast<std::size_t>(shape.threads);
}
template <class ThreadBlock, class T, LaneKind kind>
TANDEM_BLOCK void place(const ScanCallOnDevice<T>& call, const Launch& launch) {
  const Work<ThreadBlock, T> work(call, launch);
  const ScanShape<T>& shape = work.shape();
  const ScanScratch<T>& scratch = work.state.scratch;
  ChunkPlace chunk = {};
  if (ThreadBlock::thread() < shape.slots) chunk = shape.chunk[work.slot()];
  auto* const memory = reinterpret_cast<Turn*>(ThreadBlock::shared());
  Turn e = Turning::identity();
  if (chunk.steps > 0) {
    using Lane = PackedLane<ThreadBlock, T, kind, Pass::place>;
    Lane lane(work.state, work.slot(), chunk, nullptr);
    const auto run = InwardChunk<Lane>{lane}.place();
    e = {convert<double>(run.E), {double(run.w.x), double(run.w.y), double(run.w.z)}};
  }
  e = scan_of_block<ThreadBlock>(Turning(), e, chunk.first, memory);
  if (chunk.steps > 0) scratch.prefix[work.slot()] = e;
  const BlockPlace block = shape.block[work.block];
  if (block.path < 0) return;
  if (ThreadBlock::thread() == chunk.end - 1) scratch.total[work.block] = e;
  const PathPlace path = shape.path[block.path];
  if (ThreadBlock::is_last(scratch.counters + block.path, path.blocks))
    scan_blocks<ThreadBlock>(Turning(), path.blocks, scratch.total + path.first_block,
                             scratch.before + path.first_block, memory);
}

/// How the base of a path's part in a block turns.
template <class T>
TANDEM_HD Vec3<double> turning_of_block(const ScanShape<T>& shape, const ScanScratch<T>& scratch, int block, int path) {
  const PathPlace& place = shape.path[path];
  const Vec3<double> w_0 = place.slot != 0 ? scratch.w_0[path] : Vec3<double>::zero();
  return place.blocks > 1 ? end_of(scratch.before[block], w_0) : w_0;
}
/// One block for a state.
template <class ThreadBlock, class T>
TANDEM_BLOCK void turn(const ScanCallOnDevice<T>& call) {
  const StateOfCall<T> state(call, ThreadBlock::block());
  const ScanShape<T>& shape = call.shape;
  const ScanScratch<T>& scratch = state.scratch;
  for_each_hanging<ThreadBlock>(shape, [&](int p, const PathPlace& path, const ChunkPlace& chunk) TANDEM_INLINE {
    const Carrier<T>& carrier = scratch.carriers[path.slot];
    Vec3<double> w = turning_of_block(shape, scratch, path.carrier / shape.slots, chunk.path);
    if (path.carrier % shape.slots != chunk.first) w = end_of(scratch.prefix[path.carrier - 1], w);
    const Turn last = {convert<double>(carrier.E_place),
                       {double(carrier.w.x), double(carrier.w.y), double(carrier.w.z)}};
    scratch.w_0[p] = end_of(last, w);
  });
}

template <class T>
TANDEM_HD void bring(const ScanShape<T>& shape, const ScanScratch<T>& scratch, int path, const T* run) {
  if (shape.path[path].slot != 0)
    scratch.brought[path] = {RunNumbers::load_J(run), load<Force<T>>(run, RunNumbers::eta)};
}
/// The nodes of a path, level by level.
struct NodeLevel {
  int count;        ///< of its nodes
  int node, group;  ///< the first of them; the first group that they are joined to
  TANDEM_HD static NodeLevel first(const PathPlace& path) { return {path.blocks, path.node, path.group}; }
  TANDEM_HD NodeLevel above() const {
    const int groups = (count + group_size - 1) / group_size;
    return {groups, node + count, group + groups};
  }
  TANDEM_HD int size(int group_of_level) const {
    const int left = count - group_of_level * group_size;
    return left < group_size ? left : int(group_size);
  }
};

/// The run of a block goes up; the last one of a group joins them.
template <class ThreadBlock, class T>
TANDEM_BLOCK void hand_up(const ScanShape<T>& shape, const ScanScratch<T>& scratch, const BlockPlace& block, T* runs,
                          short* ends) {
  int index = block.index;
  NodeLevel level = NodeLevel::first(shape.path[block.path]);
  for (; level.count > 1; level = level.above()) {
    T* const node = scratch.nodes + Index{level.node + index} * RunNumbers::count;
    for (int i = ThreadBlock::thread(); i < RunNumbers::count; i += ThreadBlock::threads()) node[i] = runs[i];
    const int group = index / group_size, size = level.size(group);
    if (!ThreadBlock::is_last(scratch.counters + shape.n_paths + level.group + group, size)) return;
    const T* const from = scratch.nodes + Index{level.node + group * group_size} * RunNumbers::count;
    for (int i = ThreadBlock::thread(); i < size * RunNumbers::count; i += ThreadBlock::threads())
      runs[i / RunNumbers::count * RunNumbers::apart + i % RunNumbers::count] = ThreadBlock::fresh(from + i);
    if (ThreadBlock::thread() < group_size) ends[ThreadBlock::thread()] = static_cast<short>(size);
    ThreadBlock::sync();
    constexpr Index joins = group_size * TeamJoin<ThreadBlock, T>::count;
    join_runs<ThreadBlock>(runs, group_size, ends, scratch.joins_of_nodes + (level.group + group) * joins);
    index = group;
  }
  if (ThreadBlock::thread() == 0) bring(shape, scratch, block.path, runs);
}

/// Numbers that all the runs of a block take.
template <class T>
TANDEM_HD int run_numbers(const ScanShape<T>& shape) {
  return (shape.slots < group_size ? int(group_size) : shape.slots) * RunNumbers::apart;
}
template <class T, LaneKind kind>
TANDEM_HD std::size_t gather_memory(const ScanShape<T>& shape) {
  const int lanes_take = PackedLane<void, T, kind, Pass::gather>::shared * (shape.slots / warp_lanes);
  const int runs = run_numbers(shape);
  return sizeof(T) * static_cast<std::size_t>(lanes_take < runs ? runs : lanes_take) +
         sizeof(short) * static_cast<std::size_t>(shape.slots);
}
template <class ThreadBlock, class T, LaneKind kind>
TANDEM_BLOCK void gather(const ScanCallOnDevice<T>& call, const Launch& launch) {
  const Work<ThreadBlock, T> work(call, launch);
  const ScanShape<T>& shape = work.shape();
  const ScanScratch<T>& scratch = work.state.scratch;
  auto* const memory = reinterpret_cast<T*>(ThreadBlock::shared());
  auto* const ends = reinterpret_cast<short*>(ThreadBlock::shared() + gather_memory<T, kind>(shape)) - shape.slots;
  const int thread = ThreadBlock::thread();
  const bool has_slot = thread < shape.slots;
  ChunkPlace chunk = {};
  if (has_slot) chunk = shape.chunk[work.slot()];
  TwoHandle<T> e;
  T C[21];
  if (chunk.steps > 0) {
    using Lane = PackedLane<ThreadBlock, T, kind, Pass::gather>;
    Lane lane(work.state, work.slot(), chunk, memory + thread / warp_lanes * Lane::shared);
    const Vec3<double> w =
        end_of(scratch.prefix[work.slot()], turning_of_block(shape, scratch, work.block, chunk.path));
    e = InwardChunk<Lane>{lane}.gather({T(w.x), T(w.y), T(w.z)});
    TANDEM_UNROLLED for (int k = 0; k < 21; ++k) C[k] = lane.mobility().at[k * warp_lanes];
  }
  ThreadBlock::sync();
  if (has_slot) ends[thread] = chunk.end;
  if (chunk.steps > 0) {
    T* const run = memory + thread * RunNumbers::apart;
    RunNumbers::store(e, run);
    TANDEM_UNROLLED for (int k = 0; k < 21; ++k) run[RunNumbers::C + k] = C[k];
  }
  ThreadBlock::sync();
  join_runs<ThreadBlock>(memory, shape.slots, ends,
                         scratch.joins + Index{work.block} * shape.slots * TeamJoin<ThreadBlock, T>::count);
  const BlockPlace block = shape.block[work.block];
  if (block.path >= 0)
    hand_up<ThreadBlock>(shape, scratch, block, memory, ends);
  else if (chunk.steps > 0 && chunk.first == thread)
    bring(shape, scratch, chunk.path, memory + thread * RunNumbers::apart);
}

/// What is known at the handles of a whole path.
template <class T>
TANDEM_HD TwoHandlePort<T> port_of_path(const ScanCallOnDevice<T>& call, const ScanScratch<T>& scratch, int path) {
  const int slot = call.shape.path[path].slot;
  return {slot != 0 ? scratch.carriers[slot].a : base_acceleration<T>(call.m), Force<T>::zero()};
}
inline constexpr int steps_of_level = 4;  ///< joins between a group and one of its nodes
inline constexpr int most_node_levels = 6;
/// The joins of so few slots are brought to shared memory while the block walks down.
inline constexpr int slots_with_joins = 32;
template <class T>
TANDEM_HD std::size_t accelerate_memory(const ScanShape<T>& shape) {
  const int joins = shape.node_levels * steps_of_level + (shape.slots <= slots_with_joins ? shape.slots : 0);
  return sizeof(T) * static_cast<std::size_t>(12 * shape.slots + joins * 156) +
         sizeof(short) * static_cast<std::size_t>(shape.slots);
}
template <class ThreadBlock>
TANDEM_BLOCK void all_arrive() {
  ThreadBlock::commit();
  ThreadBlock::commit();
  ThreadBlock::wait();
}
/// The way from the whole path to a block: its port. s: memory for the joins on the way. Copies that were begun
/// before have arrived in the end.
template <class ThreadBlock, class T>
TANDEM_BLOCK void walk_down(const ScanShape<T>& shape, const ScanScratch<T>& scratch, const BlockPlace& block, T* port,
                            T* s) {
  constexpr int count = TeamJoin<ThreadBlock, T>::count, row = TeamJoin<ThreadBlock, T>::row;
  NodeLevel levels[most_node_levels];
  int n = 0;
  for (NodeLevel l = NodeLevel::first(shape.path[block.path]); l.count > 1; l = l.above()) levels[n++] = l;
  const auto half_at = [](int step) TANDEM_INLINE { return group_size / 2 >> step % steps_of_level; };
  const int steps = n * steps_of_level;
  for (int step = 0; step < steps; ++step) {
    const int height = n - 1 - step / steps_of_level, half = half_at(step);
    const NodeLevel level = levels[height];
    const int at = block.index >> (4 * height), group = at / group_size,
              Q = at % group_size / (2 * half) * 2 * half + half;
    if (Q >= level.size(group)) continue;
    const T* const from = scratch.joins_of_nodes + (Index{level.group + group} * group_size + Q) * count;
    for (int i = ThreadBlock::thread(); i < count; i += ThreadBlock::threads())
      ThreadBlock::copy_async(s + step * count + i, from + i);
  }
  all_arrive<ThreadBlock>();
  ThreadBlock::sync();
  if (ThreadBlock::thread() < warp_lanes) {
    const int lane = ThreadBlock::thread();
    for (int step = 0; step < steps; ++step) {
      const int height = n - 1 - step / steps_of_level, half = half_at(step);
      const int at = block.index >> (4 * height), Q = at % group_size / (2 * half) * 2 * half + half;
      if (Q >= levels[height].size(at / group_size)) continue;
      const bool outboard = (at & half) != 0;
      T x(0);
      if (lane < 12) {
        const T* const numbers = s + step * count + row * lane;
        x = numbers[12];
        TANDEM_UNROLLED for (int i = 0; i < 12; ++i) x = mul_add(numbers[i], port[i], x);
      }
      ThreadBlock::sync_warp();
      if (lane < 12 && (lane < 6) == outboard) port[lane] = x;
      ThreadBlock::sync_warp();
    }
  }
}
template <class ThreadBlock, class T, LaneKind kind>
TANDEM_BLOCK void accelerate(const ScanCallOnDevice<T>& call, const Launch& launch) {
  const Work<ThreadBlock, T> work(call, launch);
  const ScanShape<T>& shape = work.shape();
  const ScanScratch<T>& scratch = work.state.scratch;
  auto* const ports = reinterpret_cast<T*>(ThreadBlock::shared());
  auto* const ends = reinterpret_cast<short*>(ThreadBlock::shared() + accelerate_memory(shape)) - shape.slots;
  const int thread = ThreadBlock::thread();
  const bool has_slot = thread < shape.slots;
  ChunkPlace chunk = {};
  if (has_slot) {
    chunk = shape.chunk[work.slot()];
    ends[thread] = chunk.end;
  }
  if (chunk.steps > 0 && chunk.first == thread) store(ports + 12 * thread, 0, port_of_path(call, scratch, chunk.path));
  ThreadBlock::sync();
  constexpr int count = TeamJoin<ThreadBlock, T>::count;
  const T* joins = scratch.joins + Index{work.block} * shape.slots * count;
  T* const walk = ports + 12 * shape.slots;
  if (shape.slots <= slots_with_joins) {
    T* const here = walk + shape.node_levels * steps_of_level * count;
    for (int i = count + thread; i < shape.slots * count; i += ThreadBlock::threads())
      ThreadBlock::copy_async(here + i, joins + i);
    joins = here;
  }
  if (const BlockPlace block = shape.block[work.block]; block.path >= 0)
    walk_down<ThreadBlock>(shape, scratch, block, ports, walk);
  else
    all_arrive<ThreadBlock>();
  ThreadBlock::sync();
  part_runs<ThreadBlock>(ports, shape.slots, ends, joins);
  if (chunk.steps == 0) return;
  using Lane = PackedLane<ThreadBlock, T, kind, Pass::accelerate>;
  Lane lane(work.state, work.slot(), chunk, nullptr);
  const auto [a_1, f_2] = load<TwoHandlePort<T>>(ports + 12 * thread, 0);
  InwardChunk<Lane>{lane}.accelerate(a_1, f_2);
}

}  // namespace tandem::cuda
