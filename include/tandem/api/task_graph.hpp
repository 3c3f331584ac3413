// SPDX-License-Identifier: Apache-2.0
/// Task graphs: a computation as tasks with dependencies, [Pond] 2.3, the input of schedulers.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/api/evaluate.hpp"
#include "tandem/index.hpp"
#include "tandem/model/model.hpp"
#include "tandem/names.hpp"

namespace tandem {

/// Operation counts of a task by the rules of [Pond]: M, A, T and E.
struct TaskCost {
  double multiplications = 0;  ///< M; a division or a square root counts as one
  double additions = 0;        ///< A
  double trigonometric = 0;    ///< T: sines and cosines
  double assignments = 0;      ///< E: stored numbers, which are outputs and values of parentheses

  /// Sum of each count.
  TaskCost& operator+=(const TaskCost& b) {
    multiplications += b.multiplications, additions += b.additions;
    trigonometric += b.trigonometric, assignments += b.assignments;
    return *this;
  }
  bool operator==(const TaskCost&) const = default;  ///< equality of all counts
};
/// Sum of each count.
inline TaskCost operator+(TaskCost a, const TaskCost& b) { return a += b; }
/// Product of each count and n.
inline TaskCost operator*(double n, const TaskCost& a) {
  return {n * a.multiplications, n * a.additions, n * a.trigonometric, n * a.assignments};
}

/// Text such as "337 M + 284 A + 2 T", without assignments, as in the tables of operation counts.
std::string to_string(const TaskCost& cost);

/// A task: operations that one processor executes without interruption.
struct Task {
  std::string name;          ///< unique name in the graph, such as "wd3"
  Index link = 0;            ///< link of the task, 1 .. n; 0: none
  TaskCost cost;             ///< operation counts
  Index outputs = 0;         ///< number of output values
  std::vector<Index> needs;  ///< indices of the tasks whose outputs are inputs, each once, in any order
};

/// A directed acyclic graph of tasks. Dependencies may have any index: the list need not be in topological order.
struct TaskGraph {
  std::string name;         ///< name of the computation, such as "recne"
  std::vector<Task> tasks;  ///< tasks; edges are their `needs`
};

/// Check a graph. Throws Error that names the graph and the task for a duplicate name, an index out of range, a
/// negative cost, or a dependency cycle.
void check(const TaskGraph& graph);

/// Indices of the tasks in topological order. Throws Error for a dependency cycle.
std::vector<Index> in_order(const TaskGraph& graph);
/// For each task the indices of the tasks that depend on it.
std::vector<std::vector<Index>> readers(const TaskGraph& graph);
/// Sum of the costs of all tasks.
TaskCost total_cost(const TaskGraph& graph);

/// The six formulations of inverse dynamics of a chain, [Pond] 2.2: the methods from recne on.
inline std::span<const Named> formulations() {
  constexpr auto first = static_cast<std::size_t>(Method::recne);
  static_assert(std::size(NamesOf<Method>::table) == first + 6, "formulations are the last of the methods");
  return std::span<const Named>(NamesOf<Method>::table).subspan(first);
}
/// A formulation by its name. Throws Error that lists the names.
inline Method formulation_from_name(std::string_view name) {
  return static_cast<Method>(static_cast<std::size_t>(Method::recne) + find_name("formulation", name, formulations()));
}

/// Task graph of a formulation for a chain of revolute joints, as implemented by the method of the same name.
/// Operations are counted by the rules of [Pond]. Throws Error for other methods.
TaskGraph formulation_graph(Method formulation, Index links);
/// The same for a robot. Throws Error if the robot is not a chain of joints with one degree of freedom.
TaskGraph formulation_graph(Method formulation, const Model& model);

/// Task graph of a formulation as printed in [Pond] tables 2.1 to 2.6, for a chain of revolute joints. Two details
/// follow table 2.7: the moments of the last link cost as much as the others, and in hybrid (2.65) depends on (2.64).
/// Throws Error for fewer than one link, and for other methods.
TaskGraph printed_graph(Method formulation, Index links);
/// The same for the number of links of a robot. Throws Error if the robot is not a chain of revolute joints.
TaskGraph printed_graph(Method formulation, const Model& model);

/// Granularity of recorded_graph().
enum class Grain : unsigned char {
  step,      ///< the operations of a link in one pass over the robot
  operation  ///< single operations
};
template <>
struct NamesOf<Grain> {
  static constexpr const char* kind = "grain";
  static constexpr Named table[] = {{"step", "the operations of a link in one pass over the robot"},
                                    {"operation", "single operations"}};
};

/// Task graph of an algorithm for one robot, from its expression graph: the parameters of the robot are constants, and
/// common subexpressions are shared. Throws Error for an algorithm that cannot be traced.
TaskGraph recorded_graph(const Algorithm& algorithm, const Model& model, Grain grain = Grain::step,
                         const Options& options = {});

/// Graphviz text: one node per task, one row per link. Tasks of `path` and the edges between them are bold.
std::string dot_text(const TaskGraph& graph, const std::vector<Index>& path = {});

}  // namespace tandem
