// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "plain_robot.hpp"
#include "tandem/tandem.hpp"

namespace tandem::bench {

/// A robot of the benchmark: our model, and what other libraries and all rows are given.
struct Robot {
  Model model;
  PlainRobotPointer plain;
};
using RobotPointer = std::shared_ptr<const Robot>;

/// A robot as the command line names them, with its single states and a batch of the size given. The root of
/// FILE+floating is free.
RobotPointer load_robot(const std::string& name, Index batch = 0);

}  // namespace tandem::bench
