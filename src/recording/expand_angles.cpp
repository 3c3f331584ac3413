// SPDX-License-Identifier: Apache-2.0
#include "expand_angles.hpp"

#include <algorithm>

#include "recorded.hpp"

namespace tandem {
namespace {

SinCos<Recorded> written_out(Recorded angle, Graph::Precision precision) {
  return precision == Graph::Precision::double_precision ? sincos_of_moderate<Recorded, SinCosConstants<double>>(angle)
                                                         : sincos_of_moderate<Recorded, SinCosConstants<float>>(angle);
}

/// A node in another graph, its operands being there.
Term copied(Graph& graph, const Node& node, const Term (&operand)[4]) {
  switch (node.operation) {
    case Operation::input: return graph.input();
    case Operation::constant: return graph.constant(node.value);
    case Operation::add: return graph.add(operand[0], operand[1]);
    case Operation::multiply: return graph.multiply(operand[0], operand[1]);
    case Operation::multiply_add: return graph.multiply_add(operand[0], operand[1], operand[2]);
    case Operation::divide: return graph.divide(operand[0], operand[1]);
    case Operation::square_root: return graph.square_root(operand[0]);
    case Operation::absolute: return graph.absolute(operand[0]);
    case Operation::sine: return written_out(Recorded(operand[0]), graph.precision()).sin.term();
    case Operation::cosine: return written_out(Recorded(operand[0]), graph.precision()).cos.term();
    case Operation::arctangent: return graph.arctangent(operand[0], operand[1]);
    case Operation::select_less:
    case Operation::select_equal:
    case Operation::select_bit: return graph.select(node.operation, operand[0], operand[1], operand[2], operand[3]);
  }
  return {};
}

}  // namespace

WithoutAngles expand_angles(const RecordedFunction& function) {
  WithoutAngles result = {
      {function.name, Graph(function.graph.precision(), function.graph.products()), function.columns}, {}};
  Graph& graph = result.function.graph;
  const Recording recording(graph);
  std::vector<Term> there;
  const auto in_new = [&](const Term& t) {
    const Term own = there[static_cast<std::size_t>(t.node)];
    return t.minus ? -own : own;
  };
  for (const Node& node : function.graph.nodes()) {
    while (graph.steps() <= node.step) graph.begin_step();
    Term operand[4];
    for (int k = 0; k < operand_count(node.operation); ++k) operand[k] = in_new(node.operand[k]);
    if (node.operation == Operation::sine || node.operation == Operation::cosine)
      if (std::find(result.angles.begin(), result.angles.end(), operand[0]) == result.angles.end())
        result.angles.push_back(operand[0]);
    there.push_back(copied(graph, node, operand));
  }
  for (RecordedColumn& column : result.function.columns)
    for (Term& t : column.rows) t = in_new(t);
  return result;
}

}  // namespace tandem
