// SPDX-License-Identifier: Apache-2.0
/// How many elements the executor of the GPU scans in a while.
#pragma once
namespace tandem::gpu_check {

/// Inclusive scans of sums and of products of poses, all arrays on the device: a row of kind "scans" for each. Prints a
/// line for each.
void measure_scans();

}  // namespace tandem::gpu_check
