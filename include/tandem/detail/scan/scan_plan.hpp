// SPDX-License-Identifier: Apache-2.0
/// How scans cut a robot: a tree into paths, paths into chunks, chunks into groups that run in lockstep.
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/core/arena.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// True for a robot without branches and mimic joints.
template <class M>
TANDEM_HD bool is_chain(const ModelView<M>& m) {
  return m.n_mimic == 0 && (m.n_dof == 0 || m.dof_run_start[m.n_dof - 1] == 0);
}

/// Chunks of a full group: as many as the widest vector register has lanes. The same on every instruction set, so that
/// the way a robot is cut does not depend on who works on it.
template <class S>
inline constexpr int chunks_in_group = sizeof(S) <= 4 ? 16 : 8;

/// Joints of a chunk that lanes look at together: what they read of a call is transposed for so many at a time.
inline constexpr int scan_block = 16;
/// Calls f(first joint, number of joints) for every block.
template <class F>
TANDEM_HD void outward_blocks(int steps, F&& f) {
  for (int k = 0; k < steps; k += scan_block) f(k, steps - k < scan_block ? steps - k : scan_block);
}
template <class F>
TANDEM_HD void inward_blocks(int steps, F&& f) {
  for (int k = (steps - 1) / scan_block * scan_block; k >= 0; k -= scan_block)
    f(k, steps - k < scan_block ? steps - k : scan_block);
}

/// Joints that chunks in lockstep share.
enum class ScanKind : std::int32_t {
  revolute,   ///< all of them
  one_dof,    ///< revolute, prismatic and helical
  spherical,  ///< all of them
  any         ///< chunks that run one after the other
};

/// Links stand in an order of positions 0 .. n - 1 in which every path, and on it every chunk, is a run of neighbours.
/// A path goes on from each link to the child with the most links behind it, so that there are at most log2 n levels of
/// paths. The cuts depend on the model, the precision and the options only.
struct ScanPlan {
  using Int = std::int32_t;
  Int n = 0, n_chunks = 0, n_paths = 0, n_levels = 0, n_groups = 0, n_slots = 0;
  int lanes = 1;            ///< chunks of a full group
  int joined_in_a_row = 0;  ///< chunks of a path that are joined one after the other at most
  Int* link = nullptr;      ///< [n] at each position; null for a chain, where it is position + 1
  Int* slot = nullptr;  ///< [n_links] 1 .. n_slots for links that carry the first link of another path, else 0; or null
  Int* slot_chunk = nullptr;   ///< [n_slots + 1] the chunk of such a link
  Int* path_link = nullptr;    ///< [n_paths] the link that a path hangs from
  Int* path_chunk = nullptr;   ///< [n_paths + 1] first chunk of each path
  Int* level_path = nullptr;   ///< [n_levels + 1] first path of each level, the level of the base first
  Int* level_group = nullptr;  ///< [n_levels + 1] first group
  Int* chunk = nullptr;        ///< [n_chunks + 1] first position of each chunk
  Int* chunk_kind = nullptr;   ///< [n_chunks]
  Int* group_chunk = nullptr;  ///< [n_groups + 1] first chunk of each group
  Int* group_kind = nullptr;   ///< [n_groups]
  Int* group_steps = nullptr;  ///< [n_groups] joints of its longest chunk
  Int* group_dof = nullptr;    ///< [n_groups] most degrees of freedom of a joint
  Int* group_ends = nullptr;   ///< [n_groups] 1 if nothing hangs from the ends of its chunks
  Index* group_row = nullptr;  ///< [n_groups + 1] first row of its scratch memory

  TANDEM_HD Int link_at(Index position) const { return link ? link[position] : static_cast<Int>(position) + 1; }
  /// From chunk to chunk of a group of several.
  TANDEM_HD Index rows_of_chunk(Index g) const { return (group_row[g + 1] - group_row[g]) / lanes; }

