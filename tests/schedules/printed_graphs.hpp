// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/api/task_graph.hpp"

namespace tandem {

/// The graph of a formulation as [Pond] tables it, for a chain of revolute joints, with what its table 2.7 needs besides.
TaskGraph printed_graph(FormulationName formulation, Index links);

}  // namespace tandem
