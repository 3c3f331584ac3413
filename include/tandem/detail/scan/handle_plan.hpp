// SPDX-License-Identifier: Apache-2.0
/// How divide and conquer takes a tree of links apart: subsystems, each seen through a few handles, joined two by two.
#pragma once
#include "tandem/detail/core/arena.hpp"
#include "tandem/model/view.hpp"

namespace tandem::inline TANDEM_ISA {

/// A connected subsystem touches what is around it at its handles: at handle 0 it hangs from the link before it, from
/// all others something hangs. A handle is known by its edge: that of joint i is i, edges `first_rigid` and up are
/// rigid and hold the parts of a link together that was split; those between are the ends of loop joints, two of each.
///
/// Nodes are subsystems: leaves first, then what joins make of them, level by level. Joins of a level have nothing to
/// do with each other. A subsystem is joined with what it hangs from if nothing hangs from itself, which takes a handle
/// away, or if the other one has no handles but the two that this leaves as many as there were. So none ever has more
/// than most_handles, and every level leaves at most a fixed share of the subsystems: their number is of the order of
/// log n.
struct HandlePlan {
  using Int = std::int32_t;
  /// What a join costs grows like the square of the handles, all joins at a link like the cube: links with more joints
  /// are split.
  static constexpr Int most_handles = 4;
  static constexpr Int base = -1;  ///< in the place of a subsystem

  Int n_leaves = 0, n_nodes = 0, n_edges = 0, n_levels = 0, n_roots = 0, first_rigid = 0;
  Int* leaf_link = nullptr;   ///< [n_leaves] its first link
  Int* leaf_end = nullptr;    ///< [n_leaves] and the one after its last
  Int* leaf_parts = nullptr;  ///< [n_leaves] parts that its link was split into, this among them
  Int* inner = nullptr;     ///< [n_nodes] what a join joins, from n_leaves on: the one nearer to the base, or the base,
  Int* outer = nullptr;     ///< [n_nodes] the one that hangs from it by its handle 0; of loop joints that of link 2
  Int* at = nullptr;        ///< [n_nodes] at which handle of the inner one,
  Int* outer_at = nullptr;  ///< [n_nodes] and of the outer one,
  Int* joint = nullptr;     ///< [n_nodes] by which edge, of loop joints that of its end 0
  Int* grounded = nullptr;  ///< [n_nodes] 1: joined with the base, it hangs from nothing any more
  Int* handles = nullptr;   ///< [n_nodes] how many
  Int* first_edge = nullptr;  ///< [n_nodes] where their edges begin in
  Int* edge = nullptr;        ///< edges of all nodes
  Int* level_node = nullptr;  ///< [n_levels + 1] first node of every level of joins
  Int* root = nullptr;        ///< [n_roots] the subsystems that hang from the base
  Index* row = nullptr;       ///< [n_nodes + 1] first row of scratch memory

  TANDEM_HD Int edge_of(Index node, Int handle) const { return edge[first_edge[node] + handle]; }
  TANDEM_HD bool is_leaf(Index node) const { return node < n_leaves; }
  TANDEM_HD bool is_rigid(Index edge_) const { return edge_ >= first_rigid; }
  /// Numbers of a subsystem with so many handles: b of each, the symmetric P of each, the P of each pair.
  TANDEM_HD static constexpr Index rows_of(Index handles) { return 27 * handles + 18 * handles * (handles - 1); }
};

/// Of how many links leaves are, as the options of divide_and_conquer say it.
struct HandleCut {
  int chunks = 0;         ///< so many leaves of a chain, leaves as long as those would be of a tree; 0: a link each
  double load_ratio = 0;  ///< links of a leaf that nothing hangs from over those of another one

  TANDEM_HD bool leaves_are_links() const { return chunks == 0 && load_ratio < 2; }
};

/// Makes such plans.
template <class M>
class HandlePlanner {
 public:
  using Int = HandlePlan::Int;

