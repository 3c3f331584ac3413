// SPDX-License-Identifier: Apache-2.0
/// A computation as tasks that wait for each other, [Pond] 2.3: what may be given to processors of their own.
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

/// What a task costs in operations, as [Pond] counts them: M, A, T and E.
struct TaskCost {
  double multiplications = 0;  ///< M; a division or a root counts as one
  double additions = 0;        ///< A
  double trigonometric = 0;    ///< T, a sine or a cosine
  double assignments = 0;      ///< E, numbers that are stored: outputs, and what stands in parentheses

  /// The sum, number by number.
  TaskCost& operator+=(const TaskCost& b) {
    multiplications += b.multiplications, additions += b.additions;
    trigonometric += b.trigonometric, assignments += b.assignments;
    return *this;
  }
  bool operator==(const TaskCost&) const = default;  ///< in all four
};
/// The sum, number by number.
inline TaskCost operator+(TaskCost a, const TaskCost& b) { return a += b; }
/// So many times as much of everything.
inline TaskCost operator*(double n, const TaskCost& a) {
  return {n * a.multiplications, n * a.additions, n * a.trigonometric, n * a.assignments};
}

/// "337 M + 284 A + 2 T", without assignments, which tables of operations leave out.
std::string to_string(const TaskCost& cost);

/// A piece of work that one processor does without a break.
struct Task {
  std::string name;          ///< of its own in its graph, "wd3"
  Index link = 0;            ///< to which link it belongs, 1 .. n; 0: to none
  TaskCost cost;             ///< what there is to do
  Index outputs = 0;         ///< number of its outputs, which are sent to tasks that need them
  std::vector<Index> needs;  ///< tasks whose outputs it reads, each once, in any order
};

/// Tasks in the order in which they are listed; one may need a task that comes later in the list, but none itself, on
/// any way.
struct TaskGraph {
  std::string name;         ///< of the computation, "recne"
  std::vector<Task> tasks;  ///< all of them
};

/// Throws Error that names the graph and the task: a name that is used twice, a number of a task that is none, costs
/// that are negative, tasks that wait for each other in a circle.
void check(const TaskGraph& graph);

/// Every task behind all that it needs: numbers of tasks. Throws Error if tasks wait for each other in a circle.
std::vector<Index> in_order(const TaskGraph& graph);
/// Who reads the outputs of each task.
std::vector<std::vector<Index>> readers(const TaskGraph& graph);
/// The cost of all tasks.
TaskCost total_cost(const TaskGraph& graph);

/// Six ways to write inverse dynamics of a chain, [Pond] 2.2: the rows of the methods from recne on.
inline std::span<const Named> formulations() {
  constexpr auto first = static_cast<std::size_t>(Method::recne);
  static_assert(std::size(NamesOf<Method>::table) == first + 6, "formulations are the last of the methods");
  return std::span<const Named>(NamesOf<Method>::table).subspan(first);
}
/// The one with that name. Throws Error that lists them.
inline Method formulation_from_name(std::string_view name) {
  return static_cast<Method>(static_cast<std::size_t>(Method::recne) + find_name("formulation", name, formulations()));
}

/// The tasks of a formulation for a chain of so many revolute joints: those that inverse dynamics runs by the method of
/// that name, counted as [Pond] counts. Throws Error for a method that is no formulation.
TaskGraph formulation_graph(Method formulation, Index links);
/// The same for a robot. Throws Error if it is no chain, or a joint has not one degree of freedom.
TaskGraph formulation_graph(Method formulation, const Model& model);

/// The graph as [Pond] tables it, for a chain of revolute joints, with what its table 2.7 needs besides: moments of the
/// last link that cost what others do, (2.65) behind (2.64) in hybrid. Throws Error for fewer than one link, and for a
/// method that is no formulation.
TaskGraph printed_graph(Method formulation, Index links);
/// The same for as many links as a robot has. Throws Error if it is no chain of revolute joints.
TaskGraph printed_graph(Method formulation, const Model& model);

/// How finely a function is divided.
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

/// The tasks of any function for a robot, as it is recorded: its numbers are known, and nothing is done twice. Throws
/// Error for what cannot be recorded.
TaskGraph recorded_graph(const Algorithm& algorithm, const Model& model, Grain grain = Grain::step,
                         const Options& options = {});

/// Text for Graphviz: a task is a node, a row a link; those on `path` and their edges are bold.
std::string dot_text(const TaskGraph& graph, const std::vector<Index>& path = {});

}  // namespace tandem
