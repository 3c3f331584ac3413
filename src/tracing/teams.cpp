// SPDX-License-Identifier: Apache-2.0
#include "teams.hpp"

#include <algorithm>
#include <bit>

#include "tracing/at.hpp"

namespace tandem {
namespace {

/// Links of the subtree of every link.
std::vector<std::int32_t> sizes_of_subtrees(const ModelView<double>& m) {
  std::vector<std::int32_t> size(at(m.n_links), 1);
  for (std::int32_t i = m.n_links - 1; i > 0; --i) size[at(m.parent[i])] += size[at(i)];
  return size;
}

std::vector<std::int32_t> children_of(const ModelView<double>& m, std::int32_t link) {
  std::vector<std::int32_t> children;
  for (std::int32_t i = link + 1; i < m.n_links; ++i)
    if (m.parent[i] == link) children.push_back(i);
  return children;
}

/// The link at which the subtree of one branches, or -1.
std::int32_t branching(const ModelView<double>& m, std::int32_t link) {
  for (;;) {
    const auto children = children_of(m, link);
    if (children.size() != 1) return children.empty() ? -1 : link;
    link = children.front();
  }
}

/// Subtrees that most of the robot is made of, as few as make the longest one a small part of it.
std::vector<std::int32_t> roots_of_limbs(const ModelView<double>& m, std::int32_t wanted) {
  const auto size = sizes_of_subtrees(m);
  std::vector<std::int32_t> roots = {0};
  while (static_cast<std::int32_t>(roots.size()) < wanted) {
    const auto largest = std::max_element(roots.begin(), roots.end(),
                                          [&](std::int32_t a, std::int32_t b) { return size[at(a)] < size[at(b)]; });
    const std::int32_t where = branching(m, *largest);
    if (where < 0) break;
    roots.erase(largest);
    for (const std::int32_t child : children_of(m, where)) roots.push_back(child);
  }
  return roots;
}

}  // namespace

Limbs limbs_of(const ModelView<double>& m, std::int32_t most) {
  const auto size = sizes_of_subtrees(m);
  auto roots = roots_of_limbs(m, std::min(most, 4));
  std::sort(roots.begin(), roots.end(), [&](std::int32_t a, std::int32_t b) {
    return size[at(a)] != size[at(b)] ? size[at(a)] > size[at(b)] : a < b;
  });
  // the fewest limbs, of several subtrees each, of which none is much longer than the longest subtree
  std::vector<std::int32_t> limb_of_root;
  std::int32_t count = std::min<std::int32_t>(2, static_cast<std::int32_t>(roots.size()));
  for (;; ++count) {
    std::vector<std::int32_t> length(at(count));
    limb_of_root.clear();
    for (const std::int32_t root : roots) {
      const auto shortest = std::min_element(length.begin(), length.end());
      limb_of_root.push_back(static_cast<std::int32_t>(shortest - length.begin()));
      *shortest += size[at(root)];
    }
    const std::int32_t longest = *std::max_element(length.begin(), length.end());
    if (count >= most || count >= static_cast<std::int32_t>(roots.size()) || 4 * longest <= 5 * size[at(roots.front())])
      break;
  }
  Limbs limbs = {std::vector<std::int32_t>(at(m.n_links), -1), count};
  for (std::size_t k = 0; k < roots.size(); ++k) limbs.of_link[at(roots[k])] = limb_of_root[k];
  for (std::int32_t i = 1; i < m.n_links; ++i)  // what hangs from a limb is part of it
    if (limbs.of_link[at(i)] < 0) limbs.of_link[at(i)] = limbs.of_link[at(m.parent[i])];
  return limbs;
}

namespace {

/// The limb whose joint or link each row of the columns is of, or -1 where several have to do with it or none.
std::vector<std::vector<std::int32_t>> limbs_of_rows(const RecordedFunction& function, const ModelView<double>& m,
                                                     const Limbs& limbs) {
  constexpr std::int32_t nobody = -2;
  const auto limbs_of = [&](std::int32_t rows, const std::int32_t* first, auto length) {
    std::vector<std::int32_t> result(at(rows), nobody);
    for (std::int32_t i = 1; i < m.n_links; ++i)
      for (std::int32_t row = first[i]; row < first[i] + length(i); ++row) {
        std::int32_t& own = result[at(row)];
        own = own == nobody || own == limbs.of_link[at(i)] ? limbs.of_link[at(i)] : -1;
      }
    for (std::int32_t& own : result) own = std::max(own, -1);
    return result;
  };
  const auto of_q = limbs_of(m.nq, m.q_index, [&](int i) { return joint_kind(m.type[i]).nq; });
  const auto of_v = limbs_of(m.nv, m.v_index, [&](int i) { return joint_kind(m.type[i]).nv; });
  std::vector<std::vector<std::int32_t>> result;
  for (const RecordedColumn& column : function.columns) {
    const Rows rows = column.argument->rows;
    auto& own = result.emplace_back();
    for (std::size_t row = 0; row < column.rows.size(); ++row)
      own.push_back(rows == Rows::q            ? of_q[row]
                    : rows == Rows::v          ? of_v[row]
                    : rows == Rows::link_force ? limbs.of_link[row / 6]
                                               : -1);
  }
  return result;
}

class Division {
 public:
  Division(const RecordedFunction& function, const std::vector<std::int32_t>& order, const ModelView<double>& m,
           const Limbs& limbs)
      : function_(function), nodes_(function.graph.nodes()), order_(order), limbs_(limbs) {
    const auto limbs_of_columns = limbs_of_rows(function, m, limbs);
    find_dependencies(limbs_of_columns);
    find_trunk(limbs_of_columns);
  }

