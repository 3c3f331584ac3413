// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace tandem::gpu_check {

/// Captures calls of every kind into a CUDA graph and replays it over other numbers: whatever a call would wait for or
/// allocate would fail. Empty if what comes out is what calls give, else what is wrong.
std::string check_graph();

}  // namespace tandem::gpu_check
