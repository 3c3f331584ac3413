// SPDX-License-Identifier: Apache-2.0
/// The kernels of rollouts: run_rollout_thread for models of each kind.
#pragma once
#include "backends/cuda/launch.cuh"
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
  launch_blocks("rollout", run_rollouts<kind, T>, blocks_of(launch.scratch.columns), launch.stream,
                known_as<typename RolloutBody<kind, T>::Number>(launch.model), launch.call, launch.scratch,
                launch.variation);
}

template <RolloutKind kind, class T>
Index resident_of_kind() {
  return Index{threads_per_block} * resident_blocks("rollout", run_rollouts<kind, T>, current_device());
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