  Teams divide() {
    result_.teams.resize(at(limbs_.count));
    choose_first();
    find_owners();
    find_phases();
    find_needs();
    for (std::int32_t team = 0; team < limbs_.count; ++team) write(team);
    give_places();
    result_.operations = operations(order_, [](std::int32_t) { return true; });
    for (std::int32_t team = 0; team < limbs_.count; ++team)
      result_.longest =
          std::max(result_.longest, operations(order_, [&](std::int32_t k) { return is_done_by(k, team); }));
    return std::move(result_);
  }

 private:
  using Set = std::uint32_t;               // of limbs
  static constexpr std::int32_t all = -1;  // owner of what every team computes for itself

  template <class F>
  void for_each_operand(std::int32_t k, F&& f) const {
    const Node& node = nodes_[at(k)];
    for (int i = 0; i < operand_count(node.operation); ++i)
      if (nodes_[at(node.operand[i].node)].operation != Operation::constant) f(node.operand[i].node);
  }
  template <class F>
  std::size_t operations(const std::vector<std::int32_t>& nodes, F&& counts) const {
    std::size_t count = 0;
    for (const std::int32_t k : nodes) count += nodes_[at(k)].operation != Operation::input && counts(k);
    return count;
  }
  bool is_done_by(std::int32_t k, std::int32_t team) const {
    return owner_[at(k)] == team || (owner_[at(k)] == all && needs_[at(team)][at(k)] >= 0);
  }

  using LimbsOfRows = std::vector<std::vector<std::int32_t>>;

  void find_dependencies(const LimbsOfRows& limbs_of_columns) {
    sets_.assign(nodes_.size(), 0);
    std::vector<std::int32_t> limb_of_input;
    for (std::size_t column = 0; column < limbs_of_columns.size(); ++column)
      if (is_input(*function_.columns[column].argument))
        limb_of_input.insert(limb_of_input.end(), limbs_of_columns[column].begin(), limbs_of_columns[column].end());
    for (const std::int32_t k : order_) {
      const Node& node = nodes_[at(k)];
      if (node.operation == Operation::input) {
        const std::int32_t limb = limb_of_input[static_cast<std::size_t>(node.value)];
        if (limb >= 0) sets_[at(k)] = Set{1} << limb;
      }
      for_each_operand(k, [&](std::int32_t operand) { sets_[at(k)] |= sets_[at(operand)]; });
    }
  }

