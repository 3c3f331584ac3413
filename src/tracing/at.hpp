// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace tandem {

/// Where in a vector a node, a step, a link of this number is.
constexpr std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

}  // namespace tandem
