// SPDX-License-Identifier: Apache-2.0
/// Rollouts on a device, as the driver launches them.
#pragma once
#include "backends/cuda/rollout.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// What a kernel is compiled for.
enum class RolloutKind : unsigned char {
  hinges,  ///< robots of hinges, by articulated bodies
  any,     ///< any robot
  varied   ///< a model for each instance
};
inline constexpr int n_rollout_kinds = 3;

/// All of it on the device: the model, replicated where there is one for each instance, and the arrays.
template <class T>
struct RolloutLaunch {
  ModelView<T> model;
  DeviceRollout<T> call;
  Scratch<T> scratch;
  Variation<T> variation;
  Stream stream;
};

template <class T>
void launch_rollout(RolloutKind kind, const RolloutLaunch<T>& launch);
/// Threads that the device in use works on at a time.
template <class T>
Index resident_rollouts(RolloutKind kind);

}  // namespace tandem::cuda
