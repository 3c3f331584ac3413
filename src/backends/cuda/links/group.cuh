// SPDX-License-Identifier: Apache-2.0
/// The kernels of methods on groups of blocks. Each method and precision is a source of its own (kernels.cmake).
#pragma once
#include "backends/cuda/launch.cuh"
#include "backends/cuda/links/group.hpp"
#include "backends/cuda/links/group_kernels.hpp"
#include "backends/cuda/links/thread_block.cuh"

namespace tandem::cuda {

template <class A, class T>
__global__ void __launch_bounds__(group_threads) run_groups(const __grid_constant__ GroupCall<A, T> call) {
  run_group<CudaThreadBlock>(call);
}

/// Blocks of a group wait for each other.
template <class A, class T>
void launch_groups(const GroupCall<A, T>& call, Stream stream) {
  const Blocks blocks = {Index{call.blocks} * call.groups, group_threads, 0, call.blocks > 1};
  launch_blocks(A::Problem::name, run_groups<A, T>, blocks, stream, call);
}

template <class A, class T>
int blocks_at_a_time() {
  thread_local int asked = -1, answer = 0;
  const int device = current_device();
  if (device == asked) return answer;
  answer = resident_blocks(A::Problem::name, run_groups<A, T>, device, group_threads);
  asked = device;
  return answer;
}

}  // namespace tandem::cuda