  TANDEM_HD explicit HandlePlanner(const ModelView<M>& m, const HandleCut& cut = {}) : m_(m), cut_(cut) {
    for (Int i = 1; i < m.n_links; ++i) branches_ += m.parent[i] != i - 1;
  }
  TANDEM_HD Index most_edges() const { return m_.n_links + split(); }
  /// Rows of scratch memory for all subsystems: leaves have two handles and what branches add, joins at most all.
  TANDEM_HD Index most_rows() const {
    const Index another = HandlePlan::rows_of(most) - HandlePlan::rows_of(most - 1);
    return leaves() * HandlePlan::rows_of(2) + (branches_ + 2 * split()) * another +
           leaves() * HandlePlan::rows_of(most);
  }

  /// Takes the memory of the plan.
  TANDEM_HD void lay_out(Arena& arena) {
    const Index nodes = 2 * leaves();
    arena.take(leaves() + 1, plan_.leaf_link, plan_.leaf_end, plan_.leaf_parts, plan_.level_node, plan_.root);
    arena.take(nodes, plan_.inner, plan_.outer, plan_.at, plan_.outer_at, plan_.joint, plan_.grounded, plan_.handles,
               plan_.first_edge, made_, place_);
    arena.take(HandlePlan::most_handles * nodes, plan_.edge);
    arena.take(nodes + 1, plan_.row);
    arena.take(most_edges(), owner_);
    arena.take(m_.n_links, filled_, behind_);
  }
  /// Makes the plan in the memory taken.
  TANDEM_HD HandlePlan plan() {
    plan_.n_edges = plan_.first_rigid = m_.n_links;
    Int* const subsystems = plan_.root;  // those that are left, the inner ones first
    add_leaves();
    Int left = 0;
    for (Int leaf = 0; leaf < plan_.n_leaves; ++leaf) put(subsystems, left++, leaf, 0);
    plan_.n_nodes = plan_.level_node[0] = plan_.n_leaves;
    while (join_all(subsystems, left, plan_.n_levels + 1)) {
      const Int before = left;
      left = 0;
      for (Int k = 0; k < before; ++k)
        if (const Int v = subsystems[k]; v >= 0) put(subsystems, left++, v, made_[v]);
      plan_.level_node[++plan_.n_levels] = plan_.n_nodes;
    }
    plan_.n_roots = left;
    plan_.row[0] = 0;
    for (Int v = 0; v < plan_.n_nodes; ++v) plan_.row[v + 1] = plan_.row[v] + HandlePlan::rows_of(plan_.handles[v]);
    return plan_;
  }

 private:
  static constexpr Int most = HandlePlan::most_handles, base = HandlePlan::base;

  /// Parts that links have beyond the first, at most, and leaves.
  TANDEM_HD Index split() const { return branches_ / (most - 2); }
  TANDEM_HD Index leaves() const { return m_.n_links + split(); }

  TANDEM_HD void put(Int* subsystems, Int k, Int node, Int round) {
    subsystems[k] = node;
    place_[node] = k;
    made_[node] = round;
  }
  TANDEM_HD void begin(Int node) {
    plan_.first_edge[node] = most * node;
    plan_.handles[node] = plan_.grounded[node] = 0;
  }
  TANDEM_HD void add_handle(Int node, Int edge) { plan_.edge[most * node + plan_.handles[node]++] = edge; }
  TANDEM_HD Int add_leaf(Int link, Int end, Int parts, Int edge) {
    const Int leaf = plan_.n_leaves++;
    plan_.leaf_link[leaf] = link;
    plan_.leaf_end[leaf] = end;
    plan_.leaf_parts[leaf] = parts;
    begin(leaf);
    add_handle(leaf, edge);
    return leaf;
  }

