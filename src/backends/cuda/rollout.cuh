// SPDX-License-Identifier: Apache-2.0
/// The kernels of rollouts: run_rollout_thread for models of each kind.
#pragma once
#include <cuda_runtime.h>

#include "backends/cuda/error.hpp"
#include "backends/cuda/rollout_kernels.hpp"

namespace tandem::cuda {

template <RolloutKind kind, class T>
struct RolloutBody {
  static constexpr Models models = kind == RolloutKind::varied ? Models::varied : Models::one;
  using Dynamics = std::conditional_t<kind == RolloutKind::hinges, ByArticulatedBodies, ForwardDynamics>;
  using Number = std::conditional_t<kind == RolloutKind::varied, InWarp<T>,
                                    std::conditional_t<kind == RolloutKind::hinges, Known<T, JointSet::hinges>, T>>;
};

template <RolloutKind kind, class T>
__global__ void __launch_bounds__(threads_per_block)
    run_rollouts(const __grid_constant__ ModelView<typename RolloutBody<kind, T>::Number> m,
                 const __grid_constant__ DeviceRollout<T> call, const __grid_constant__ Scratch<T> scratch,
                 const __grid_constant__ Variation<T> variation) {
  using Body = RolloutBody<kind, T>;
  run_rollout_thread<Body::models, typename Body::Dynamics>(call, m, scratch, variation,
                                                            Index{blockIdx.x} * threads_per_block + threadIdx.x);
}

template <RolloutKind kind, class T>
void launch_kind(const RolloutLaunch<T>& launch) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>((launch.scratch.columns + threads_per_block - 1) / threads_per_block));
  config.blockDim = dim3(threads_per_block);
  config.stream = launch.stream;
  check(
      cudaLaunchKernelEx(&config, run_rollouts<kind, T>, known_as<typename RolloutBody<kind, T>::Number>(launch.model),
                         launch.call, launch.scratch, launch.variation),
      "rollout");
}

template <RolloutKind kind, class T>
Index resident_of_kind() {
  int device = 0, multiprocessors = 0, blocks = 0;
  check(cudaGetDevice(&device), "current device");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "number of multiprocessors");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, run_rollouts<kind, T>, threads_per_block, 0), "rollout");
  return Index{multiprocessors} * blocks * threads_per_block;
}

template <class T>
void launch_rollout(RolloutKind kind, const RolloutLaunch<T>& launch) {
  switch (kind) {
    case RolloutKind::hinges: return launch_kind<RolloutKind::hinges>(launch);
    case RolloutKind::any: return launch_kind<RolloutKind::any>(launch);
    case RolloutKind::varied: return launch_kind<RolloutKind::varied>(launch);
  }
}
template <class T>
Index resident_rollouts(RolloutKind kind) {
  switch (kind) {
    case RolloutKind::hinges: return resident_of_kind<RolloutKind::hinges, T>();
    case RolloutKind::any: return resident_of_kind<RolloutKind::any, T>();
    default: return resident_of_kind<RolloutKind::varied, T>();
  }
}

}  // namespace tandem::cuda
