// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "recording/record.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem {

/// Computes a recorded function node by node, on numbers of type S: for tests, and for numbers of other kinds. Inputs in the
/// order of the columns, those that were left out without numbers; outputs likewise.
template <class S>
std::vector<std::vector<S>> run(const RecordedFunction& function, const std::vector<std::int32_t>& order,
                                const std::vector<std::vector<S>>& columns) {
  const auto& nodes = function.graph.nodes();
  std::vector<S> inputs, values(nodes.size());
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (is_input(*function.columns[k].argument)) inputs.insert(inputs.end(), columns[k].begin(), columns[k].end());
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (nodes[k].operation == Operation::constant) values[k] = S(nodes[k].value);
  const auto number = [&](const Term& t) {
    const S& x = values[static_cast<std::size_t>(t.node)];
    return t.minus ? -x : x;
  };
  for (const std::int32_t k : order) {
    const Node& node = nodes[static_cast<std::size_t>(k)];
    const auto operand = [&](int i) { return number(node.operand[i]); };
    S& result = values[static_cast<std::size_t>(k)];
    switch (node.operation) {
      case Operation::input: result = inputs[static_cast<std::size_t>(node.value)]; break;
      case Operation::constant: break;
      case Operation::add: result = operand(0) + operand(1); break;
      case Operation::multiply: result = operand(0) * operand(1); break;
      case Operation::multiply_add: result = mul_add(operand(0), operand(1), operand(2)); break;
      case Operation::divide: result = operand(0) / operand(1); break;
      case Operation::square_root: result = sqrt(operand(0)); break;
      case Operation::absolute: result = abs(operand(0)); break;
      case Operation::sine: result = sincos(operand(0)).sin; break;
      case Operation::cosine: result = sincos(operand(0)).cos; break;
      case Operation::arctangent: result = atan2(operand(0), operand(1)); break;
      case Operation::select_less: result = select(operand(0) < operand(1), operand(2), operand(3)); break;
      case Operation::select_equal: result = select(operand(0) == operand(1), operand(2), operand(3)); break;
      case Operation::select_bit: {
        const int which = static_cast<int>(function.graph.value(node.operand[1]));
        result = select(((bits_of(operand(0)) + which / 4) & which % 4) != 0, operand(2), operand(3));
        break;
      }
    }
  }
  std::vector<std::vector<S>> results;
  for (const RecordedColumn& column : function.columns) {
    auto& rows = results.emplace_back();
    if (!is_input(*column.argument))
      for (const Term& t : column.rows) rows.push_back(number(t));
  }
  return results;
}

}  // namespace tandem
