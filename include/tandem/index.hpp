// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>

namespace tandem {

/// Sizes and indices: a batch of a million states of a million links exceeds the range of int.
using Index = std::int64_t;

}  // namespace tandem
