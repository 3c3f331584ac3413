// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "core/text.hpp"
#include "tandem/api/evaluate.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// Throws Error: the algorithm's name, then what is wrong, in parts as in sentence().
template <class... Part>
[[noreturn]] void refuse(const Algorithm& algorithm, const Part&... parts) {
  throw Error(sentence(algorithm.name, ": ", parts...));
}

/// What every device asks of a call: as many arguments as the algorithm has, none missing that is needed, with what an
/// optional output is computed from. Throws Error.
template <class T>
void check_call(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments);

/// Throws Error if an output, the batch's status and iterations included, has memory in common with itself or another
/// array: but for one that may lie where an input does.
template <class T>
void check_overlaps(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
                    const Batch<T>& batch);

}  // namespace tandem
