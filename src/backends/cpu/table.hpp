// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "tandem/api/evaluate.hpp"

namespace tandem {

/// Every algorithm, compiled for this processor.
std::span<const Algorithm> cpu_algorithms();

}  // namespace tandem
