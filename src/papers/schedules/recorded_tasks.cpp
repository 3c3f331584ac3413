// SPDX-License-Identifier: Apache-2.0
#include "papers/schedules/recorded_tasks.hpp"

#include <algorithm>

#include "core/at.hpp"
#include "core/text.hpp"
#include "tracing/order.hpp"
#include "tracing/run.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// A multiplication and an addition are two operations; what else there is counts as a multiplication, but for choices
/// and signs, which count as additions.
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

RecordedTasks::RecordedTasks(const Algorithm& algorithm, const Model& model, Grain grain, const Options& options)
    : function_(record(algorithm, model, options)) {
  graph_.name = sentence(algorithm.name, " of ", model.name());
  divide(model, grain);
  if (graph_.tasks.empty()) throw Error(graph_.name + ": there is nothing to compute");
  lay_out();
}

void RecordedTasks::divide(const Model& model, Grain grain) {
  const auto& nodes = function_.graph.nodes();
  const auto node = [&](std::int32_t k) -> const Node& { return nodes[at(Index{k})]; };
  task_of_.assign(nodes.size(), -1);
  is_output_.assign(nodes.size(), 0);
  std::vector<Index> task_of_step(at(Index{function_.graph.steps()}), -1);
  StepNames names(model);
  for (const std::int32_t k : as_recorded(function_)) {
    if (node(k).operation == Operation::input) continue;
    Index& number = grain == Grain::step ? task_of_step[at(Index{node(k).step})] : task_of_[at(Index{k})];
    if (number < 0) {
      number = static_cast<Index>(graph_.tasks.size());
      const Index link = function_.graph.link_of_step(node(k).step);
      graph_.tasks.push_back({grain == Grain::step ? names.next(link) : sentence("n", k), link, {}, 0, {}});
      nodes_.emplace_back();
    }
    const Index here = task_of_[at(Index{k})] = number;
    Task& task = graph_.tasks[at(here)];
    task.cost += cost_of(node(k).operation);
    nodes_[at(here)].push_back(k);
    for (int i = 0; i < operand_count(node(k).operation); ++i) {
      const std::int32_t operand = node(k).operand[i].node;
      const Index from = task_of_[at(Index{operand})];
      if (from < 0 || from == here) continue;
      is_output_[at(Index{operand})] = 1;
      if (std::find(task.needs.begin(), task.needs.end(), from) == task.needs.end()) task.needs.push_back(from);
    }
  }
  for (const RecordedColumn& column : function_.columns)
    if (!is_input(*column.argument))
      for (const Term& t : column.rows)
        if (task_of_[at(Index{t.node})] >= 0) is_output_[at(Index{t.node})] = 1;
  for (std::size_t task = 0; task < graph_.tasks.size(); ++task) {
    for (const std::int32_t k : nodes_[task]) graph_.tasks[task].outputs += is_output_[at(Index{k})];
    graph_.tasks[task].cost.assignments = static_cast<double>(graph_.tasks[task].outputs);
  }
}

void RecordedTasks::lay_out() {
  const auto& nodes = function_.graph.nodes();
  place_.assign(nodes.size(), -1);
  std::int32_t end = 0;
  for (const auto& of_task : nodes_) {
    first_.push_back(end);
    for (const std::int32_t k : of_task)
      if (is_output_[at(Index{k})]) place_[at(Index{k})] = end++;
  }
  for (std::int32_t& place : place_)
    if (place < 0) place = end++;
  for (const auto& of_task : nodes_) {
    auto& steps = steps_.emplace_back();
    for (const std::int32_t k : of_task) {
      const Node& node = nodes[at(Index{k})];
      Step step = {node.operation, 0, 0, {}, place_[at(Index{k})]};
      for (int i = 0; i < operand_count(node.operation); ++i) {
        step.operand[i] = place_[at(Index{node.operand[i].node})];
        step.minus = static_cast<std::uint8_t>(step.minus | (node.operand[i].minus ? 1 << i : 0));
      }
      if (node.operation == Operation::select_bit)
        step.which = static_cast<std::uint8_t>(function_.graph.value(node.operand[1]));
      steps.push_back(step);
    }
  }
}

std::vector<double> RecordedTasks::memory(const std::vector<double>& inputs) const {
  const auto& nodes = function_.graph.nodes();
  if (static_cast<Index>(inputs.size()) != function_.graph.inputs())
    throw Error(sentence(graph_.name, " expects ", function_.graph.inputs(), " numbers, got ", inputs.size()));
  std::vector<double> numbers(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k].operation == Operation::constant) numbers[at(Index{place_[k]})] = nodes[k].value;
    if (nodes[k].operation == Operation::input)
      numbers[at(Index{place_[k]})] = inputs[static_cast<std::size_t>(nodes[k].value)];
  }
  return numbers;
}

void RecordedTasks::run(Index task, double* memory) const {
  for (const Step& step : steps_[at(task)]) {
    double x[4] = {0, 0, 0, 0};
    for (int i = 0; i < operand_count(step.operation); ++i)
      x[i] = (step.minus >> i & 1) != 0 ? -memory[step.operand[i]] : memory[step.operand[i]];
    memory[step.result] = computed(step.operation, x, step.which);
  }
}

std::span<double> RecordedTasks::outputs(Index task, double* memory) const {
  return {memory + first_[at(task)], at(graph_.tasks[at(task)].outputs)};
}

std::vector<std::vector<double>> RecordedTasks::results(const double* memory) const {
  std::vector<std::vector<double>> all;
  for (const RecordedColumn& column : function_.columns) {
    if (is_input(*column.argument)) continue;
    auto& rows = all.emplace_back();
    for (const Term& t : column.rows) {
      const double x = memory[place_[at(Index{t.node})]];
      rows.push_back(t.minus ? -x : x);
    }
  }
  return all;
}

TaskGraph recorded_graph(const Algorithm& algorithm, const Model& model, Grain grain, const Options& options) {
  return RecordedTasks(algorithm, model, grain, options).graph();
}

}  // namespace tandem
