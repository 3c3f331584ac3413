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

}  // namespace

WithoutAngles expand_angles(const RecordedFunction& function) {
  const Graph& old = function.graph;
  WithoutAngles result = {
      {function.name, Graph(old.precision(), old.products()), function.columns, function.quaternions}, {}};
  Graph& graph = result.function.graph;
  const Recording recording(graph);
  std::vector<Term> there;
  const auto in_new = [&](const Term& t) {
    const Term own = there[static_cast<std::size_t>(t.node)];
    return t.minus ? -own : own;
  };
  for (const Node& node : function.graph.nodes()) {
    while (graph.steps() <= node.step) graph.begin_step(function.graph.link_of_step(graph.steps()));
    Term operand[4];
    for (int k = 0; k < operand_count(node.operation); ++k) operand[k] = in_new(node.operand[k]);
    if (node.operation != Operation::sine && node.operation != Operation::cosine) {
      there.push_back(graph.repeat(node, operand));
      continue;
    }
    if (std::find(result.angles.begin(), result.angles.end(), operand[0]) == result.angles.end())
      result.angles.push_back(operand[0]);
    const SinCos<Recorded> both = written_out(Recorded(operand[0]), graph.precision());
    there.push_back(node.operation == Operation::sine ? both.sin.term() : both.cos.term());
  }
  for (RecordedColumn& column : result.function.columns)
    for (Term& t : column.rows) t = in_new(t);
  return result;
}

}  // namespace tandem
