// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/api/evaluate.hpp"

namespace tandem {

/// After a call: kernels see that results are not finite, this finds out why, state by state, and corrects the
/// statuses. Where anything lies on a device they stay what the kernels said: singular where a mass matrix is inverted,
/// else overflow.
template <class T>
void find_causes(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
                 const Batch<T>& batch);

}  // namespace tandem
