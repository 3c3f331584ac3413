// SPDX-License-Identifier: Apache-2.0
/// The rows of other libraries. One that was not built in adds none; one that cannot take a robot says why and adds
/// none.
#pragma once
#include "rows.hpp"

namespace tandem::bench {

/// The size of the rivals' batches.
inline constexpr std::int64_t compared = 4096;

/// One state at a time.
void add_pinocchio_rows(Rows& rows, const PlainRobotPointer& robot);
void add_mujoco_rows(Rows& rows, const PlainRobotPointer& robot);

/// Batches of states.
void add_pinocchio_batch_rows(Rows& rows, const PlainRobotPointer& robot);
void add_pinocchio_pool_rows(Rows& rows, const PlainRobotPointer& robot);
void add_pinocchio_code_generation_rows(Rows& rows, const PlainRobotPointer& robot);
void add_mujoco_batch_rows(Rows& rows, const PlainRobotPointer& robot);

/// Versions of those that were built in; empty if absent.
std::string pinocchio_version();
std::string mujoco_version();

}  // namespace tandem::bench
