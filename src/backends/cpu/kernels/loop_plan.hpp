// SPDX-License-Identifier: Apache-2.0
/// How divide and conquer takes links apart that hang together in loops: a HandlePlan with the ends of loop joints
/// among its handles.
#pragma once
#include <utility>
#include <vector>

#include "tandem/detail/scan/handle_plan.hpp"

namespace tandem::inline TANDEM_ISA {

/// A link has a handle for every loop joint at it, and what joins make of links keeps the handle until both ends of the
/// loop joint are its own: then a join by the loop joint takes both handles away. Loops on the base, and those between
/// the trees that hang there, are closed behind all other joins, when what hangs from the base was joined with it. So
/// every loop is closed where all joints that it leads through are within, and its forces are found from those of none
/// but the handles left.
///
/// As in a HandlePlan subsystems are joined in rounds, those first that leave no more handles than there were. A loop
/// through a subsystem is a handle more until it is closed, and subsystems get more handles than most_handles where
/// many loops lead through them: where no join is left that keeps the number of handles, the bound goes up to the least
/// that a join takes.
///
/// A plan is made once for a model; unlike that of a tree its size is not known before.
class LoopPlan {
 public:
  using Int = HandlePlan::Int;

  template <class M>
  explicit LoopPlan(const ModelView<M>& m) {
    n_links_ = m.n_links;
    plan_.first_rigid = plan_.n_edges = m.n_links + 2 * m.n_loops;
    owner_.assign(static_cast<std::size_t>(plan_.n_edges), base);
    add_leaves(m);
    Ints live;
    for (Int leaf = 0; leaf < plan_.n_leaves; ++leaf) live.push_back(leaf);
    end_level();
    for (bool any = true; any;) {
      any = close_loops(live);
      any = join(live, !any) || any;
      if (any) end_level();
    }
    if (m.n_loops > 0) {
      if (ground(live)) end_level();
      while (close_loops_on_base(live)) end_level();
    }
    root_ = live;
    point_to();
  }
  LoopPlan(const LoopPlan&) = delete;
  LoopPlan& operator=(const LoopPlan&) = delete;

  const HandlePlan& plan() const { return plan_; }

 private:
  using Ints = std::vector<Int>;
  static constexpr Int base = HandlePlan::base, most = HandlePlan::most_handles;

  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }
  Int handles(Int node) const { return handles_[at(node)]; }
  Int edge(Int node, Int handle) const { return edge_[at(first_edge_[at(node)] + handle)]; }
  bool is_loop_end(Int e) const { return e >= n_links_ && e < plan_.first_rigid; }
  Int other_end(Int e) const { return (e - n_links_) % 2 == 0 ? e + 1 : e - 1; }
  /// The handle of a node with this edge.
  Int handle_at(Int node, Int e) const {
    Int handle = 0;
    while (edge(node, handle) != e) ++handle;
    return handle;
  }

  Int add_node(Int inner, Int outer, Int joint, Int is_grounded, const Ints& edges) {
    const auto node = static_cast<Int>(handles_.size());
    inner_.push_back(inner);
    outer_.push_back(outer);
    at_.push_back(inner == base || inner == node ? 0 : handle_at(inner, joint));
    outer_at_.push_back(
        outer == base || outer == node ? 0 : handle_at(outer, is_loop_end(joint) ? other_end(joint) : joint));
    joint_.push_back(joint);
    grounded_.push_back(is_grounded);
    handles_.push_back(static_cast<Int>(edges.size()));
    first_edge_.push_back(static_cast<Int>(edge_.size()));
    edge_.insert(edge_.end(), edges.begin(), edges.end());
    made_.push_back(plan_.n_levels);
    for (std::size_t k = is_grounded ? 0 : 1; k < edges.size(); ++k) owner_[at(edges[k])] = node;
    const Index rows = HandlePlan::rows_of(handles(node)) + (is_grounded ? 6 * (handles(node) + 1) : 0);
    row_.push_back(row_.empty() ? 0 : end_row_);
    end_row_ = row_.back() + rows;
    return node;
  }
  void add_leaf(Int link, Int parts, const Ints& edges) {
    leaf_link_.push_back(link);
    leaf_end_.push_back(link + 1);
    leaf_parts_.push_back(parts);
    const auto leaf = plan_.n_leaves++;
    add_node(leaf, leaf, edges.front(), 0, edges);
  }

  /// Every link, in parts if more than three joints are at it besides its own.
  template <class M>
  void add_leaves(const ModelView<M>& m) {
    std::vector<Ints> beyond(at(m.n_links));
    for (Int i = 1; i < m.n_links; ++i) beyond[at(m.parent[i])].push_back(i);
    for (Int end = 0; end < 2 * m.n_loops; ++end) beyond[at(m.loop_link[end])].push_back(m.n_links + end);
    for (Int i = 1; i < m.n_links; ++i) {
      const Ints& all = beyond[at(i)];
      Int parts = 1;
      for (std::size_t held = all.size(); held > at(most - 1); held -= at(most - 2)) ++parts;
      Ints edges = {i};
      std::size_t given = 0;
      for (Int part = 1; part < parts; ++part) {
        while (edges.size() < at(most - 1)) edges.push_back(all[given++]);
        const Int rigid = plan_.n_edges++;
        owner_.push_back(base);
        edges.push_back(rigid);
        add_leaf(i, parts, edges);
        edges = {rigid};
      }
      edges.insert(edges.end(), all.begin() + static_cast<std::ptrdiff_t>(given), all.end());
      add_leaf(i, parts, edges);
    }
  }