  std::int32_t limb_of_step(std::int32_t k) const {
    return limbs_.of_link[at(function_.graph.link_of_step(nodes_[at(k)].step))];
  }
  bool is_of_several(std::int32_t k) const { return std::popcount(sets_[at(k)]) > 1; }

  /// What depends on several limbs, and is at the trunk or on the way to it.
  void find_trunk(const LimbsOfRows& limbs_of_columns) {
    leads_to_trunk_.assign(nodes_.size(), false);
    for (std::size_t column = 0; column < limbs_of_columns.size(); ++column)
      if (!is_input(*function_.columns[column].argument))
        for (std::size_t row = 0; row < limbs_of_columns[column].size(); ++row)
          if (limbs_of_columns[column][row] < 0) leads_to_trunk_[at(function_.columns[column].rows[row].node)] = true;
    for (std::size_t n = order_.size(); n-- > 0;) {
      const std::int32_t k = order_[n];
      if (is_of_several(k) && limb_of_step(k) < 0) leads_to_trunk_[at(k)] = true;
      if (leads_to_trunk_[at(k)])
        for_each_operand(k, [&](std::int32_t operand) { leads_to_trunk_[at(operand)] = true; });
    }
  }
  bool is_of_trunk(std::int32_t k) const { return is_of_several(k) && leads_to_trunk_[at(k)]; }

  /// The one that computes most of what the trunk needs anyway.
  void choose_first() {
    std::vector<bool> for_trunk(nodes_.size());
    std::vector<std::int64_t> common(at(limbs_.count));
    for (std::size_t n = order_.size(); n-- > 0;) {
      const std::int32_t k = order_[n];
      if (is_of_trunk(k) || (for_trunk[at(k)] && sets_[at(k)] == 0))
        for_each_operand(k, [&](std::int32_t operand) { for_trunk[at(operand)] = true; });
    }
    for (std::int32_t team = 0; team < limbs_.count; ++team) {
      std::vector<bool> for_limb(nodes_.size());
      for (std::size_t n = order_.size(); n-- > 0;) {
        const std::int32_t k = order_[n];
        if (sets_[at(k)] == Set{1} << team || (for_limb[at(k)] && sets_[at(k)] == 0))
          for_each_operand(k, [&](std::int32_t operand) { for_limb[at(operand)] = true; });
        if (sets_[at(k)] == 0 && for_limb[at(k)] && for_trunk[at(k)]) ++common[at(team)];
      }
    }
    result_.first = static_cast<std::int32_t>(std::max_element(common.begin(), common.end()) - common.begin());
  }

  void find_owners() {
    owner_.assign(nodes_.size(), all);
    for (const std::int32_t k : order_) {
      const Set set = sets_[at(k)];
      if (nodes_[at(k)].operation == Operation::input || set == 0) continue;
      const std::int32_t limb = std::popcount(set) == 1 ? std::countr_zero(set) : is_of_trunk(k) ? -1 : limb_of_step(k);
      owner_[at(k)] = limb < 0 ? result_.first : limb;
    }
  }

  /// How often its owner has waited before a node is computed: what another one has shared is there after the next
  /// wait.
  void find_phases() {
    phase_.assign(nodes_.size(), 0);
    for (const std::int32_t k : order_) {
      if (owner_[at(k)] == all) continue;
      for_each_operand(k, [&](std::int32_t operand) {
        const std::int32_t own = owner_[at(operand)];
        if (own != all) phase_[at(k)] = std::max(phase_[at(k)], phase_[at(operand)] + (own != owner_[at(k)]));
      });
      result_.waits = std::max(result_.waits, phase_[at(k)]);
    }
  }

  /// For every team and node: the phase in which it first needs the node, or -1.
  void find_needs() {
    needs_.assign(at(limbs_.count), std::vector<std::int32_t>(nodes_.size(), -1));
    const auto need = [&](std::int32_t team, std::int32_t k, std::int32_t phase) {
      std::int32_t& own = needs_[at(team)][at(k)];
      own = own < 0 ? phase : std::min(own, phase);
    };
    for (const RecordedColumn& column : function_.columns)
      if (!is_input(*column.argument))
        for (const Term& t : column.rows)
          if (owner_[at(t.node)] == all) need(result_.first, t.node, 0);
    for (std::size_t n = order_.size(); n-- > 0;) {
      const std::int32_t k = order_[n];
      for (std::int32_t team = 0; team < limbs_.count; ++team) {
        if (!is_done_by(k, team)) continue;
        const std::int32_t phase = owner_[at(k)] == all ? needs_[at(team)][at(k)] : phase_[at(k)];
        for_each_operand(k, [&](std::int32_t operand) { need(team, operand, phase); });
      }
    }
  }

