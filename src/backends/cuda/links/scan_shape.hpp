// SPDX-License-Identifier: Apache-2.0
/// How one robot is laid out for the scan form on a GPU: a thread a chunk, chunks of a path side by side in blocks of
/// threads.
#pragma once
#include <cstdint>

#include "tandem/api/evaluate.hpp"
#include "tandem/detail/scan/scan_plan.hpp"
#include "tandem/detail/scan/two_handle.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::cuda {

inline constexpr int warp_lanes = 32;  ///< chunks whose numbers lie side by side: those of a warp

/// Joints of a block's chunks: one kernel for each.
enum class LaneKind : std::int32_t { revolute, one_dof, spherical, any };
inline constexpr int lane_kinds = 4;

/// Joints of a kind: most degrees of freedom, numbers of a link and its joint in the prepared model, numbers kept of
/// it.
struct LaneRows {
  int dof, constants, kept;
};
TANDEM_HD constexpr int kept_rows(int d) { return 3 + (d == 1 ? 3 : 9) + 6 * d + d * d + d + 6 * d; }
TANDEM_HD constexpr LaneRows rows_of(LaneKind kind) {
  switch (kind) {
    case LaneKind::revolute: return {1, 23, kept_rows(1)};
    case LaneKind::one_dof: return {1, 24, kept_rows(1)};
    case LaneKind::spherical: return {3, 25, kept_rows(3)};
    default: return {6, 0, kept_rows(6)};  // read from the model as it is
  }
}

/// The chunk of a slot; slots of a block without one have no steps.
struct ChunkPlace {
  std::int32_t steps;
  std::int32_t path;
  std::int32_t
      first_link;  ///< its first link and the rows of its first joint; the others follow if `position` is negative
  std::int32_t q, v;
  std::int32_t position;    ///< of its first joint, if they do not
  std::int16_t first, end;  ///< slots that its path has in this block
};
/// Slots of a warp.
struct TilePlace {
  Index constants;       ///< [longest][constants][warp_lanes] begin here
  Index kept;            ///< [longest][kept][warp_lanes] of a state
  Index drift;           ///< [blocks of joints][6][warp_lanes] of a state
  std::int32_t longest;  ///< joints of its longest chunk
};
/// A block of slots: of several whole paths (path -1), or one of the blocks of a path.
struct BlockPlace {
  std::int32_t path, index;
};
/// Of a path of several blocks the blocks, then groups of blocks, then groups of groups are the nodes of a tree.
struct PathPlace {
  std::int32_t blocks;  ///< 1: it shares its block
  std::int32_t first_block;
  std::int32_t node, group;  ///< number of the first node, of the first group among the groups of all paths
  std::int32_t slot;         ///< what is known of the link that it hangs from; 0: the base
  std::int32_t carrier;      ///< the slot of that link's chunk
};
/// Blocks of a level and a kind: those from `block` on, or if that is -1 launched[first .. first + count - 1] of the
/// shape.
struct Launch {
  LaneKind kind;
  std::int32_t first, count, block;
};

/// Forward dynamics, inverse dynamics, mass matrix.
enum class Task { forward, inverse, mass };

inline constexpr int group_size = 16;  ///< nodes that one block joins

/// The arrays, wherever they lie.
template <class T>
struct ScanShape {
  int nv = 0;
  int slots = 0;    ///< of a block
  int threads = 0;  ///< of a block; those beyond the slots help to join
  int n_blocks = 0, n_paths = 0, n_nodes = 0, n_groups = 0, n_carriers = 0, n_levels = 0;
  int node_levels = 0;                     ///< of groups of blocks, on the longest path
  Index kept = 0, drift = 0;               ///< numbers of a state
  const ChunkPlace* chunk = nullptr;       ///< [n_blocks * slots]
  const TilePlace* tile = nullptr;         ///< [n_blocks * slots / lanes]
  const BlockPlace* block = nullptr;       ///< [n_blocks]
  const PathPlace* path = nullptr;         ///< [n_paths]
  const std::int32_t* launched = nullptr;  ///< [2 n_blocks] blocks by kind, then by level and kind
  const std::int32_t* link = nullptr;      ///< [n] at each position, or null
  const std::int32_t* carrier = nullptr;   ///< [n_links] 1 .. n_carriers for links that carry paths, else 0; or null
  const std::int32_t* first_hanging = nullptr;  ///< [n_carriers + 2] into
  const std::int32_t* hanging = nullptr;        ///< paths that hang from a carrier
  const std::int32_t* level_path = nullptr;     ///< [n_levels + 1]
  const std::int32_t* ends = nullptr;           ///< [nv] behind the last degree of freedom that each carries, or null
  const T* constants = nullptr;

  TANDEM_HD int counters() const { return n_paths + n_groups; }
};

/// What is known of a link that carries paths.
template <class T>
struct Carrier {
  Mat3<T> E_place;  ///< its axes and turning, from the base of its chunk
  Vec3<T> w;
  Mat3<T> E;       ///< its axes from those of the last link of its chunk
  Motion<T> g, a;  ///< its drift; its acceleration, along its own axes
};
/// What a path brings to the link that it hangs from.
template <class T>
struct Brought {
  ArticulatedInertia<T> J;
  Force<T> eta;
};
/// How a link moves that a path hangs from.
template <class T>
struct StartOfPath {
  Motion<T> v, a;
};
/// How chunks turn is added up in double: in float the error would grow with their number.
using Turn = RotatingRun<double>;