  void end_level() {
    level_node_.push_back(static_cast<Int>(handles_.size()));
    plan_.n_levels = static_cast<Int>(level_node_.size()) - 1;
  }
  bool was_made_now(Int node) const { return node >= plan_.n_leaves && made_[at(node)] == plan_.n_levels; }
  /// The edges of a node but for those.
  Ints edges_but(Int node, Int one, Int other = base) const {
    Ints edges;
    for (Int k = 0; k < handles(node); ++k)
      if (edge(node, k) != one && edge(node, k) != other) edges.push_back(edge(node, k));
    return edges;
  }

  /// A loop of every subsystem that has both ends of one.
  bool close_loops(Ints& live) {
    bool any = false;
    for (Int& node : live)
      for (Int k = 1; k < handles(node); ++k) {
        const Int e = edge(node, k);
        if (!is_loop_end(e) || (e - n_links_) % 2 != 0 || owner_[at(other_end(e))] != node) continue;
        node = add_node(node, node, e, 0, edges_but(node, e, other_end(e)));
        any = true;
        break;
      }
    return any;
  }
  /// Loop joints between two subsystems.
  Int loops_between(Int P, Int Q) const {
    Int loops = 0;
    for (Int k = 1; k < handles(Q); ++k) loops += is_loop_end(edge(Q, k)) && owner_[at(other_end(edge(Q, k)))] == P;
    return loops;
  }

  /// Joins what can be joined in one round, from the tips inward; whether there was anything. If there was to be
  /// something the bound goes up until there is.
  bool join(Ints& live, bool something) {
    Ints place(handles_.size());
    for (std::size_t k = 0; k < live.size(); ++k) place[at(live[k])] = static_cast<Int>(k);
    Int least = -1;  // handles that a join leaves which would leave too many
    for (Int bound = 0;; bound = least, least = -1) {
      Ints left = live;
      bool any = false;
      for (std::size_t k = live.size(); k-- > 0;) {
        const Int Q = left[k];
        if (Q < 0 || was_made_now(Q)) continue;
        const Int e = edge(Q, 0), P = owner_[at(e)];
        if (P == base || was_made_now(P)) continue;
        const Int remain = handles(P) + handles(Q) - 2 - 2 * loops_between(P, Q);
        if (handles(Q) > 1 && handles(P) > 2 && remain > bound) {
          least = least < 0 || remain < least ? remain : least;
          continue;
        }
        Ints edges = edges_but(P, e);
        const Ints beyond = edges_but(Q, e);
        edges.insert(edges.end(), beyond.begin(), beyond.end());
        const Int v = add_node(P, Q, e, 0, edges);
        left[at(place[at(P)])] = v;
        left[k] = -1;
        any = true;
      }
      if (any) {
        std::erase(left, -1);
        live = left;
        return true;
      }
      if (least < 0 || !something) return false;
    }
  }

  /// What hangs from the base and has open loops is joined with it.
  bool ground(Ints& live) {
    bool any = false;
    for (Int& node : live)
      if (handles(node) > 1) {
        node = add_node(base, node, edge(node, 0), 1, edges_but(node, edge(node, 0)));
        any = true;
      }
    return any;
  }
  /// Loops of what was joined with the base, one of each in a round.
  bool close_loops_on_base(Ints& live) {
    Ints left = live;
    bool any = false;
    for (std::size_t k = 0; k < left.size(); ++k) {
      const Int node = left[k];
      if (node < 0 || !grounded_[at(node)] || handles(node) == 0 || was_made_now(node)) continue;
      const Int e = edge(node, 0), first = (e - n_links_) % 2 == 0 ? e : other_end(e);
      const Int one = owner_[at(first)], two = owner_[at(other_end(first))];
      if ((one != base && was_made_now(one)) || (two != base && was_made_now(two))) continue;
      Ints edges;
      if (one != base) edges = edges_but(one, first, one == two ? other_end(first) : base);
      if (two != base && two != one) {
        const Ints more = edges_but(two, other_end(first));
        edges.insert(edges.end(), more.begin(), more.end());
      }
      const Int v = add_node(one, two, first, 1, edges);
      for (Int& other : left)
        if (other >= 0 && (other == one || other == two)) other = -1;
      left[k] = v;
      any = true;
    }
    std::erase(left, -1);
    live = left;
    return any;
  }

  void point_to() {
    row_.push_back(end_row_);
    plan_.n_nodes = static_cast<Int>(handles_.size());
    plan_.n_roots = static_cast<Int>(root_.size());
    for (const auto& [to, from] : {std::pair{&plan_.leaf_link, &leaf_link_},
                                   {&plan_.leaf_end, &leaf_end_},
                                   {&plan_.leaf_parts, &leaf_parts_},
                                   {&plan_.inner, &inner_},
                                   {&plan_.outer, &outer_},
                                   {&plan_.at, &at_},
                                   {&plan_.outer_at, &outer_at_},
                                   {&plan_.joint, &joint_},
                                   {&plan_.grounded, &grounded_},
                                   {&plan_.handles, &handles_},
                                   {&plan_.first_edge, &first_edge_},
                                   {&plan_.edge, &edge_},
                                   {&plan_.level_node, &level_node_},
                                   {&plan_.root, &root_}})
      *to = from->data();
    plan_.row = row_.data();
  }

  HandlePlan plan_;
  Int n_links_ = 0;
  Ints leaf_link_, leaf_end_, leaf_parts_, inner_, outer_, at_, outer_at_, joint_, grounded_, handles_, first_edge_,
      edge_, level_node_, root_;
  std::vector<Index> row_;
  Index end_row_ = 0;
  // of each edge: the subsystem from which it leads outward, of ends of loops the one that they are at; of each node:
  // the level in which it was made
  Ints owner_, made_;
};

}  // namespace tandem::inline TANDEM_ISA
