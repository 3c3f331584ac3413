// SPDX-License-Identifier: Apache-2.0
/// Machines: what they are fitted to, and what messages take between threads and processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "papers/schedules/message_times.hpp"
#include "papers/schedules/operation_times.hpp"
#include "tandem/api/automatic.hpp"
#include "tandem/api/cuda.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

TEST(MachineModel, OfTheThesisIsThatOfItsTable) {
  const MachineModel machine = transputer();
  EXPECT_DOUBLE_EQ(machine.message(9), (13 * 9 + 7) / 2.0);
  EXPECT_DOUBLE_EQ(machine.time({1, 10, 100, 1000}), 1.37 + 8.5 + 4200 + 1550);
}

TEST(MachineModel, IsFittedToWhatWasMeasured) {
  MachineModel machine, fitted;
  machine.multiplication = machine.addition = 0.5;
  machine.trigonometric = 12;
  machine.assignment = 0.25;
  machine.task = 3;
  std::vector<TimedTask> tasks;
  for (const TaskCost& cost : {TaskCost{9, 6, 0, 3}, TaskCost{4, 0, 2, 9}, TaskCost{6, 3, 0, 3}, TaskCost{27, 18, 0, 9},
                               TaskCost{3, 2, 0, 1}, TaskCost{40, 20, 1, 30}})
    tasks.push_back({cost, machine.time(cost)});
  fit_operations(tasks, fitted);
  EXPECT_NEAR(fitted.multiplication, 0.5, 1e-6);
  EXPECT_NEAR(fitted.trigonometric, 12, 1e-5);
  EXPECT_NEAR(fitted.assignment, 0.25, 1e-5);
  EXPECT_NEAR(fitted.task, 3, 1e-5);
  EXPECT_LT(misfit(tasks, fitted), 1e-6);
  fit_operations({{{1, 0, 0, 0}, 1}, {{1, 0, 1, 0}, 0.5}}, fitted);
  EXPECT_EQ(fitted.trigonometric, 0);  // not negative
}

TEST(MachineModel, LinesAreFitted) {
  EXPECT_EQ(fitted_line({{1, 3}, {2, 5}, {5, 11}}), (LineTime{1, 2}));
  EXPECT_EQ(fitted_line({{1, 3}, {2, 1}}).each, 0);
}

TEST(MachineModel, MessagesAreDividedIntoTheirParts) {
  const MessageTimes times =
      message_times_of({{1, 3}, {2, 5}, {5, 11}}, {{1, 1}, {2, 1}, {5, 1}}, {{1, 14}, {2, 16}, {5, 10}});
  EXPECT_EQ(times.send, (LineTime{1, 2}));
  EXPECT_EQ(times.receive, (LineTime{1, 0}));
  EXPECT_EQ(times.travel.each, 0) << "which is never negative";
  EXPECT_DOUBLE_EQ(times.travel.fixed, 20.0 / 3) << "10, 10 and no less than 0";
}

TEST(MachineModel, OfAGpuStandsInTheTable) {
  TuningTable table;
  table.machine = "a processor";
  MachineModel machine = transputer();
  machine.name = "gpu";
  machine.origin = "a GPU at 1500 MHz";
  machine.meets = false;
  machine.travel = {0.03, 0.001};
  machine.receive = {0.02, 0.004};
  table.machines = {transputer(), machine};
  const std::string file = testing::TempDir() + "tandem_gpu_machine.json";
  write_tuning_table(file, table);
  const TuningTable read = read_tuning_table(file);
  std::filesystem::remove(file);
  ASSERT_EQ(read.machines.size(), 2u);
  const MachineModel& found = read.machines[1];
  EXPECT_EQ(found.name, "gpu");
  EXPECT_EQ(found.origin, machine.origin);
  EXPECT_EQ(found.time({1, 10, 100, 1000}), machine.time({1, 10, 100, 1000}));
  EXPECT_EQ(found.send, machine.send);
  EXPECT_EQ(found.travel, machine.travel);
  EXPECT_EQ(found.receive, machine.receive);
}

TEST(MachineModel, OfAGpuNeedsOne) {
  if (cuda::is_available()) GTEST_SKIP() << "there is one";
  try {
    measured_gpu();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), cuda::why_unavailable());
  }
}

TEST(MachineModelSlow, MessagesTakeTime) {
  for (const MessageTimes& times : {message_times_of_threads(), message_times_of_processes()}) {
    EXPECT_GE(times.send.of(9), 0);
    EXPECT_GE(times.receive.of(9), 0);
    EXPECT_GT(times.send.of(9) + times.travel.of(9) + times.receive.of(9), 0.005);
  }
}

}  // namespace
}  // namespace tandem
