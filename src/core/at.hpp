// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "tandem/detail/core/column.hpp"

namespace tandem {

/// An index as the containers of the standard library count.
inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace tandem
