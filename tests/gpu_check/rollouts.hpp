// SPDX-License-Identifier: Apache-2.0
/// Rollouts: the kernels against their text on the processor, and steps a second.
#pragma once
#include <vector>

#include "robots.hpp"
#include "sections.hpp"
#include "tandem/index.hpp"

namespace tandem::gpu_check {

/// The kernels of robots of up to 200 degrees of freedom against their text on the processor.
void add_rollout_checks(const std::vector<Robot>& robots, std::vector<Unit>& units);
/// Steps a second, arrays on the device.
void add_rollout_rates(const std::vector<Robot>& robots, std::vector<Unit>& units);

}  // namespace tandem::gpu_check