  TANDEM_HD Index chunks_of_path(Index p) const { return path_chunk[p + 1] - path_chunk[p]; }
  /// The path of a chunk of a level.
  TANDEM_HD Index path_of(Index c, Index level) const {
    Index first = level_path[level], last = level_path[level + 1] - 1;
    while (first < last) {
      const Index middle = (first + last + 1) / 2;
      if (path_chunk[middle] <= c)
        first = middle;
      else
        last = middle - 1;
    }
    return first;
  }
  /// Paths of a level: alone(p) side by side; then, one after the other, together(p) of those that are long, and of one
  /// that has the level to itself.
  template <class Executor, class IsLong, class Alone, class Together>
  TANDEM_HD void for_each_path(const Executor& executor, Index level, const IsLong& is_long, const Alone& alone,
                               const Together& together) const {
    const Index first = level_path[level], count = level_path[level + 1] - first;
    if (count == 1) return together(first);
    executor.for_each(count, [&](Index k) TANDEM_INLINE {
      if (!is_long(first + k)) alone(first + k);
    });
    for (Index p = first; p < first + count; ++p)
      if (is_long(p)) together(p);
  }
};

/// What decides how a robot is cut.
struct ScanCut {
  Index (*rows)(int dof, int steps);  ///< scratch memory of a chunk, joints of so many degrees of freedom at most
  int lanes = 1;                      ///< chunks that run in lockstep at most
  int chunk = 0, chunks = 0;          ///< joints of a chunk, or chunks of a path; what suits the lanes if not given
  double load_ratio = 1;              ///< length of the last chunk of a path over that of the others
  bool heaviest_only = false;         ///< of all paths only the one with the most links is cut
  bool even = false;                  ///< no matter at which links
  int joined_in_a_row = 32;           ///< chunks of a path up to which a tree of joins gains nothing
};

template <class M>
class ScanPlanner {
 public:
  using Int = ScanPlan::Int;
  static constexpr int max_levels = 33;
  static constexpr Index lines = 16;  ///< every group begins at a cache line

  ScanPlanner(const ModelView<M>& m, const ScanCut& cut) : m_(m), cut_(cut), chain_(is_chain(m)) {
    plan_.lanes = cut.lanes;
    plan_.joined_in_a_row = cut.joined_in_a_row;
    plan_.n = m.n_links - 1;
    for (int i = 1; i < m.n_links && !chain_; ++i) {
      leaves_ += m.last_child[i] == 0;
      slots_ += m.last_child[i] > i + 1;
    }
  }

  Index most_chunks() const {
    if (chain_) return 1 + chunks_of(plan_.n, ScanKind::any) + chunks_of(plan_.n, ScanKind::one_dof);
    if (cut_.heaviest_only) return 2 * leaves_ + chunks_of(plan_.n, ScanKind::any);
    return 3 * leaves_ + plan_.n / smallest_chunk();
  }
  /// Rows of scratch memory for the chunks.
  Index most_rows() const {
    Int dof = 1;
    for (int i = 1; i < m_.n_links; ++i) dof = dof < nv(i) ? nv(i) : dof;
    if (m_.nv == plan_.n) dof = 1;
    const int in_packs = dof < 3 ? dof : 3;  // of lanes; other joints run alone
    const Index n = plan_.n, W = plan_.lanes;
    const auto rows = [&](int d, Index chunks) { return cut_.rows(d, plan_.n) + chunks * (cut_.rows(d, 1) + lines); };
    if (!chain_) {
      const Index lanes = (W / 3 + 1) * rows(in_packs, 2 * most_chunks()), alone = rows(dof, 2 * most_chunks());
      return lanes > alone ? lanes : alone;
    }
    const Index chunks = chunks_of(n, ScanKind::one_dof), groups = (chunks + W - 1) / W + 1;
    const auto steps = static_cast<int>((n + chunks - 1) / chunks + window(n / chunks) + 1);
    const Index lanes = groups * (W * cut_.rows(in_packs, steps) + lines) + cut_.rows(dof, 1),
                alone = rows(dof, most_chunks());
    return lanes > alone ? lanes : alone;
  }
  Index slots() const { return slots_; }

