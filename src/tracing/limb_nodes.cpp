// SPDX-License-Identifier: Apache-2.0
#include "tracing/limb_nodes.hpp"

#include <algorithm>

#include "tracing/at.hpp"

namespace tandem {
namespace {

/// The links that rows of inputs belong to, by the inputs' numbers; nowhere for what belongs to the whole robot.
std::vector<std::int32_t> links_of_inputs(const RecordedFunction& function, const ModelView<double>& m) {
  std::vector<std::int32_t> links;
  for (const RecordedColumn& column : function.columns) {
    if (!is_input(*column.argument)) continue;
    const std::size_t rows = column.rows.size(), before = links.size();
    links.resize(before + rows, nowhere);
    const auto set = [&](std::int32_t row, std::int32_t link) { links[before + at(row)] = link; };
    switch (column.argument->rows) {
      case Rows::q:
      case Rows::v:
        for (std::int32_t i = 1; i < m.n_links && rows > 0; ++i) {
          if (m.mimics[i] != 0) continue;
          const JointKind& kind = joint_kind(m.type[i]);
          const bool q = column.argument->rows == Rows::q;
          for (std::int32_t k = 0; k < (q ? kind.nq : kind.nv); ++k) set((q ? m.q_index[i] : m.v_index[i]) + k, i);
        }
        break;
      case Rows::link_force:
      case Rows::link:
      case Rows::link_point:
      case Rows::link_inertia: {
        const auto each = static_cast<std::int32_t>(rows) / m.n_links;
        for (std::int32_t row = 0; row < static_cast<std::int32_t>(rows); ++row) set(row, row / each);
        break;
      }
      case Rows::link_parameters:  // the base has none
        for (std::int32_t row = 0; row < static_cast<std::int32_t>(rows); ++row) set(row, row / 10 + 1);
        break;
      default: break;
    }
  }
  return links;
}

}  // namespace

std::vector<std::vector<std::uint64_t>> inputs_of_limbs(const RecordedFunction& function, const ModelView<double>& m,
                                                        const AlikeLimbs& group) {
  const std::vector<std::int32_t> links = links_of_inputs(function, m);
  std::vector<std::vector<std::uint64_t>> looks;
  for (const std::int32_t first : group.first_links) {
    auto& own = looks.emplace_back(links.size());
    std::uint64_t count = 0;
    for (std::size_t k = 0; k < links.size(); ++k)
      if (links[k] >= first && links[k] < first + group.links) own[k] = ++count;
  }
  return looks;
}

std::vector<std::int32_t> limbs_of_nodes(const RecordedFunction& function, const ModelView<double>& m,
                                         const std::vector<std::int32_t>& order, const AlikeLimbs& group) {
  const auto& nodes = function.graph.nodes();
  std::vector<std::int32_t> limb_of_link(at(m.n_links), nowhere);
  for (std::size_t limb = 0; limb < group.first_links.size(); ++limb)
    for (std::int32_t k = 0; k < group.links; ++k)
      limb_of_link[at(group.first_links[limb] + k)] = static_cast<std::int32_t>(limb);
  const std::vector<std::int32_t> links = links_of_inputs(function, m);
  const std::size_t limbs = group.first_links.size();
  std::vector<std::vector<bool>> needs(nodes.size(), std::vector<bool>(limbs));
  std::vector<std::int32_t> owners(nodes.size(), nowhere);
  for (const std::int32_t k : order) {
    const Node& node = nodes[at(k)];
    if (node.operation == Operation::input) {
      const std::int32_t link = links[static_cast<std::size_t>(node.value)];
      if (link != nowhere && limb_of_link[at(link)] != nowhere) needs[at(k)][at(limb_of_link[at(link)])] = true;
      continue;
    }
    for (int i = 0; i < operand_count(node.operation); ++i)
      for (std::size_t limb = 0; limb < limbs; ++limb)
        if (needs[at(node.operand[i].node)][limb]) needs[at(k)][limb] = true;
    // what was computed at a limb's link from numbers of others alone is what they share; what was computed elsewhere,
    // from numbers of one limb alone, as where ways are turned into axes of the trunk, is that limb's
    std::int32_t own = limb_of_link[at(function.graph.link_of_step(node.step))];
    if (own == nowhere && std::count(needs[at(k)].begin(), needs[at(k)].end(), true) == 1)
      own = static_cast<std::int32_t>(std::find(needs[at(k)].begin(), needs[at(k)].end(), true) - needs[at(k)].begin());
    if (own != nowhere && needs[at(k)][at(own)]) owners[at(k)] = own;
  }
  return owners;
}

}  // namespace tandem
