// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/api/rollout_gradient.hpp"

namespace tandem {

/// Throws Error for options, arrays and a batch that no rollout of the model can have.
template <class T>
void check_rollout(const Model& model, const RolloutArrays<T>& arrays, const Batch<T>& batch,
                   const RolloutOptions& options, const Device& device);

/// The same for one whose gradient is asked for.
template <class T>
void check_rollout_gradient(const Model& model, const RolloutArrays<T>& arrays,
                            const RolloutGradientArrays<T>& gradient, const Batch<T>& batch,
                            const RolloutOptions& options);

}  // namespace tandem
