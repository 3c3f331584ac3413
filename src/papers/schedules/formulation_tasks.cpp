// SPDX-License-Identifier: Apache-2.0
#include "papers/schedules/formulation_tasks.hpp"

#include <algorithm>
#include <string_view>

#include "core/at.hpp"
#include "core/text.hpp"
#include "tandem/error.hpp"
#include "tandem/model/builder.hpp"

namespace tandem {
namespace {

/// Numbers in parentheses of a task's equation, each of which is stored, [Pond] p. 45; of a rotation three do not
/// change.
double in_parentheses(Method formulation, const FormulationTask& task, int links) {
  const std::string_view quantity = task.quantity;
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), quantity) != names.end();
  };
  const auto terms = [&](int first) { return static_cast<double>(links - first + 1); };  // of a sum over links
  if (quantity == "R") return -3;
  switch (formulation) {
    case Method::recneb: return quantity == "N" ? 6 : is_one_of({"wd1", "pdd1", "sdd", "n1"}) ? 3 : 0;
    case Method::recne:
    case Method::resne:
      return is_one_of({"wd", "pdd", "sdd", "N"}) || (quantity == "w" && formulation == Method::recne) ? 3 : 0;
    case Method::hybrid:
      if (quantity == "I") return 18;
      if (quantity == "M") return task.i == task.j ? 0 : 6;
      return is_one_of({"w", "wd", "pdd", "sdd", "N", "L", "g"}) ? 3 : 0;
    case Method::recle:
      if (quantity == "0Rd") return task.i > 1 ? 9 : 0;
      if (quantity == "0Rdd") return task.i > 1 ? 18 : 9;
      return quantity == "tau*" ? 9 : 0;
    case Method::classle:
      if (quantity == "T") return task.j - task.i == 1 ? -4 : 0;
      if (quantity == "C") return 33 * terms(task.j) - 1;
      if (quantity == "M") return 33 * terms(task.i) - 1;
      return quantity == "g" ? 5 * terms(task.i) - 1 : 0;
    default: return 0;
  }
}

}  // namespace

TaskGraph graph_of(const TaskList& list, Method formulation, Count count) {
  TaskGraph graph = {to_string(formulation), {}};
  int links = 0;
  for (const FormulationTask& task : list.tasks()) links = std::max({links, task.i, task.j});
  for (const FormulationTask& task : list.tasks()) {
    const Operations& n = count == Count::printed ? task.printed : task.operations;
    TaskCost cost;
    cost.multiplications = static_cast<double>(n.multiplications + n.divisions + n.square_roots);
    cost.additions = static_cast<double>(n.additions);
    cost.trigonometric = 2 * static_cast<double>(n.angles);
    cost.assignments = static_cast<double>(task.rows) + in_parentheses(formulation, task, links);
    graph.tasks.push_back({task.name(), task.i, cost, task.rows, {task.reads.begin(), task.reads.end()}});
  }
  return graph;
}

Model revolute_chain(Index links) {
  ModelBuilder builder(sentence("revolute_", links));
  builder.link({.name = "base"});
  for (Index i = 1; i <= links; ++i) {
    const double x = static_cast<double>(i % 3);
    builder.link({.name = sentence("link", i),
                  .mass = 1 + 0.1 * x,
                  .com = {0.1, 0.02, 0.03 * x},
                  .inertia = {0.1, 0.01, 0.005, 0.12, -0.002, 0.09}});
    JointDescription joint;
    joint.name = sentence("joint", i);
    joint.type = JointType::revolute;
    joint.parent = i == 1 ? "base" : sentence("link", i - 1);
    joint.child = sentence("link", i);
    joint.placement.position = {0.3, 0, 0};
    joint.axis = i % 2 == 0 ? std::array{0.0, 1.0, 0.0} : std::array{0.0, 0.0, 1.0};  // x is normal to all of them
    builder.joint(joint);
  }
  return builder.build();
}

namespace {

/// Throws Error for a robot that is no chain of joints with one degree of freedom each.
void check_is_chain(const Model& model) {
  const auto& m = model.view<double>();
  const std::string robot = element("robot", model.name()) + ": ";
  if (m.n_links < 2) throw Error(robot + "expected a chain with 1 joint or more");
  for (std::int32_t i = 1; i < m.n_links; ++i) {
    if (m.parent[i] != i - 1)
      throw Error(sentence(robot, element("link", model.link_name(i)), " is a child of ",
                           in_quotes(model.link_name(m.parent[i])),
                           ": expected a chain for a formulation of inverse dynamics as tasks"));
    const JointType type = model.joint_type(i);
    if (joint_nv(type) != 1 || model.is_mimic(i))
      throw Error(sentence(
          robot, element("joint", model.joint_name(i)), " is ", model.is_mimic(i) ? "a mimic joint" : to_string(type),
          ": expected one degree of freedom of its own for a formulation of inverse dynamics as tasks"));
  }
}

}  // namespace

TaskGraph formulation_graph(Method formulation, const Model& model) {
  check_is_chain(model);
  return graph_of(TaskList(model, formulation), formulation, Count::printed);
}

TaskGraph printed_graph(Method formulation, const Model& model) {
  check_is_chain(model);
  const Index links = model.view<double>().n_links - 1;
  for (Index i = 1; i <= links; ++i) {
    const JointType type = model.joint_type(static_cast<std::int32_t>(i));
    if (type != JointType::revolute && type != JointType::continuous)
      throw Error(sentence(element("robot", model.name()), ": ",
                           element("joint", model.joint_name(static_cast<std::int32_t>(i))), " is ", to_string(type),
                           ": the tasks of the thesis are for revolute joints; give a number of links, ", links,
                           ", or use the tasks of the library"));
  }
  return printed_graph(formulation, links);
}

TaskGraph formulation_graph(Method formulation, Index links) {
  if (links < 1) throw Error(sentence("tasks of a formulation: expected 1 link or more, not ", links));
  return formulation_graph(formulation, revolute_chain(links));
}

}  // namespace tandem