/// Scratch memory of the states that are worked on at a time; that of the next state begins `apart` bytes further on.
template <class T>
struct ScanScratch {
  Index apart = 0;
  Turn* prefix;       ///< [slots of all blocks] of the path's part in the block, up to the slot's end
  Turn* before;       ///< [n_blocks] of the path up to the block
  Turn* total;        ///< [n_blocks]
  Vec3<double>* w_0;  ///< [n_paths] how the link turns that a path hangs from
  T *kept, *drift;
  Mat3<T>* base;         ///< [slots of all blocks] axes of a chunk's base
  T* joins;              ///< [n_blocks * slots][156]
  T* nodes;              ///< [n_nodes][90]
  T* joins_of_nodes;     ///< [n_groups][16][156]
  Brought<T>* brought;   ///< [n_paths]
  Carrier<T>* carriers;  ///< [n_carriers + 1]
  unsigned* counters;    ///< [states][counters] blocks of a path, nodes of a group that are done; 0 between calls

  // of inverse dynamics: how chunks move and what force they take at their start; of blocks, and before and behind
  // them; and of trees
  JetRun<T>* jet;                    ///< [slots of all blocks] from the start of the block to the slot's end
  InwardRun<T, Force>* force;        ///< [slots of all blocks] from the slot's start to the end of the block
  JetRun<T>*jet_total, *jet_before;  ///< [n_blocks]
  InwardRun<T, Force>*force_total, *force_behind;
  JetRun<T>* ways;          ///< [n_carriers + 1] from the start of their chunks
  StartOfPath<T>* starts;   ///< [n_paths]
  Force<T>* contributions;  ///< [n_paths] by the links that they hang from
  // of mass matrices: where chunks end, what hangs from their starts; likewise; and all degrees of freedom
  Transform<T>* pose;
  InwardRun<T, Inertia>* mass;
  Transform<T>*pose_total, *pose_before;
  InwardRun<T, Inertia>*mass_total, *mass_behind;
  Transform<T>*ways_to, *places;  ///< [n_carriers + 1] from the start of their chunks, [n_paths] from the base
  Inertia<T>* hung;               ///< [n_paths] from the links that they hang from
  T* dofs;                        ///< [15][nv]

  ScanScratch() = default;
  ScanScratch(Arena& arena, const ScanShape<T>& s, Task task) {
    const Index slots = Index{s.n_blocks} * s.slots;
    const auto take = [&](Task of, Index n, auto*&... pieces) { arena.take(of == task ? n : 0, pieces...); };
    arena.take(s.kept, kept);
    take(Task::forward, slots, prefix, base);
    take(Task::forward, s.n_blocks, before, total);
    take(Task::forward, s.n_paths, w_0, brought);
    take(Task::forward, s.drift, drift);
    take(Task::forward, slots * 156, joins);
    take(Task::forward, Index{s.n_nodes} * 90, nodes);
    take(Task::forward, Index{s.n_groups} * group_size * 156, joins_of_nodes);
    take(Task::forward, s.n_carriers + 1, carriers);
    take(Task::inverse, slots, jet, force);
    take(Task::inverse, s.n_blocks, jet_total, jet_before, force_total, force_behind);
    take(Task::inverse, s.n_carriers + 1, ways);
    take(Task::inverse, s.n_paths, starts, contributions);
    take(Task::mass, slots, pose, mass);
    take(Task::mass, s.n_blocks, pose_total, pose_before, mass_total, mass_behind);
    take(Task::mass, s.n_carriers + 1, ways_to);
    take(Task::mass, s.n_paths, places, hung);
    take(Task::mass, Index{15} * s.nv, dofs);
  }
  /// Those of a state.
  TANDEM_HD ScanScratch of(Index state, int counters_of_state) const {
    ScanScratch s = *this;
    const auto move = [&](auto*& p) TANDEM_INLINE {
      p = reinterpret_cast<std::remove_reference_t<decltype(p)>>(reinterpret_cast<char*>(p) + state * apart);
    };
    move(s.prefix), move(s.before), move(s.total), move(s.w_0), move(s.kept), move(s.drift), move(s.base);
    move(s.joins), move(s.nodes), move(s.joins_of_nodes), move(s.brought), move(s.carriers);
    move(s.pose), move(s.mass), move(s.pose_total), move(s.pose_before), move(s.mass_total), move(s.mass_behind);
    move(s.ways_to), move(s.places), move(s.hung), move(s.dofs);
    move(s.jet), move(s.force), move(s.jet_total), move(s.jet_before), move(s.force_total), move(s.force_behind);
    move(s.ways), move(s.starts), move(s.contributions);
    s.counters += state * counters_of_state;
    return s;
  }
};

/// A call: passed to the kernels by value. In inverse dynamics a goes in and tau comes out.
template <class T>
struct ScanCallOnDevice {
  ModelView<T> m;
  ScanShape<T> shape;
  ScanScratch<T> scratch;
  Array<T> q, v, tau, f_ext, diagonal, a, M;
  Index first_state = 0;  ///< of those whose scratch memory is number 0
};

}  // namespace tandem::cuda
