// SPDX-License-Identifier: Apache-2.0
/// Our own rows.
#pragma once
#include "results.hpp"
#include "rivals.hpp"
#include "robots.hpp"

namespace tandem::bench {

/// One state at a time.
void add_tandem_rows(Rows& rows, const RobotPointer& robot);

/// Batches of states.
void add_tandem_batch_rows(Rows& rows, const RobotPointer& robot, const std::vector<Index>& batches);

/// Code for one robot beside code for any, over batches and one state at a time.
void add_generated_rows(Rows& rows, const RobotPointer& robot);

/// Derivatives of the dynamics, of one state and of batches.
void add_derivative_rows(Rows& rows, const RobotPointer& robot);

/// How long it takes to record and assemble functions for a robot, and what comes out.
Lines assembly_of(const Robot& robot, int repetitions);

/// One long robot at a time, by the methods that divide it and those that do not, on one and two threads.
void add_tandem_links_rows(Rows& rows, const RobotPointer& robot);

/// Memory that the scan form of forward dynamics takes on a robot, per link.
Line memory_of_scan(const std::string& robot);

/// What the processor can do: fused multiply-adds of each width, copies of memory.
void add_limit_rows(Rows& rows);

/// Relative errors of forward dynamics in float against double, over the robot's batch of states.
Line float_accuracy(const Robot& robot);

}  // namespace tandem::bench
