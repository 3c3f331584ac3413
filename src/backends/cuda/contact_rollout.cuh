// SPDX-License-Identifier: Apache-2.0
/// The kernel of rollouts with contacts: run_contact_rollout_thread for any joints.
#pragma once
#include "backends/cuda/contact_rollout_kernels.hpp"
#include "backends/cuda/launch.cuh"

namespace tandem::cuda {

template <class T>
__global__ void __launch_bounds__(threads_per_block)
    run_contact_rollouts(const __grid_constant__ ModelView<InWarp<T>> m, const __grid_constant__ DeviceRollout<T> call,
                         const __grid_constant__ DeviceContacts<T> contacts, const __grid_constant__ Scratch<T> scratch,
                         const __grid_constant__ Variation<T> variation) {
  run_contact_rollout_thread(call, contacts, m, scratch, variation,
                             Index{blockIdx.x} * threads_per_block + threadIdx.x);
}

template <class T>
void launch_contact_rollout(const RolloutLaunch<T>& launch, const DeviceContacts<T>& contacts) {
  launch_blocks("rollout with contacts", run_contact_rollouts<T>, blocks_of(launch.scratch.columns), launch.stream,
                known_as<InWarp<T>>(launch.model), launch.call, contacts, launch.scratch, launch.variation);
}

template <class T>
Index resident_contact_rollouts() {
  return Index{threads_per_block} *
         resident_blocks("rollout with contacts", run_contact_rollouts<T>, current_device());
}

}  // namespace tandem::cuda
