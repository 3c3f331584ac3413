// SPDX-License-Identifier: Apache-2.0
/// Where a function is computed: --device.
#pragma once
#include "cli.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cli {

/// "cpu" or "cuda".
void add_device(Command& command, std::string& device);

/// The device of that name. Throws Error if it is not here. A GPU does not say what became of each state.
Device device_named(const std::string& name, bool wants_status);

}  // namespace tandem::cli
