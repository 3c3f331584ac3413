// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/shared/rollout.hpp"
#include "tandem/api/cuda.hpp"
#include "tandem/model/model.hpp"

namespace tandem::cuda {

/// Terms of frames and pushes that a call may have; they go with the kernel.
inline constexpr int most_rollout_frames = 8, most_rollout_pushes = 16;

/// A rollout of so many instances, arguments checked. Arrays of the host go to the device and back, piece by piece,
/// those of the device stay where they are. It returns when all is done.
template <class T>
void roll_out(const Model& model, int device, const RolloutCall<T>& call, Index batch, Place status_place,
              Stream stream, Workspace& work);

}  // namespace tandem::cuda
