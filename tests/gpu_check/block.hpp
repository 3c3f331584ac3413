// SPDX-License-Identifier: Apache-2.0
/// A block of the GPU as schedules see it.
#pragma once
#include "api/gpu_machine.hpp"

namespace tandem::gpu_check {

struct BlockTimes {
  MachineModel machine;
  BlockClock clock;
};
/// Prints cycles, and the machine that they make.
BlockTimes measure_block();

}  // namespace tandem::gpu_check
