// SPDX-License-Identifier: Apache-2.0
#include "order.hpp"

#include <algorithm>

#include "tracing/at.hpp"

namespace tandem {
namespace {

template <class F>
void for_each_output(const RecordedFunction& function, F&& f) {
  for (const RecordedColumn& column : function.columns)
    if (!is_input(*column.argument))
      for (const Term& t : column.rows) f(t.node);
}

template <class F>
void for_each_operand(const Node& node, F&& f) {
  for (int k = 0; k < operand_count(node.operation); ++k) f(node.operand[k].node);
}

/// Whether outputs need a node, for every node.
std::vector<bool> needed(const RecordedFunction& function) {
  const auto& nodes = function.graph.nodes();
  std::vector<bool> result(nodes.size());
  for_each_output(function, [&](std::int32_t node) { result[at(node)] = true; });
  for (std::size_t k = nodes.size(); k-- > 0;)
    if (result[k]) for_each_operand(nodes[k], [&](std::int32_t node) { result[at(node)] = true; });
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (nodes[k].operation == Operation::constant) result[k] = false;
  return result;
}

}  // namespace

std::vector<std::int32_t> as_recorded(const RecordedFunction& function) {
  const std::vector<bool> wanted = needed(function);
  std::vector<std::int32_t> order;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (wanted[k]) order.push_back(static_cast<std::int32_t>(k));
  return order;
}

std::vector<std::int32_t> depth_first(const RecordedFunction& function) {
  const auto& nodes = function.graph.nodes();
  // steps, the nodes of each, and the steps that each waits for; inputs are taken in where they are first used
  std::vector<std::vector<std::int32_t>> in_step(at(function.graph.steps())), waits_for(at(function.graph.steps()));
  std::vector<bool> placed(nodes.size());
  for (const std::int32_t k : as_recorded(function)) {
    if (nodes[at(k)].operation == Operation::input) continue;
    const std::int32_t step = nodes[at(k)].step;
    for_each_operand(nodes[at(k)], [&](std::int32_t operand) {
      const Node& other = nodes[at(operand)];
      if (other.operation == Operation::input && !placed[at(operand)]) {
        placed[at(operand)] = true;
        in_step[at(step)].push_back(operand);
      } else if (other.operation != Operation::constant && other.operation != Operation::input && other.step != step) {
        waits_for[at(step)].push_back(other.step);
      }
    });
    in_step[at(step)].push_back(k);
  }
  for (auto& steps : waits_for) {
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  }
  // inputs whose first reader comes later in the new order than another one are moved to that one in the end
  std::vector<std::int32_t> order;
  std::vector<bool> begun(in_step.size());
  struct Visit {
    std::int32_t step;
    std::size_t next = 0;  // of those that it waits for
  };
  std::vector<Visit> stack;
  const auto visit = [&](std::int32_t first) {
    if (begun[at(first)]) return;
    begun[at(first)] = true;
    stack.push_back({first});
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.next < waits_for[at(top.step)].size()) {
        const std::int32_t other = waits_for[at(top.step)][top.next++];
        if (!begun[at(other)]) {
          begun[at(other)] = true;
          stack.push_back({other});
        }
        continue;
      }
      for (const std::int32_t k : in_step[at(top.step)])
        if (nodes[at(k)].operation != Operation::input) order.push_back(k);
      stack.pop_back();
    }
  };
  std::vector<std::int32_t> of_outputs;
  for_each_output(function, [&](std::int32_t node) {
    const Operation operation = nodes[at(node)].operation;
    if (operation != Operation::constant && operation != Operation::input) of_outputs.push_back(nodes[at(node)].step);
  });
  std::sort(of_outputs.rbegin(), of_outputs.rend());  // what comes last waits for most
  for (const std::int32_t step : of_outputs) visit(step);

  // inputs right before they are first used
  std::vector<std::int32_t> result;
  std::fill(placed.begin(), placed.end(), false);
  const auto take = [&](std::int32_t node) {
    if (nodes[at(node)].operation != Operation::input || placed[at(node)]) return;
    placed[at(node)] = true;
    result.push_back(node);
  };
  for (const std::int32_t k : order) {
    for_each_operand(nodes[at(k)], take);
    result.push_back(k);
  }
  for_each_output(function, take);
  return result;
}

std::int32_t most_alive(const RecordedFunction& function, const std::vector<std::int32_t>& order) {
  const auto& nodes = function.graph.nodes();
  std::vector<std::size_t> last_use(nodes.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    for_each_operand(nodes[at(order[k])], [&](std::int32_t node) { last_use[at(node)] = k; });
  std::int32_t alive = 0, most = 0;
  std::vector<std::int32_t> ends(order.size() + 1);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t end = last_use[at(order[k])];
    if (end > k) {
      ++alive;
      ++ends[end];
    }
    alive -= ends[k];
    most = std::max(most, alive);
  }
  return most;
}

}  // namespace tandem