  /// Takes the memory of the plan.
  void lay_out(Arena& arena) {
    const Index chunks = most_chunks() + 1;
    arena.take(leaves_ + 2, plan_.path_link, plan_.path_chunk);
    arena.take(max_levels + 1, plan_.level_path, plan_.level_group);
    arena.take(chunks, plan_.chunk, plan_.chunk_kind, plan_.group_chunk, plan_.group_kind, plan_.group_steps,
               plan_.group_dof, plan_.group_ends, plan_.group_row);
    if (chain_) return;
    arena.take(slots_ + 2, plan_.slot_chunk);
    arena.take(m_.n_links, plan_.link, plan_.slot, size_, heavy_, level_, heads_);
  }
  /// Makes the plan in the memory taken.
  ScanPlan plan() {
    if (chain_)
      add_chain();
    else
      add_paths();
    plan_.path_chunk[plan_.n_paths] = plan_.n_chunks;
    plan_.level_path[plan_.n_levels] = plan_.n_paths;
    plan_.chunk[plan_.n_chunks] = plan_.n;
    group();
    return plan_;
  }

 private:
  int nv(int i) const {
    return on_joint(m_, i, [](auto joint) { return decltype(joint)::nv; });
  }

  /// Links that a path must have to be cut, and links of a chunk at most.
  Index smallest_chunk() const { return cut_.chunk > 0 ? cut_.chunk : cut_.heaviest_only ? 8 : cut_.even ? 1 : 4; }
  Index chunks_of(Index length, ScanKind kind) const {
    Index chunks = 1;
    const Index W = plan_.lanes;
    if (cut_.chunks > 0)
      chunks = cut_.chunks;
    else if (cut_.chunk > 0)
      chunks = (length + cut_.chunk - 1) / cut_.chunk;
    else if (kind == ScanKind::any)
      chunks = length < 512 ? 1 : (length + 255) / 256;
    else if (length >= 32) {
      const Index longest = W == 8 ? 256 : 128;  // what a group keeps then stays in the cache next to the core
      chunks = length < 8 * W ? 8 : W * ((length + longest * W - 1) / (longest * W));
    }
    const Index most = (length + smallest_chunk() - 1) / smallest_chunk();
    return chunks < most ? chunks : most < 1 ? 1 : most;
  }
  /// Positions before its even place within which a cut may be moved.
  static Index window(Index length) { return length > 16 ? 16 : length > 1 ? length - 1 : length; }

  ScanKind kind_of(Index begin, Index end) const {
    bool turns = true, one = true, spherical = true;
    for (Index k = begin; k < end; ++k) {
      const JointType t = m_.type[plan_.link_at(k)];
      const bool turn = (t == JointType::revolute) | (t == JointType::continuous);
      turns = turns & turn;
      one = one & (turn | (t == JointType::prismatic) | (t == JointType::helical));
      spherical = spherical & (t == JointType::spherical);
    }
    return turns ? ScanKind::revolute : one ? ScanKind::one_dof : spherical ? ScanKind::spherical : ScanKind::any;
  }

  void add_chunk(Index begin, ScanKind kind) {
    plan_.chunk[plan_.n_chunks] = static_cast<Int>(begin);
    plan_.chunk_kind[plan_.n_chunks++] = static_cast<Int>(kind);
  }

  /// How much inertia the joint at a position finds in its own link; moments are divided by the square of a length.
  M heft(Index position, M square) const {
    const Int i = plan_.link_at(position);
    const M* inertia = m_.inertia + Index{10} * i;
    switch (m_.type[i]) {
      case JointType::revolute:
      case JointType::continuous:
      case JointType::helical: return (inertia[6] + m_.armature[m_.v_index[i]]) / square;
      case JointType::prismatic: return inertia[0] + m_.armature[m_.v_index[i]];
      default: {  // a joint of several degrees of freedom needs a body, if it turns not a point
        const bool body = (inertia[4] > 0) & (inertia[5] > 0) & (inertia[6] > 0);
        return body ? inertia[0] : M(0);
      }
    }
  }

