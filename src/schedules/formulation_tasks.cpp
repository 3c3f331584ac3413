// SPDX-License-Identifier: Apache-2.0
#include "schedules/formulation_tasks.hpp"

#include <string_view>

#include "core/at.hpp"
#include "core/text.hpp"
#include "schedules/pond_graphs.hpp"
#include "tandem/error.hpp"
#include "tandem/model/builder.hpp"

namespace tandem {
namespace {

/// [Pond] tables no assignments: one for each number of the outputs, and for each of what stands in parentheses (p. 45). In a
/// rotation three numbers do not change.
double assignments(FormulationName formulation, const FormulationTask& task) {
  const std::string_view quantity = task.quantity;
  const bool in_base = formulation == FormulationName::recneb;
  double in_parentheses = 0;
  if (quantity == "R") in_parentheses = -3;
  if (quantity == "w" && formulation == FormulationName::recne) in_parentheses = 3;
  if ((quantity == "wd" || quantity == "pdd") && !in_base) in_parentheses = 3;
  if (quantity == "wd1" || quantity == "pdd1" || quantity == "sdd" || quantity == "n1") in_parentheses = 3;
  if (quantity == "N") in_parentheses = in_base ? 6 : 3;
  return static_cast<double>(task.rows) + in_parentheses;
}

}  // namespace

bool can_be_run(FormulationName formulation) {
  return formulation == FormulationName::recne || formulation == FormulationName::recneb ||
         formulation == FormulationName::resne;
}

Method method_of(FormulationName formulation) {
  if (!can_be_run(formulation))
    throw Error(
        sentence("the tasks of ", to_string(formulation), " cannot be run; those of recne, recneb and resne can"));
  return from_name<Method>(to_string(formulation));
}

TaskGraph graph_of(const TaskList& list, FormulationName formulation, Count count) {
  TaskGraph graph = {to_string(formulation), {}};
  for (const FormulationTask& task : list.tasks()) {
    const Operations& n = count == Count::printed ? task.printed : task.operations;
    TaskCost cost;
    cost.multiplications = static_cast<double>(n.multiplications + n.divisions + n.square_roots);
    cost.additions = static_cast<double>(n.additions);
    cost.trigonometric = 2 * static_cast<double>(n.angles);
    cost.assignments = assignments(formulation, task);
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

TaskGraph formulation_graph(FormulationName formulation, const Model& model) {
  const auto& m = model.view<double>();
  const std::string robot = element("robot", model.name()) + ": ";
  if (m.n_links < 2) throw Error(robot + "expected a chain of one joint at least");
  for (std::int32_t i = 1; i < m.n_links; ++i) {
    if (m.parent[i] != i - 1)
      throw Error(sentence(robot, element("link", model.link_name(i)), " hangs from ",
                           in_quotes(model.link_name(m.parent[i])),
                           ": expected a chain for a formulation of inverse dynamics as tasks"));
    const JointType type = model.joint_type(i);
    if (joint_nv(type) != 1 || model.is_mimic(i))
      throw Error(sentence(
          robot, element("joint", model.joint_name(i)), " is ", model.is_mimic(i) ? "a mimic joint" : to_string(type),
          ": expected one degree of freedom of its own for a formulation of inverse dynamics as tasks"));
  }
  if (!can_be_run(formulation)) return printed_graph(formulation, m.n_links - 1);
  return graph_of(TaskList(model, method_of(formulation)), formulation, Count::printed);
}

TaskGraph formulation_graph(FormulationName formulation, Index links) {
  if (links < 1) throw Error(sentence("tasks of a formulation: expected one link at least, not ", links));
  return formulation_graph(formulation, revolute_chain(links));
}

}  // namespace tandem
