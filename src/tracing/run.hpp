// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "tracing/record.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem {

/// What an operation makes of numbers; `which` tells the bit that select_bit asks for, see Graph::select.
template <class S>
S computed(Operation operation, const S (&x)[4], int which = 0) {
  switch (operation) {
    case Operation::input:
    case Operation::constant: break;
    case Operation::add: return x[0] + x[1];
    case Operation::multiply: return x[0] * x[1];
    case Operation::multiply_add: return mul_add(x[0], x[1], x[2]);
    case Operation::divide: return x[0] / x[1];
    case Operation::square_root: return sqrt(x[0]);
    case Operation::absolute: return abs(x[0]);
    case Operation::sine: return sincos(x[0]).sin;
    case Operation::cosine: return sincos(x[0]).cos;
    case Operation::select_less: return select(x[0] < x[1], x[2], x[3]);
    case Operation::select_equal: return select(x[0] == x[1], x[2], x[3]);
    case Operation::select_bit: return select(((bits_of(x[0]) + which / 4) & which % 4) != 0, x[2], x[3]);
  }
  return S(0);
}

/// The number of every node of a recorded function, in an order that has those that are wanted. Inputs in the order of
/// the columns, those that were left out without numbers.
template <class S>
std::vector<S> run_nodes(const RecordedFunction& function, const std::vector<std::int32_t>& order,
                         const std::vector<std::vector<S>>& columns) {
  const auto& nodes = function.graph.nodes();
  std::vector<S> inputs, values(nodes.size());
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (is_input(*function.columns[k].argument)) inputs.insert(inputs.end(), columns[k].begin(), columns[k].end());
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (nodes[k].operation == Operation::constant) values[k] = S(nodes[k].value);
  for (const std::int32_t k : order) {
    const Node& node = nodes[static_cast<std::size_t>(k)];
    S operands[4] = {S(0), S(0), S(0), S(0)};
    for (int i = 0; i < operand_count(node.operation); ++i) {
      const S& x = values[static_cast<std::size_t>(node.operand[i].node)];
      operands[i] = node.operand[i].minus ? -x : x;
    }
    const bool asks = node.operation == Operation::select_bit;
    values[static_cast<std::size_t>(k)] =
        node.operation == Operation::input
            ? inputs[static_cast<std::size_t>(node.value)]
            : computed(node.operation, operands, asks ? static_cast<int>(function.graph.value(node.operand[1])) : 0);
  }
  return values;
}

/// Computes a recorded function node by node, on numbers of type S: for tests, and for numbers of other kinds. Inputs
/// in the order of the columns, those that were left out without numbers; outputs likewise.
template <class S>
std::vector<std::vector<S>> run(const RecordedFunction& function, const std::vector<std::int32_t>& order,
                                const std::vector<std::vector<S>>& columns) {
  const std::vector<S> values = run_nodes(function, order, columns);
  const auto number = [&](const Term& t) {
    const S& x = values[static_cast<std::size_t>(t.node)];
    return t.minus ? -x : x;
  };
  std::vector<std::vector<S>> results;
  for (const RecordedColumn& column : function.columns) {
    auto& rows = results.emplace_back();
    if (!is_input(*column.argument))
      for (const Term& t : column.rows) rows.push_back(number(t));
  }
  return results;
}

}  // namespace tandem