  /// The last link of a chunk is the only one whose own inertia has to carry its joint: from the last place for a cut
  /// inward to the next link that has the given share of the most inertia there. 0 if there is none.
  Index heavy_cut(Index first, Index cut, M share) const {
    M square(0), most(0);
    for (Index k = first; k < cut; ++k)
      for (int row = 9; row < 12; ++row) {
        const M x = m_.placement[Index{12} * plan_.link_at(k) + row];
        square += x * x / static_cast<M>(cut - first);
      }
    if (square == M(0)) square = M(1);
    for (Index k = first; k < cut; ++k) most = most < heft(k, square) ? heft(k, square) : most;
    if (most == M(0)) return 0;
    for (Index k = cut; k > first; --k)
      if (!(heft(k - 1, square) < share * most)) return k;
    return cut;
  }

  /// Behind the heaviest of a few links about an even place: alone in a long chunk, a light one would lose digits.
  Index heaviest_cut(Index even, Index end) const {
    constexpr Index reach = 4;
    const Index before = plan_.chunk[plan_.n_chunks - 1];
    return heavy_cut(even - reach > before ? even - reach : before, even + reach < end ? even + reach : end - 1, M(1));
  }

  void add_run(Index begin, Index end, ScanKind kind, Index chunks) {
    add_chunk(begin, kind);
    const auto length = static_cast<double>(end - begin), shares = static_cast<double>(chunks) - 1 + cut_.load_ratio;
    const auto share = static_cast<Index>(length / shares), w = window(share);
    for (Index c = 1; c < chunks; ++c) {
      const Index even = begin + static_cast<Index>(length * static_cast<double>(c) / shares);
      const Index cut = cut_.even            ? even
                        : cut_.heaviest_only ? heaviest_cut(even, end)
                                             : heavy_cut(even - (w < share ? w : share), even, M(0.125));
      if (cut > plan_.chunk[plan_.n_chunks - 1]) add_chunk(cut, kind);
    }
  }

  /// A path over positions begin .. end - 1; `heaviest`: the one from the base with the most links.
  void add_path(Int hangs_from, Index begin, Index end, bool heaviest) {
    plan_.path_link[plan_.n_paths] = hangs_from;
    plan_.path_chunk[plan_.n_paths++] = plan_.n_chunks;
    ScanKind kind = kind_of(begin, end);
    const Index worth_a_join =
        cut_.lanes > 1 ? 8 : 256;  // lanes, or rows for no more degrees of freedom than joints have
    if (kind == ScanKind::any && end - begin > worth_a_join) {
      const ScanKind rest = kind_of(begin + 1, end);
      if (rest != ScanKind::any) {  // the joint of a floating base, alone
        add_chunk(begin, ScanKind::any);
        ++begin;
        kind = rest;
      }
    }
    add_run(begin, end, kind, heaviest || !cut_.heaviest_only ? chunks_of(end - begin, kind) : 1);
  }

  void add_chain() {
    plan_.n_levels = 1;
    plan_.level_path[0] = 0;
    if (plan_.n > 0) add_path(0, 0, plan_.n, true);
  }

