// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "tandem/api/evaluate.hpp"

namespace tandem {

/// What every device asks of a call: as many arguments as the algorithm has, none missing that is needed. Throws Error.
template <class T>
void check_call(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments);

}  // namespace tandem
