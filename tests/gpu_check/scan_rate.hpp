// SPDX-License-Identifier: Apache-2.0
/// How many elements the engine of the GPU scans in a while.
#pragma once
#include <string>
#include <vector>

#include "tandem/index.hpp"

namespace tandem::gpu_check {

struct ScanRate {
  Index elements = 0;
  std::string of, precision;
  double seconds = 0;   ///< of a scan, all arrays on the device: median
  bool passed = false;  ///< whether the last prefix is what it must be
  double in_10_ms() const { return 1e-2 * static_cast<double>(elements) / seconds; }
};
/// Inclusive scans of sums and of products of poses. Prints a line for each.
std::vector<ScanRate> measure_scans();

}  // namespace tandem::gpu_check
