// SPDX-License-Identifier: Apache-2.0
/// A block of a GPU as a machine of processors.
#pragma once
#include "backends/cuda/block_samples.hpp"
#include "tandem/api/machine_model.hpp"

namespace tandem {

/// What two warps take to wait for each other, and the clock. The machine does without barriers: its messages have
/// flags.
struct BlockClock {
  double barrier_us;
  double megahertz;
};

/// What each is: the middle of the attempts. Throws Error where a clock stood still.
BlockClock block_clock(const cuda::BlockSamples& samples);
MachineModel block_machine(const cuda::BlockSamples& samples, const std::string& gpu);

}  // namespace tandem
