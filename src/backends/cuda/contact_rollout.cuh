// SPDX-License-Identifier: Apache-2.0
/// The kernel of rollouts with contacts: run_contact_rollout_thread for any joints.
#pragma once
#include <cuda_runtime.h>

#include "backends/cuda/contact_rollout_kernels.hpp"
#include "backends/cuda/error.hpp"

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
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>((launch.scratch.columns + threads_per_block - 1) / threads_per_block));
  config.blockDim = dim3(threads_per_block);
  config.stream = launch.stream;
  check(cudaLaunchKernelEx(&config, run_contact_rollouts<T>, known_as<InWarp<T>>(launch.model), launch.call, contacts,
                           launch.scratch, launch.variation),
        "rollout with contacts");
}

template <class T>
Index resident_contact_rollouts() {
  int device = 0, multiprocessors = 0, blocks = 0;
  check(cudaGetDevice(&device), "current device");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "number of multiprocessors");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, run_contact_rollouts<T>, threads_per_block, 0),
        "rollout with contacts");
  return Index{multiprocessors} * blocks * threads_per_block;
}

}  // namespace tandem::cuda
