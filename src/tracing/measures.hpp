// SPDX-License-Identifier: Apache-2.0
/// The graph of a recorded function as a graph of tasks: how much there is to do, how much of it one after the other,
/// and who waits for whom.
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "tracing/record.hpp"

namespace tandem {

/// How many operations of each kind lead to outputs; inputs and constants are counted, too.
using OperationCounts = std::array<std::int64_t, static_cast<std::size_t>(Operation::select_bit) + 1>;
OperationCounts operation_counts(const RecordedFunction& function);
/// All of them: without inputs and constants.
std::int64_t operations(const RecordedFunction& function);

/// What an operation costs, in any unit. A sine and a cosine of one angle are two operations.
using Cost = std::function<double(Operation)>;
inline double one_each(Operation operation) { return operand_count(operation) > 0 ? 1 : 0; }

/// When each node can be done with, if every operation begins as soon as its operands are there, for every node of the
/// graph.
std::vector<double> earliest(const RecordedFunction& function, const Cost& cost = one_each);
/// How long it takes from when a node is done until all that waits for it is: 0 for what only outputs wait for, -1 for
/// nodes that no output needs. Where this and `earliest` add up to the depth, a node is critical.
std::vector<double> behind(const RecordedFunction& function, const Cost& cost = one_each);
/// The longest path: what it takes with as many workers as one likes.
double depth(const RecordedFunction& function, const Cost& cost = one_each);
/// Operations over depth: how many workers could be busy on average.
double parallelism(const RecordedFunction& function);

struct Edge {
  std::int32_t from, to;  ///< nodes; the second reads the first
  bool operator==(const Edge&) const = default;
};
/// Between nodes that lead to outputs, by the reader, then by the place of the operand; a square reads twice. Without
/// constants.
std::vector<Edge> edges(const RecordedFunction& function);

}  // namespace tandem
