// SPDX-License-Identifier: Apache-2.0
/// The kernels of methods on groups of blocks. Each method and precision is a source of its own (kernels.cmake).
#pragma once
#include <cuda_runtime.h>

#include "backends/cuda/error.hpp"
#include "backends/cuda/links/group.hpp"
#include "backends/cuda/links/group_kernels.hpp"
#include "backends/cuda/links/thread_block.cuh"

namespace tandem::cuda {

template <class A, class T>
__global__ void __launch_bounds__(group_threads) run_groups(const __grid_constant__ GroupCall<A, T> call) {
  run_group<CudaThreadBlock>(call);
}

/// All blocks run at the same time: those of a group wait for each other.
template <class A, class T>
void launch_groups(const GroupCall<A, T>& call, Stream stream) {
  cudaLaunchAttribute together = {};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(call.blocks) * static_cast<unsigned>(call.groups));
  config.blockDim = dim3(group_threads);
  config.stream = stream;
  config.attrs = &together;
  config.numAttrs = call.blocks > 1 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, run_groups<A, T>, call), A::Problem::name);
}

template <class A, class T>
int blocks_at_a_time() {
  thread_local int asked = -1, answer = 0;
  int device = 0;
  check(cudaGetDevice(&device), "current device");
  if (device == asked) return answer;
  int multiprocessors = 0, blocks = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "number of multiprocessors");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, run_groups<A, T>, group_threads, 0), A::Problem::name);
  answer = multiprocessors * blocks;
  asked = device;
  return answer;
}

}  // namespace tandem::cuda