  /// A team's steps, phase by phase, in the order of the function.
  void write(std::int32_t team) {
    auto& steps = result_.teams[at(team)];
    std::vector<std::vector<std::int32_t>> in_phase(at(result_.waits + 1));
    for (const std::int32_t k : order_) {
      if (is_done_by(k, team))
        in_phase[at(owner_[at(k)] == all ? needs_[at(team)][at(k)] : phase_[at(k)])].push_back(k);
    }
    std::vector<bool> fetched(nodes_.size());
    for (std::int32_t phase = 0; phase <= result_.waits; ++phase) {
      if (phase > 0) steps.push_back({TeamStep::wait});
      for (const std::int32_t k : in_phase[at(phase)]) {
        for_each_operand(k, [&](std::int32_t operand) {
          if (is_done_by(operand, team) || fetched[at(operand)]) return;
          fetched[at(operand)] = true;
          steps.push_back({TeamStep::fetch, operand});
        });
        steps.push_back({TeamStep::compute, k});
        if (owner_[at(k)] == all) continue;
        for (std::int32_t other = 0; other < limbs_.count; ++other)
          if (other != team && needs_[at(other)][at(k)] >= 0) {
            steps.push_back({TeamStep::share, k});
            break;
          }
      }
    }
  }

  /// Places of numbers that all who need them have fetched are given to others after the next wait.
  void give_places() {
    std::vector<std::int32_t> last(nodes_.size(), -1), place(nodes_.size(), -1);
    for (const auto& steps : result_.teams) {
      std::int32_t phase = 0;
      for (const TeamStep& step : steps) {
        phase += step.kind == TeamStep::wait;
        if (step.kind == TeamStep::fetch) last[at(step.node)] = std::max(last[at(step.node)], phase);
      }
    }
    std::vector<std::vector<std::int32_t>> shared(at(result_.waits + 1));
    for (const auto& steps : result_.teams) {
      std::int32_t phase = 0;
      for (const TeamStep& step : steps) {
        phase += step.kind == TeamStep::wait;
        if (step.kind == TeamStep::share) shared[at(phase)].push_back(step.node);
      }
    }
    std::vector<std::int32_t> busy_until;  // of every place
    for (std::int32_t phase = 0; phase <= result_.waits; ++phase)
      for (const std::int32_t k : shared[at(phase)]) {
        const auto free =
            std::find_if(busy_until.begin(), busy_until.end(), [&](std::int32_t until) { return until < phase; });
        place[at(k)] = static_cast<std::int32_t>(free - busy_until.begin());
        if (free == busy_until.end()) busy_until.push_back(0);
        busy_until[at(place[at(k)])] = last[at(k)];
      }
    result_.places = static_cast<std::int32_t>(busy_until.size());
    for (auto& steps : result_.teams)
      for (TeamStep& step : steps)
        if (step.kind == TeamStep::share || step.kind == TeamStep::fetch) step.place = place[at(step.node)];
  }

  const RecordedFunction& function_;
  const std::vector<Node>& nodes_;
  const std::vector<std::int32_t>& order_;
  const Limbs& limbs_;
  std::vector<Set> sets_;  // of limbs that a node depends on
  std::vector<bool> leads_to_trunk_;
  std::vector<std::int32_t> owner_, phase_;       // of every node
  std::vector<std::vector<std::int32_t>> needs_;  // of teams, of nodes
  Teams result_;
};

}  // namespace

Teams divided(const RecordedFunction& function, const std::vector<std::int32_t>& order, const ModelView<double>& m,
              const Limbs& limbs) {
  return Division(function, order, m, limbs).divide();
}

}  // namespace tandem
