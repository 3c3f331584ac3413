// SPDX-License-Identifier: Apache-2.0
#include "split_angles.hpp"

#include <algorithm>

#include "order.hpp"
#include "tracing/at.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

bool is_of_angle(const Node& node) { return node.operation == Operation::sine || node.operation == Operation::cosine; }

/// The nodes whose sine or cosine outputs need. Signs have been moved out of them.
std::vector<std::int32_t> angles_of(const RecordedFunction& function) {
  const auto& nodes = function.graph.nodes();
  std::vector<bool> depends(nodes.size());
  std::vector<std::int32_t> angles;
  for (const std::int32_t place : as_recorded(function)) {
    const auto k = at(place);
    for (int i = 0; i < operand_count(nodes[k].operation); ++i)
      if (depends[at(nodes[k].operand[i].node)]) depends[k] = true;
    if (!is_of_angle(nodes[k])) continue;
    if (depends[k])
      throw Error(function.name + " cannot be compiled for single states: an angle depends on functions of another");
    depends[k] = true;
    const std::int32_t angle = nodes[k].operand[0].node;
    if (std::find(angles.begin(), angles.end(), angle) == angles.end()) angles.push_back(angle);
  }
  return angles;
}

}  // namespace

SplitAngles split_angles(const RecordedFunction& function) {
  SplitAngles result = {{function.name, Graph(function.graph.precision(), function.graph.products()), function.columns},
                        {}};
  Graph& graph = result.function.graph;
  const std::vector<std::int32_t> angles = angles_of(function);
  std::vector<Term> inputs, there;
  for (std::int32_t k = 0; k < function.graph.inputs() + 2 * static_cast<std::int32_t>(angles.size()); ++k)
    inputs.push_back(graph.input());
  const auto in_new = [&](const Term& t) { return t.minus ? -there[at(t.node)] : there[at(t.node)]; };
  for (const Node& node : function.graph.nodes()) {
    while (graph.steps() <= node.step) graph.begin_step(function.graph.link_of_step(graph.steps()));
    Term operand[4];
    for (int k = 0; k < operand_count(node.operation); ++k) operand[k] = in_new(node.operand[k]);
    if (node.operation == Operation::input) {
      there.push_back(inputs[static_cast<std::size_t>(node.value)]);
    } else if (is_of_angle(node)) {
      const auto k = std::find(angles.begin(), angles.end(), node.operand[0].node) - angles.begin();
      const auto place = at(function.graph.inputs()) + 2 * static_cast<std::size_t>(k);
      const bool wanted = place < inputs.size();  // else no output needs it
      there.push_back(!wanted ? Term() : inputs[place + (node.operation == Operation::cosine ? 1 : 0)]);
    } else {
      there.push_back(graph.repeat(node, operand));
    }
  }
  for (const std::int32_t angle : angles) result.angles.push_back(there[at(angle)]);
  for (RecordedColumn& column : result.function.columns)
    for (Term& t : column.rows) t = in_new(t);
  return result;
}

}  // namespace tandem
