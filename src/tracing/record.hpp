// SPDX-License-Identifier: Apache-2.0
/// Algorithms recorded for one robot.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "tracing/graph.hpp"
#include "tandem/api/evaluate.hpp"

namespace tandem {

/// The rows of an argument or a parameter as terms of the graph: inputs of it, or what it computes. None for an
/// optional argument that was left out.
struct RecordedColumn {
  const Argument* argument;
  std::vector<Term> rows;
};

/// What an algorithm computes for one robot. Inputs of the graph are numbered in the order of the columns.
struct RecordedFunction {
  std::string name;  ///< of the algorithm
  Graph graph;
  std::vector<RecordedColumn>
      columns;  ///< in the order of the table of arguments; parameters that are inputs behind them
  std::vector<std::int32_t> quaternions = {};  ///< rows of configurations at which one begins
};

struct RecordOptions {
  Graph::Precision precision = Graph::Precision::double_precision;
  std::vector<std::string> optional = {};  ///< names of the optional arguments that are there
  std::vector<Parameter> parameters = {};  ///< of the model that are inputs, in the order of their table
  Graph::Products products = Graph::Products::fused;
  std::size_t most_operations = std::numeric_limits<std::size_t>::max();
};

/// Why an algorithm cannot be recorded for a robot, with optional arguments of these names, as the end of a sentence
/// that begins with its name; empty if it can: it does the same in every state.
std::string why_not_recorded(const Algorithm& algorithm, const Model& model, const Options& options = {},
                             const std::vector<std::string>& optional = {});

/// The same of source text for any robot, which is to have a reasonable number of operations, too.
std::string why_not_printed(const Algorithm& algorithm);
bool can_be_printed(const Algorithm& algorithm);

/// Runs the body of an algorithm for a robot on numbers that record.
///
/// Throws Error for an optional argument that the algorithm does not have, an output without what it is computed from,
/// or more than RecordOptions::most_operations.
RecordedFunction record(const Algorithm& algorithm, const Model& model, const Options& options = {},
                        const RecordOptions& how = {});

}  // namespace tandem
