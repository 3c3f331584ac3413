// SPDX-License-Identifier: Apache-2.0
/// Launches of kernels, and how many of their threads run at a time.
#pragma once
#include <cuda_runtime.h>

#include "backends/cuda/error.hpp"
#include "backends/cuda/plan.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// Blocks of threads, with shared memory for each. Those that wait for each other all run at the same time.
struct Blocks {
  Index count = 0;
  int threads = threads_per_block;
  std::size_t memory = 0;
  bool wait_for_each_other = false;
};

/// Blocks of one thread for each of `threads` instances.
inline Blocks blocks_of(Index threads) { return {(threads + threads_per_block - 1) / threads_per_block}; }

template <class Kernel, class... Arguments>
void launch_blocks(const char* name, Kernel kernel, const Blocks& blocks, Stream stream,
                   const Arguments&... arguments) {
  cudaLaunchAttribute together = {};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks.count));
  config.blockDim = dim3(static_cast<unsigned>(blocks.threads));
  config.dynamicSmemBytes = blocks.memory;
  config.stream = stream;
  config.attrs = &together;
  config.numAttrs = blocks.wait_for_each_other ? 1 : 0;
  constexpr std::size_t for_the_asking = std::size_t{40} << 10;  // of 48 KiB, some of which kernels take themselves
  if (blocks.memory > for_the_asking)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(blocks.memory)),
          name);
  check(cudaLaunchKernelEx(&config, kernel, arguments...), name);
}

/// The device of the calling thread.
inline int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "current device");
  return device;
}
inline int multiprocessors_of(int device) {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "number of multiprocessors");
  return count;
}
/// How many blocks of a kernel that device runs at a time.
template <class Kernel>
int resident_blocks(const char* name, Kernel kernel, int device, int threads = threads_per_block) {
  int of_each = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, kernel, threads, 0), name);
  return multiprocessors_of(device) * of_each;
}

}  // namespace tandem::cuda
