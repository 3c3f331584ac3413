// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tandem::gpu_check {

/// A block of the GPU as schedules see it: prints cycles, and writes the machine that they make.
void measure_block();

}  // namespace tandem::gpu_check
