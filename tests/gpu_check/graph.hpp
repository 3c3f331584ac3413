// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "robots.hpp"
#include "sections.hpp"

namespace tandem::gpu_check {

/// Captures calls of every kind into a CUDA graph and replays it over other numbers: whatever a call would wait for or
/// allocate would fail, and what comes out must be what calls give. A unit for each robot of at most 60 links.
void add_graphs(const std::vector<Robot>& robots, std::vector<Unit>& units);

}  // namespace tandem::gpu_check
