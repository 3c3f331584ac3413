// SPDX-License-Identifier: Apache-2.0
/// A recorded function as tasks that can be run one by one.
#pragma once
#include <span>
#include <vector>

#include "tracing/record.hpp"
#include "tandem/api/schedule.hpp"

namespace tandem {

/// The tasks of a function for a robot. Each is a run of operations, carried out one after the other on numbers that
/// lie in a processor's memory: what other tasks read of a task, or what is a result, lies there side by side.
class RecordedTasks {
 public:
  /// Throws Error for what cannot be recorded, and if there is nothing to compute.
  RecordedTasks(const Algorithm& algorithm, const Model& model, Grain grain, const Options& options);

  const TaskGraph& graph() const { return graph_; }
  const RecordedFunction& function() const { return function_; }

  /// The memory of a processor: constants, and the inputs, rows of the columns that are inputs in their order.
  std::vector<double> memory(const std::vector<double>& inputs) const;
  void run(Index task, double* memory) const;
  std::span<double> outputs(Index task, double* memory) const;
  /// Rows of the columns that are outputs, in their order.
  std::vector<std::vector<double>> results(const double* memory) const;

 private:
  struct Step {
    Operation operation;
    std::uint8_t minus;  ///< a bit for every operand
    std::uint8_t which;  ///< of select_bit
    std::int32_t operand[4], result;
  };
  void divide(const Model& model, Grain grain);
  void lay_out();

  RecordedFunction function_;
  TaskGraph graph_;
  std::vector<Index> task_of_;                    ///< of every node, or -1
  std::vector<char> is_output_;                   ///< of every node: its task sends it, or it is a result
  std::vector<std::vector<std::int32_t>> nodes_;  ///< of every task, in order
  std::vector<std::vector<Step>> steps_;          ///< likewise
  std::vector<std::int32_t> place_, first_;       ///< of every node in the memory; of every task's outputs
};

}  // namespace tandem