  void add_paths() {
    const Int n_links = m_.n_links;
    Int *const size = size_, *const heavy = heavy_, *const level = level_, *const heads = heads_;
    for (Int i = 0; i < n_links; ++i) size[i] = 1, heavy[i] = 0, plan_.slot[i] = 0;
    for (Int i = n_links - 1; i >= 1; --i) size[m_.parent[i]] += size[i];
    for (Int i = n_links - 1; i >= 1; --i) {
      const Int p = m_.parent[i];
      if (heavy[p] == 0 || size[heavy[p]] <= size[i]) heavy[p] = i;
    }
    // paths begin at all children of the base and at children that are not the heavy ones, by level
    Int n_heads[max_levels + 1] = {};
    const auto begins = [&](Int i) { return m_.parent[i] == 0 || heavy[m_.parent[i]] != i; };
    for (Int i = 1; i < n_links; ++i) {
      const Int p = m_.parent[i];
      level[i] = p == 0 ? 0 : level[p] + (begins(i) ? 1 : 0);
      if (begins(i)) ++n_heads[level[i]];
    }
    Int next[max_levels + 1] = {};
    for (Int l = 0; n_heads[l] > 0; ++l) {
      next[l + 1] = next[l] + n_heads[l];
      plan_.n_levels = l + 1;
    }
    for (Int l = 0; l < plan_.n_levels; ++l) plan_.level_path[l] = next[l];
    for (Int i = 1; i < n_links; ++i)
      if (begins(i)) heads[next[level[i]]++] = i;
    Index position = 0;
    for (Int k = 0; k < next[plan_.n_levels - 1]; ++k) {
      const Index begin = position;
      for (Int i = heads[k]; i != 0; i = heavy[i]) plan_.link[position++] = i;
      const Int p = m_.parent[heads[k]];
      if (p != 0 && plan_.slot[p] == 0) plan_.slot[p] = ++plan_.n_slots;
      add_path(p, begin, position, heads[k] == heavy[0]);
    }
    plan_.chunk[plan_.n_chunks] = plan_.n;
    for (Int c = 0; c < plan_.n_chunks; ++c)
      for (Index k = plan_.chunk[c]; k < plan_.chunk[c + 1]; ++k)
        if (const Int s = plan_.slot[plan_.link[k]]) plan_.slot_chunk[s] = c;
  }

  Int length(Int c) const { return plan_.chunk[c + 1] - plan_.chunk[c]; }

  /// Neighbouring chunks of a level with joints of one kind side by side, if that fills the lanes somewhat.
  void group() {
    Index row = 0;
    Int path = 0;
    for (Int l = 0; l < plan_.n_levels; ++l) {
      plan_.level_group[l] = plan_.n_groups;
      const Int end = plan_.path_chunk[plan_.level_path[l + 1]];
      for (Int c = plan_.path_chunk[plan_.level_path[l]]; c < end;) {
        const Int g = plan_.n_groups++, first = c;
        Int longest = 0, sum = 0;
        for (; c < end && c < first + plan_.lanes && plan_.chunk_kind[c] == plan_.chunk_kind[first]; ++c) {
          longest = longest < length(c) ? length(c) : longest;
          sum += length(c);
        }
        const bool in_lanes = plan_.chunk_kind[first] != static_cast<Int>(ScanKind::any) && sum >= 3 * longest;
        if (!in_lanes) {
          c = first + 1;
          longest = length(first);
        }
        Int dof = 1, ends = 1;
        for (Index k = plan_.chunk[first]; k < plan_.chunk[c] && m_.nv != plan_.n; ++k)
          dof = dof < nv(plan_.link_at(k)) ? nv(plan_.link_at(k)) : dof;
        for (Int i = first; i < c; ++i) {
          while (plan_.path_chunk[path + 1] <= i) ++path;
          if (plan_.path_chunk[path + 1] != i + 1) ends = 0;
        }
        plan_.group_chunk[g] = first;
        plan_.group_kind[g] = in_lanes ? plan_.chunk_kind[first] : static_cast<Int>(ScanKind::any);
        plan_.group_steps[g] = longest;
        plan_.group_dof[g] = dof;
        plan_.group_ends[g] = ends;
        plan_.group_row[g] = row;
        row += (in_lanes ? plan_.lanes : 1) * cut_.rows(dof, longest);
        row = (row + lines - 1) / lines * lines;
      }
    }
    plan_.level_group[plan_.n_levels] = plan_.n_groups;
    plan_.group_chunk[plan_.n_groups] = plan_.n_chunks;
    plan_.group_row[plan_.n_groups] = row;
  }

  const ModelView<M>& m_;
  const ScanCut cut_;
  ScanPlan plan_;
  const bool chain_;
  Index leaves_ = 1, slots_ = 0;
  // of each link: links from it on, the child with the most of them, the level of its path; first links of all paths
  Int *size_ = nullptr, *heavy_ = nullptr, *level_ = nullptr, *heads_ = nullptr;
};

}  // namespace tandem::inline TANDEM_ISA
