// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>

namespace tandem {

/// Counts and places of numbers: a batch of a million states of a million links has more than an int can count.
using Index = std::int64_t;

}  // namespace tandem
