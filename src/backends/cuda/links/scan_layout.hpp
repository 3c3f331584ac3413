// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <type_traits>
#include <vector>

#include "backends/cuda/links/scan_shape.hpp"

namespace tandem::cuda {

/// Chunks of a robot and how many of them a block has.
struct ScanCutOnDevice {
  int chunk = 0, chunks = 0;  ///< links of a chunk, or chunks of a path
  int slots = 128, threads = 128;
  double load_ratio = 1;       ///< length of a path's last chunk over that of the others
  bool heaviest_only = false;  ///< of all paths only the one with the most links is cut
};

/// What suits a robot of n links, or many states of it. Measured on one H100 (docs/algorithms/scan.md): short chunks
/// where the depth of the joins counts, as many chunks as the device holds threads where the work does, of lengths that
/// begin at a sector of memory. The same on every device: the cuts, and with them the last bits, depend on the robot
/// and on whether there are many states.
inline ScanCutOnDevice cut_for(Index n, bool many_states) {
  constexpr Index at_a_time = 33792;
  if (n < 32) return {0, 1, 32, 32};  // in shorter chunks links of unequal masses would lose digits
  if (many_states) return n <= 1024 ? ScanCutOnDevice{32, 0, 32, 32} : ScanCutOnDevice{32, 0, 128, 128};
  if (n < 50000) return {4, 0, 32, 128};
  if (n < 300000) return {8, 0, 128, 256};
  int chunk = 16;
  while (chunk * at_a_time < n) chunk += 16;
  return {chunk, 0, 128, 128};
}

/// A plan and its memory.
template <class T>
struct OwnedPlan {
  std::vector<std::int64_t> memory;
  ScanPlan plan;
  OwnedPlan(const ModelView<T>& m, const ScanCut& cut) {
    ScanPlanner<T> planner(m, cut);
    Arena size;
    planner.lay_out(size);
    memory.resize(static_cast<std::size_t>(size.rows<std::int64_t>()));
    Arena arena(memory.data());
    planner.lay_out(arena);
    plan = planner.plan();
  }
};

/// The arrays of a ScanShape on the host.
template <class T>
class ScanLayout {
 public:
  ScanLayout(const ModelView<T>& m, const ScanCutOnDevice& cut);

  /// Calls f(field of ScanShape<T>, vector) for every array.
  template <class F>
  void for_each_array(F&& f) {
    using Shape = ScanShape<T>;
    f(&Shape::chunk, chunk_), f(&Shape::tile, tile_), f(&Shape::block, block_), f(&Shape::path, path_);
    f(&Shape::launched, launched_), f(&Shape::link, link_), f(&Shape::carrier, carrier_);
    f(&Shape::first_hanging, first_hanging_), f(&Shape::hanging, hanging_), f(&Shape::level_path, level_path_);
    f(&Shape::ends, ends_), f(&Shape::constants, constants_);
  }
  /// Counts; no arrays.
  const ScanShape<T>& counts() const { return shape_; }
  /// One for each kind of joints that there is.
  const std::vector<Launch>& place_launches() const { return place_; }
  /// One for each level and kind, the level of the base first.
  const std::vector<std::vector<Launch>>& level_launches() const { return levels_; }

 private:
  struct Runs;
  void lay_out_path(const ScanPlan& plan, const ModelView<T>& m, int path);
  int new_block(int path, int index, LaneKind kind);
  void put_chunk(const ScanPlan& plan, const ModelView<T>& m, int c, int path, int block, int slot, int first, int end);
  void add_carriers(const ScanPlan& plan, const ModelView<T>& m);
  void add_tiles();
  void add_launches();
  void fill(const ModelView<T>& m, const ChunkPlace& place, LaneKind kind, T* to) const;

  int level_ = 0, open_block_[lane_kinds] = {}, open_slot_[lane_kinds] = {};
  std::vector<LaneKind> block_kind_;
  std::vector<int> block_level_, slot_of_chunk_;
  ScanShape<T> shape_;
  std::vector<ChunkPlace> chunk_;
  std::vector<TilePlace> tile_;
  std::vector<BlockPlace> block_;
  std::vector<PathPlace> path_;
  std::vector<std::int32_t> launched_, link_, carrier_, first_hanging_, hanging_, level_path_, ends_;
  std::vector<T> constants_;
  std::vector<Launch> place_;
  std::vector<std::vector<Launch>> levels_;
};

}  // namespace tandem::cuda
