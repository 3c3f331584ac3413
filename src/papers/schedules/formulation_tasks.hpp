// SPDX-License-Identifier: Apache-2.0
/// The tasks of a formulation, as they are run and as a graph.
#pragma once
#include <memory>

#include "papers/formulations/task_list.hpp"
#include "tandem/api/task_graph.hpp"

namespace tandem {

/// Whether a task's operations are those that are done, or those of the thesis' tables, which writes out what is zero
/// or one.
enum class Count { done, printed };

/// A task for every one of the list, with the same number.
TaskGraph graph_of(const TaskList& list, Method formulation, Count count);

/// A chain of so many revolute joints, any numbers.
Model revolute_chain(Index links);

}  // namespace tandem
