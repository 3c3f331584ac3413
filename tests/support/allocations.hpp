// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace tandem::test {

/// How often this program has asked for memory so far, by any `new`.
std::size_t allocations();

}  // namespace tandem::test
