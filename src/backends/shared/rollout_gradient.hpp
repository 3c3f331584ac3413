// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/shared/rollout.hpp"
#include "tandem/api/rollout_gradient.hpp"

namespace tandem {

/// A rollout whose gradient is asked for, checked.
template <class T>
struct RolloutGradientCall {
  RolloutCall<T> rollout;
  RolloutGradientArrays<T> gradient = {};  ///< with the number of states to keep
};

}  // namespace tandem
