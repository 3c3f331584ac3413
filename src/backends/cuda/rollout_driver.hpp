// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/shared/rollout.hpp"
#include "tandem/api/cuda.hpp"
#include "tandem/model/model.hpp"

namespace tandem::cuda {

/// A rollout of so many instances, arguments checked. Arrays of the host go to the device and back, piece by piece, those of
/// the device stay where they are. It returns when all is done.
template <class T>
void roll_out(const Model& model, int device, const RolloutCall<T>& call, Index batch, Place status_place,
              Stream stream, Workspace& work);

}  // namespace tandem::cuda
