// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/task_graph.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/at.hpp"
#include "core/text.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

std::string task_of(const TaskGraph& graph, Index k) {
  return sentence(graph.name, ": task ", in_quotes(graph.tasks[at(k)].name));
}

bool is_cost(double x) { return std::isfinite(x) && x >= 0; }

bool is_cost(const TaskCost& c) {
  return is_cost(c.multiplications) && is_cost(c.additions) && is_cost(c.trigonometric) && is_cost(c.assignments);
}

}  // namespace

std::string to_string(const TaskCost& cost) {
  std::string sum;
  const auto add = [&](double n, const char* unit) {
    if (n != 0) sum += sentence(sum.empty() ? "" : " + ", n, unit);
  };
  add(cost.multiplications, " M");
  add(cost.additions, " A");
  add(cost.trigonometric, " T");
  return sum.empty() ? "0" : sum;
}

std::vector<std::vector<Index>> readers(const TaskGraph& graph) {
  std::vector<std::vector<Index>> result(graph.tasks.size());
  for (std::size_t k = 0; k < graph.tasks.size(); ++k)
    for (const Index needed : graph.tasks[k].needs) result[at(needed)].push_back(static_cast<Index>(k));
  return result;
}

std::vector<Index> in_order(const TaskGraph& graph) {
  std::vector<Index> order;
  std::vector<std::size_t> missing;
  for (const Task& task : graph.tasks) {
    if (task.needs.empty()) order.push_back(static_cast<Index>(missing.size()));
    missing.push_back(task.needs.size());
  }
  const auto who = readers(graph);
  for (std::size_t k = 0; k < order.size(); ++k)
    for (const Index reader : who[at(order[k])])
      if (--missing[at(reader)] == 0) order.push_back(reader);
  if (order.size() < graph.tasks.size()) {
    const auto stuck = std::find_if(missing.begin(), missing.end(), [](std::size_t n) { return n > 0; });
    throw Error(task_of(graph, stuck - missing.begin()) + " is part of a cycle of tasks, or depends on one");
  }
  return order;
}

void check(const TaskGraph& graph) {
  if (graph.tasks.empty()) throw Error(graph.name + ": expected 1 task or more");
  std::unordered_set<std::string> names;
  const Index tasks = static_cast<Index>(graph.tasks.size());
  for (Index k = 0; k < tasks; ++k) {
    const Task& task = graph.tasks[at(k)];
    if (!names.insert(task.name).second) throw Error(task_of(graph, k) + ": duplicate name of a task");
    if (!is_cost(task.cost) || task.outputs < 0 || task.link < 0)
      throw Error(task_of(graph, k) + ": expected costs, outputs and a link of 0 or more");
    std::unordered_set<Index> needs;
    for (const Index needed : task.needs)
      if (needed < 0 || needed >= tasks || !needs.insert(needed).second)
        throw Error(sentence(task_of(graph, k), " needs task number ", needed, ": expected numbers below ", tasks,
                             ", each once"));
  }
  in_order(graph);
}

TaskCost total_cost(const TaskGraph& graph) {
  TaskCost sum;
  for (const Task& task : graph.tasks) sum += task.cost;
  return sum;
}

std::string dot_text(const TaskGraph& graph, const std::vector<Index>& path) {
  std::vector<Index> next(graph.tasks.size(), -1);  // on the path
  std::vector<char> bold(graph.tasks.size());
  for (std::size_t k = 0; k < path.size(); ++k) {
    bold[at(path[k])] = 1;
    if (k > 0) next[at(path[k - 1])] = path[k];
  }
  const auto who = readers(graph);
  std::vector<std::string> links;  // nodes of each
  for (std::size_t k = 0; k < graph.tasks.size(); ++k) {
    const Task& task = graph.tasks[k];
    const bool at_an_end = task.needs.empty() || who[k].empty();
    links.resize(std::max(links.size(), at(task.link) + 1));
    links[at(task.link)] += sentence("    t", k, " [label=\"", task.name, "\", tooltip=\"", to_string(task.cost), "\"",
                                     bold[k]     ? ", penwidth=3"
                                     : at_an_end ? ", penwidth=2"
                                                 : "",
                                     "];\n");
  }
  std::string all = sentence("digraph \"", graph.name, "\" {\n  node [shape=box, fontsize=10];\n");
  for (std::size_t link = 0; link < links.size(); ++link)
    if (!links[link].empty())
      all += sentence("  subgraph \"cluster_", link, "\" {\n",
                      link > 0 ? sentence("    label=\"link ", link, "\";\n") : "", "    color=gray;\n", links[link],
                      "  }\n");
  for (std::size_t k = 0; k < graph.tasks.size(); ++k)
    for (const Index needed : graph.tasks[k].needs)
      all +=
          sentence("  t", needed, " -> t", k, next[at(needed)] == static_cast<Index>(k) ? " [penwidth=3];\n" : ";\n");
  return all + "}\n";
}

}  // namespace tandem
