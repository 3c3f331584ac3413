// SPDX-License-Identifier: Apache-2.0
/// Rollouts with contacts on a device, as the driver launches them.
#pragma once
#include "backends/cuda/contact_rollout.hpp"
#include "backends/cuda/rollout_kernels.hpp"

namespace tandem::cuda {

/// Of a replicated model, whether instances differ or not: the kernel takes minutes to compile, and there is one.
template <class T>
void launch_contact_rollout(const RolloutLaunch<T>& launch, const DeviceContacts<T>& contacts);
/// Threads that the device in use works on at a time.
template <class T>
Index resident_contact_rollouts();

}  // namespace tandem::cuda