  /// The link after the last one of a leaf that begins at link i. Links behind a link have the numbers after its own.
  TANDEM_HD Int end_of_leaf(Int i) const {
    if (cut_.chunks > 0) {
      const double last = cut_.load_ratio > 0 ? cut_.load_ratio : 1, links = m_.n_links - 1;
      const double all = cut_.chunks - 1 + last;
      for (int c = 1; c < cut_.chunks; ++c)
        if (const Int cut = 1 + static_cast<Int>(links * c / all); cut > i) return cut;
      return m_.n_links;
    }
    return behind_[i] <= cut_.load_ratio ? i + behind_[i] : i + 1;
  }
  /// The same of a tree in chunks: a branch that is no longer than a chunk, or a run of links without one. Of links
  /// whose turn has not come `filled_` has the children.
  TANDEM_HD Int end_of_chunk(Int i) const {
    const Int links = (m_.n_links - 2 + cut_.chunks) / cut_.chunks;
    const double last = cut_.load_ratio > 0 ? cut_.load_ratio : 1;
    if (behind_[i] <= last * links) return i + behind_[i];
    Int end = i + 1;
    while (end - i < links && filled_[end - 1] == 1 && filled_[end] == 1) ++end;
    return end;
  }

  /// Every link, in parts if it has too many joints: a part has its share of the children, and the next part. Or leaves
  /// of several links, which have a child at most.
  TANDEM_HD void add_leaves() {
    Int* const children = filled_;  // until the link's turn comes, then the leaf whose handles are being filled
    for (Int i = 0; i < m_.n_links; ++i) children[i] = 0, behind_[i] = 1;
    for (Int i = m_.n_links - 1; i >= 1; --i) {
      ++children[m_.parent[i]];
      behind_[m_.parent[i]] += behind_[i];
    }
    Int end = 1;
    for (Int i = 1; i < m_.n_links; i = end) {
      end = cut_.chunks > 0 && branches_ > 0 ? end_of_chunk(i) : end_of_leaf(i);
      owner_[i] = base;
      if (const Int p = m_.parent[i]; p > 0) {
        if (plan_.handles[filled_[p]] == most) ++filled_[p];
        add_handle(filled_[p], i);
        owner_[i] = filled_[p];
      }
      Int parts = 1;
      for (Int held = end == i + 1 ? children[i] : 1; held > most - 1; held -= most - 2) ++parts;
      filled_[end - 1] = add_leaf(i, end, parts, i);
      for (Int k = 1; k < parts; ++k) {
        const Int rigid = plan_.n_edges++, last = plan_.n_leaves - 1;
        owner_[rigid] = last;
        add_handle(last, rigid);
        add_leaf(i, end, parts, rigid);
      }
    }
  }

  /// Joins what can be joined in one round, from the tips inward; whether there was anything.
  TANDEM_HD bool join_all(Int* subsystems, Int n, Int round) {
    const Int before = plan_.n_nodes;
    for (Int k = n - 1; k >= 0; --k) {
      const Int Q = subsystems[k];
      if (Q < 0 || made_[Q] == round) continue;
      const Int joint = plan_.edge[most * Q], P = owner_[joint];
      if (P == base || made_[P] == round || (plan_.handles[Q] > 1 && plan_.handles[P] > 2)) continue;
      const Int v = plan_.n_nodes++;
      plan_.inner[v] = P;
      plan_.outer[v] = Q;
      plan_.outer_at[v] = 0;
      plan_.joint[v] = joint;
      begin(v);
      for (Int l = 0; l < plan_.handles[P]; ++l)
        if (plan_.edge[most * P + l] != joint)
          add_handle(v, plan_.edge[most * P + l]);
        else
          plan_.at[v] = l;
      for (Int l = 1; l < plan_.handles[Q]; ++l) add_handle(v, plan_.edge[most * Q + l]);
      for (Int l = 1; l < plan_.handles[v]; ++l) owner_[plan_.edge[most * v + l]] = v;
      put(subsystems, place_[P], v, round);
      subsystems[k] = -1;
    }
    return plan_.n_nodes > before;
  }

  const ModelView<M>& m_;
  const HandleCut cut_;
  HandlePlan plan_;
  Index branches_ = 0;
  // of each edge: the subsystem from which it leads outward; of each link: its children, the part that gets the next
  // one, and the links behind it, itself among them; of each node: the round in which it was made, and its place among
  // those left
  Int *owner_ = nullptr, *filled_ = nullptr, *behind_ = nullptr, *made_ = nullptr, *place_ = nullptr;
};

}  // namespace tandem::inline TANDEM_ISA
