// SPDX-License-Identifier: Apache-2.0
/// Rollouts: the kernels against their text on the processor, and steps a second.
#pragma once
#include <string>
#include <vector>

#include "robots.hpp"
#include "tandem/index.hpp"

namespace tandem::gpu_check {

struct RolloutCheck {
  std::string robot, precision;
  Index instances = 0, steps = 0;
  double steps_per_second = 0, best = 0;  ///< arrays on the device; 0: not measured
  Index different = 0;                    ///< numbers of the last states that are not those of the processor
  bool passed = false;
};
/// Prints a line for each.
std::vector<RolloutCheck> check_rollouts(const std::vector<Robot>& robots);

}  // namespace tandem::gpu_check
