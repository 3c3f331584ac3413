// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/links/scan_layout.hpp"

#include <algorithm>
#include <bit>

#include "tandem/detail/scan/all_pairs.hpp"

namespace tandem::cuda {
namespace {

LaneKind kind_of(ScanPlan::Int kind) {
  switch (static_cast<ScanKind>(kind)) {
    case ScanKind::revolute: return LaneKind::revolute;
    case ScanKind::one_dof: return LaneKind::one_dof;
    case ScanKind::spherical: return LaneKind::spherical;
    default: return LaneKind::any;
  }
}
Index no_rows(int, int) { return 0; }

}  // namespace

template <class T>
ScanLayout<T>::ScanLayout(const ModelView<T>& m, const ScanCutOnDevice& cut) {
  ScanCut how;
  how.rows = no_rows;
  how.lanes = warp_lanes;
  how.chunk = cut.chunk;
  how.chunks = cut.chunks;
  how.load_ratio = cut.load_ratio;
  how.heaviest_only = cut.heaviest_only;
  const OwnedPlan<T> owned(m, how);
  const ScanPlan& plan = owned.plan;
  shape_.nv = m.nv;
  shape_.slots = cut.slots;
  shape_.threads = cut.threads;
  shape_.n_paths = plan.n_paths;
  shape_.n_levels = plan.n_levels;
  path_.resize(static_cast<std::size_t>(plan.n_paths));
  slot_of_chunk_.resize(static_cast<std::size_t>(plan.n_chunks));
  level_path_.assign(plan.level_path, plan.level_path + plan.n_levels + 1);
  for (level_ = 0; level_ < plan.n_levels; ++level_) {
    std::fill(std::begin(open_block_), std::end(open_block_), -1);
    for (int p = plan.level_path[level_]; p < plan.level_path[level_ + 1]; ++p) lay_out_path(plan, m, p);
  }
  shape_.n_blocks = static_cast<int>(block_.size());
  if (plan.link) {
    link_.assign(plan.link, plan.link + plan.n);
    add_carriers(plan, m);
    ends_.resize(static_cast<std::size_t>(m.n_dof));
    AllPairs::find_ends(m, ends_.data());
  }
  add_tiles();
  for (int b = 0; b < shape_.n_blocks; ++b)
    for (int s = 0; s < shape_.slots; ++s) {
      const auto slot = static_cast<std::size_t>(b * shape_.slots + s);
      const LaneKind kind = block_kind_[static_cast<std::size_t>(b)];
      if (kind != LaneKind::any)
        fill(m, chunk_[slot], kind, constants_.data() + tile_[slot / warp_lanes].constants + s % warp_lanes);
    }
  add_launches();
}

template <class T>
int ScanLayout<T>::new_block(int path, int index, LaneKind kind) {
  block_.push_back({path, index});
  block_kind_.push_back(kind);
  block_level_.push_back(level_);
  chunk_.resize(chunk_.size() + static_cast<std::size_t>(shape_.slots));
  return static_cast<int>(block_.size()) - 1;
}

/// A path that fits into a block shares it with others of its level and kind, at a place where a tree of joins over the
/// block has a tree over the path; a longer one, or one of several kinds, has blocks of its own.
template <class T>
void ScanLayout<T>::lay_out_path(const ScanPlan& plan, const ModelView<T>& m, int p) {
  const int begin = plan.path_chunk[p], end = plan.path_chunk[p + 1], n = end - begin;
  auto& path = path_[static_cast<std::size_t>(p)];
  path = {1, 0, 0, 0, 0, 0};
  LaneKind kind = kind_of(plan.chunk_kind[begin]);
  for (int c = begin + 1; c < end; ++c)
    if (kind_of(plan.chunk_kind[c]) != kind) kind = LaneKind::any;
  if (n <= shape_.slots) {
    const int room = static_cast<int>(std::bit_ceil(static_cast<unsigned>(n)));
    int &block = open_block_[static_cast<int>(kind)], &slot = open_slot_[static_cast<int>(kind)];
    if (block >= 0) slot = (slot + room - 1) / room * room;
    if (block < 0 || slot + room > shape_.slots) {
      block = new_block(-1, 0, kind);
      slot = 0;
    }
    for (int c = begin; c < end; ++c) put_chunk(plan, m, c, p, block, slot + c - begin, slot, slot + n);
    path.first_block = block;
    slot += room;
    return;
  }
  path.first_block = static_cast<int>(block_.size());
  path.blocks = 0;
  for (int c = begin; c < end;) {
    int last = c;
    while (last < end && last - c < shape_.slots && plan.chunk_kind[last] == plan.chunk_kind[c]) ++last;
    const int block = new_block(p, path.blocks++, kind_of(plan.chunk_kind[c])), first = c;
    for (; c < last; ++c) put_chunk(plan, m, c, p, block, c - first, 0, last - first);
  }
  path.node = shape_.n_nodes;
  path.group = shape_.n_groups;
  int levels = 0;
  for (int count = path.blocks; count > 1; ++levels) {
    shape_.n_nodes += count;
    count = (count + group_size - 1) / group_size;
    shape_.n_groups += count;
  }
  shape_.node_levels = std::max(shape_.node_levels, levels);
}

template <class T>
void ScanLayout<T>::put_chunk(const ScanPlan& plan, const ModelView<T>& m, int c, int path, int block, int slot,
                              int first, int end) {
  const int position = plan.chunk[c], steps = plan.chunk[c + 1] - position, link = plan.link_at(position);
  const bool in_a_row = plan.link_at(position + steps - 1) == link + steps - 1;
  const int place = block * shape_.slots + slot;
  chunk_[static_cast<std::size_t>(place)] = {steps,
                                             path,
                                             link,
                                             m.q_index[link],
                                             m.v_index[link],
                                             in_a_row ? -1 : position,
                                             static_cast<std::int16_t>(first),
                                             static_cast<std::int16_t>(end)};
  slot_of_chunk_[static_cast<std::size_t>(c)] = place;
}

template <class T>
void ScanLayout<T>::add_carriers(const ScanPlan& plan, const ModelView<T>& m) {
  carrier_.assign(plan.slot, plan.slot + m.n_links);
  shape_.n_carriers = plan.n_slots;
  std::vector<std::vector<int>> paths(static_cast<std::size_t>(plan.n_slots) + 1);
  for (int p = 0; p < plan.n_paths; ++p)
    if (const int link = plan.path_link[p]; link != 0) {
      const int slot = plan.slot[link];
      path_[static_cast<std::size_t>(p)].slot = slot;
      path_[static_cast<std::size_t>(p)].carrier = slot_of_chunk_[static_cast<std::size_t>(plan.slot_chunk[slot])];
      paths[static_cast<std::size_t>(slot)].push_back(p);
    }
  for (const auto& of_slot : paths) {
    first_hanging_.push_back(static_cast<int>(hanging_.size()));
    hanging_.insert(hanging_.end(), of_slot.begin(), of_slot.end());
  }
  first_hanging_.push_back(static_cast<int>(hanging_.size()));
}

template <class T>
void ScanLayout<T>::add_tiles() {
  Index constants = 0;
  for (std::size_t first = 0; first < chunk_.size(); first += warp_lanes) {
    const LaneRows rows = rows_of(block_kind_[first / static_cast<std::size_t>(shape_.slots)]);
    Index longest = 0;
    for (std::size_t k = first; k < first + warp_lanes; ++k) longest = std::max<Index>(longest, chunk_[k].steps);
    tile_.push_back({constants, shape_.kept, shape_.drift, static_cast<std::int32_t>(longest)});
    constants += longest * rows.constants * warp_lanes;
    shape_.kept += longest * rows.kept * warp_lanes;
    shape_.drift += (longest + scan_block - 1) / scan_block * 6 * warp_lanes;
  }
  constants_.assign(static_cast<std::size_t>(constants), T(0));
}

/// The numbers of a chunk's links, its last one first.
template <class T>
void ScanLayout<T>::fill(const ModelView<T>& m, const ChunkPlace& place, LaneKind kind, T* to) const {
  const LaneRows rows = rows_of(kind);
  for (int k = place.steps - 1; k >= 0; --k) {
    const Index i = place.position < 0 ? place.first_link + k : link_[static_cast<std::size_t>(place.position + k)];
    const auto put = [&](int row, T x) { to[row * warp_lanes] = x; };
    for (int row = 0; row < 12; ++row) put(row, m.placement[12 * i + row]);
    for (int row = 0; row < 10; ++row) put(12 + row, m.inertia[10 * i + row]);
    for (int row = 0; row < rows.dof; ++row) put(22 + row, m.armature[m.v_index[i] + row]);
    if (kind == LaneKind::one_dof) {
      const auto joint = AxialJoint<T>::of(m, static_cast<int>(i));
      put(23, joint.turns > 0 ? joint.slides : std::numeric_limits<T>::infinity());
    }
    to += rows.constants * warp_lanes;
  }
}

template <class T>
void ScanLayout<T>::add_launches() {
  levels_.resize(static_cast<std::size_t>(shape_.n_levels));
  const auto add = [&](int kind, int level, std::vector<Launch>& launches) {
    const auto first = static_cast<std::int32_t>(launched_.size());
    for (int b = 0; b < shape_.n_blocks; ++b)
      if (static_cast<int>(block_kind_[static_cast<std::size_t>(b)]) == kind &&
          (level < 0 || block_level_[static_cast<std::size_t>(b)] == level))
        launched_.push_back(b);
    const auto count = static_cast<std::int32_t>(launched_.size()) - first;
    if (count == 0) return;
    const auto at = launched_.begin() + first;
    const bool in_a_row = launched_.back() - *at == count - 1;
    launches.push_back({static_cast<LaneKind>(kind), first, count, in_a_row ? *at : -1});
  };
  for (int kind = 0; kind < lane_kinds; ++kind) add(kind, -1, place_);
  for (int level = 0; level < shape_.n_levels; ++level)
    for (int kind = 0; kind < lane_kinds; ++kind) add(kind, level, levels_[static_cast<std::size_t>(level)]);
}

template class ScanLayout<double>;
template class ScanLayout<float>;

}  // namespace tandem::cuda
