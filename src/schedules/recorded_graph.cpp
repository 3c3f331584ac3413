// SPDX-License-Identifier: Apache-2.0
/// The graph of a recorded function as a graph of tasks.
#include <algorithm>

#include "core/at.hpp"
#include "core/text.hpp"
#include "recording/order.hpp"
#include "recording/record.hpp"
#include "tandem/api/task_graph.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// A multiplication and an addition are two operations; what else there is counts as a multiplication, but for choices and signs,
/// which count as additions.
TaskCost cost_of(Operation operation) {
  switch (operation) {
    case Operation::input:
    case Operation::constant: return {};
    case Operation::multiply:
    case Operation::divide:
    case Operation::square_root: return {1};
    case Operation::multiply_add: return {1, 1};
    case Operation::sine:
    case Operation::cosine: return {0, 0, 1};
    case Operation::add:
    case Operation::absolute:
    case Operation::select_less:
    case Operation::select_equal:
    case Operation::select_bit: return {0, 1};
  }
  return {};
}

/// Names of steps: the link, and which of its steps it is.
class StepNames {
 public:
  explicit StepNames(const Model& model) : model_(model), steps_(at(model.view<double>().n_links)) {}
  std::string next(Index link) { return sentence(model_.link_name(static_cast<int>(link)), ".", ++steps_[at(link)]); }

 private:
  const Model& model_;
  std::vector<Index> steps_;
};

}  // namespace

TaskGraph recorded_graph(const Algorithm& algorithm, const Model& model, Grain grain, const Options& options) {
  const RecordedFunction function = record(algorithm, model, options);
  const auto& nodes = function.graph.nodes();
  const auto node = [&](std::int32_t k) -> const Node& { return nodes[at(Index{k})]; };
  TaskGraph graph = {sentence(algorithm.name, " of ", model.name()), {}};
  std::vector<Index> task_of(nodes.size(), -1), task_of_step(at(Index{function.graph.steps()}), -1);
  std::vector<char> is_read(nodes.size());  // by another task
  StepNames names(model);
  for (const std::int32_t k : as_recorded(function)) {
    if (node(k).operation == Operation::input) continue;
    Index& number = grain == Grain::step ? task_of_step[at(Index{node(k).step})] : task_of[at(Index{k})];
    if (number < 0) {
      number = static_cast<Index>(graph.tasks.size());
      const Index link = function.graph.link_of_step(node(k).step);
      graph.tasks.push_back({grain == Grain::step ? names.next(link) : sentence("n", k), link, {}, 0, {}});
    }
    const Index here = task_of[at(Index{k})] = number;
    Task& task = graph.tasks[at(here)];
    task.cost += cost_of(node(k).operation);
    for (int i = 0; i < operand_count(node(k).operation); ++i) {
      const std::int32_t operand = node(k).operand[i].node;
      const Index from = task_of[at(Index{operand})];
      if (from < 0 || from == here) continue;
      if (!is_read[at(Index{operand})]) graph.tasks[at(from)].outputs += 1;
      is_read[at(Index{operand})] = 1;
      if (std::find(task.needs.begin(), task.needs.end(), from) == task.needs.end()) task.needs.push_back(from);
    }
  }
  for (const RecordedColumn& column : function.columns)
    if (!is_input(*column.argument))
      for (const Term& t : column.rows) {
        const Index from = task_of[at(Index{t.node})];
        if (from < 0 || is_read[at(Index{t.node})]) continue;
        is_read[at(Index{t.node})] = 1;
        graph.tasks[at(from)].outputs += 1;
      }
  for (Task& task : graph.tasks) task.cost.assignments = static_cast<double>(task.outputs);
  if (graph.tasks.empty()) throw Error(graph.name + ": there is nothing to compute");
  return graph;
}

}  // namespace tandem
