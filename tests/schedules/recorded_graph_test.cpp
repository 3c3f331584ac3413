// SPDX-License-Identifier: Apache-2.0
/// Any function as a graph of tasks.
#include <gtest/gtest.h>

#include "tracing/measures.hpp"
#include "tandem/api/schedule.hpp"
#include "tandem/model/generators.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

TEST(RecordedGraph, HasTheOperationsOfTheFunction) {
  const Model model = load("arm7");
  const Algorithm& algorithm = find_algorithm("inverse_dynamics");
  const OperationCounts counts = operation_counts(record(algorithm, model));
  const auto number = [&](Operation operation) {
    return static_cast<double>(counts[static_cast<std::size_t>(operation)]);
  };
  for (const Grain grain : {Grain::step, Grain::operation}) {
    const TaskGraph graph = recorded_graph(algorithm, model, grain);
    EXPECT_NO_THROW(check(graph));
    const TaskCost cost = total_cost(graph);
    EXPECT_EQ(cost.trigonometric, number(Operation::sine) + number(Operation::cosine));
    EXPECT_EQ(cost.multiplications, number(Operation::multiply) + number(Operation::multiply_add) +
                                        number(Operation::divide) + number(Operation::square_root));
  }
  EXPECT_EQ(static_cast<std::int64_t>(recorded_graph(algorithm, model, Grain::operation).tasks.size()),
            operations(record(algorithm, model)));
}

TEST(RecordedGraph, IsAsDeepAsTheFunction) {
  const Model model = load("quadruped");
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  MachineModel machine;
  machine.task = 1;
  const RecordedFunction function = record(algorithm, model);
  machine.multiplication = 1e-12;  // an operation is a task
  EXPECT_NEAR(critical_path(recorded_graph(algorithm, model, Grain::operation), machine).time, depth(function), 1e-6);
}

/// Legs go to processors of their own.
TEST(RecordedGraph, OfAQuadrupedIsFasterOnFourProcessors) {
  const TaskGraph graph = recorded_graph(find_algorithm("inverse_dynamics"), load("quadruped"));
  const Schedule four = make_schedule(graph, transputer(), {.processors = 4});
  EXPECT_EQ(fault_of(four, graph, transputer()), "");
  EXPECT_LT(four.length, 0.75 * schedule_bounds(graph, transputer(), 1).serial);
}

}  // namespace
}  // namespace tandem
