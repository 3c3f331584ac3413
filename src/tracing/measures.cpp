// SPDX-License-Identifier: Apache-2.0
#include "measures.hpp"

#include <algorithm>

#include "tracing/at.hpp"
#include "tracing/order.hpp"

namespace tandem {
OperationCounts operation_counts(const RecordedFunction& function) {
  OperationCounts counts = {};
  const auto& nodes = function.graph.nodes();
  std::vector<bool> seen(nodes.size());
  const auto count = [&](std::int32_t k) {
    if (seen[at(k)]) return;
    seen[at(k)] = true;
    ++counts[static_cast<std::size_t>(nodes[at(k)].operation)];
  };
  for (const std::int32_t k : as_recorded(function)) {
    count(k);
    for (int i = 0; i < operand_count(nodes[at(k)].operation); ++i) count(nodes[at(k)].operand[i].node);
  }
  return counts;
}

std::int64_t operations(const RecordedFunction& function) {
  std::int64_t count = 0;
  for (const std::int32_t k : as_recorded(function))
    if (operand_count(function.graph.nodes()[at(k)].operation) > 0) ++count;
  return count;
}

std::vector<double> earliest(const RecordedFunction& function, const Cost& cost) {
  const auto& nodes = function.graph.nodes();
  std::vector<double> times(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {  // operands come first
    for (int i = 0; i < operand_count(nodes[k].operation); ++i)
      times[k] = std::max(times[k], times[at(nodes[k].operand[i].node)]);
    times[k] += cost(nodes[k].operation);
  }
  return times;
}

std::vector<double> behind(const RecordedFunction& function, const Cost& cost) {
  const auto& nodes = function.graph.nodes();
  std::vector<double> times(nodes.size(), -1);
  for (const RecordedColumn& column : function.columns)
    if (!is_input(*column.argument))
      for (const Term& t : column.rows) times[at(t.node)] = 0;
  for (std::size_t k = nodes.size(); k-- > 0;)
    for (int i = 0; i < operand_count(nodes[k].operation) && times[k] >= 0; ++i) {
      double& operand = times[at(nodes[k].operand[i].node)];
      operand = std::max(operand, times[k] + cost(nodes[k].operation));
    }
  return times;
}

double depth(const RecordedFunction& function, const Cost& cost) {
  const std::vector<double> times = earliest(function, cost);
  double longest = 0;
  for (const std::int32_t k : as_recorded(function)) longest = std::max(longest, times[at(k)]);
  return longest;
}

double parallelism(const RecordedFunction& function) {
  const double longest = depth(function);
  return longest > 0 ? static_cast<double>(operations(function)) / longest : 0;
}

std::vector<Edge> edges(const RecordedFunction& function) {
  const auto& nodes = function.graph.nodes();
  std::vector<Edge> result;
  for (const std::int32_t k : as_recorded(function))
    for (int i = 0; i < operand_count(nodes[at(k)].operation); ++i)
      if (!function.graph.is_known(nodes[at(k)].operand[i])) result.push_back({nodes[at(k)].operand[i].node, k});
  return result;
}

}  // namespace tandem
