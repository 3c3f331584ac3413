// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/api/rollout.hpp"

namespace tandem {

/// Throws Error for options, arrays and a batch that no rollout of the model can have.
template <class T>
void check_rollout(const Model& model, const RolloutArrays<T>& arrays, const Batch<T>& batch,
                   const RolloutOptions& options, const Device& device);

}  // namespace tandem
