// SPDX-License-Identifier: Apache-2.0
/// A kernel of one block that measures itself.
#include "backends/cuda/block_times.hpp"

#include <cuda_runtime.h>

#include "backends/cuda/error.hpp"

namespace tandem::cuda {
namespace {

/// ThreadBlock of block_times.hpp on a GPU.
struct TwoWarps {
  static constexpr int lanes = 32;
  using Flag = unsigned;
  __device__ __forceinline__ static int warp() { return static_cast<int>(threadIdx.x) / lanes; }
  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x) % lanes; }
  __device__ __forceinline__ static std::int64_t clock() { return clock64(); }
  __device__ __forceinline__ static std::int64_t nanoseconds() {
    std::int64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
  }
  __device__ __forceinline__ static void sync() { __syncthreads(); }
  __device__ __forceinline__ static void sync_warp() { __syncwarp(); }
  __device__ __forceinline__ static void post(Flag& flag, unsigned round) {
    __syncwarp();
    if (lane() == 0) {
      __threadfence_block();
      *const_cast<volatile Flag*>(&flag) = round;
    }
  }
  __device__ __forceinline__ static void await(Flag& flag, unsigned round) {
    while (*const_cast<volatile Flag*>(&flag) != round) {
    }
    __threadfence_block();
    __syncwarp();
  }
};

__global__ void __launch_bounds__(2 * TwoWarps::lanes) time_block(BlockSamples* const samples, const Unknown unknown) {
  __shared__ BlockMemory<TwoWarps> memory;
  if (threadIdx.x <= BlockSamples::row) memory.flags[threadIdx.x] = 0;
  __syncthreads();
  BlockTrial<TwoWarps>(memory, *samples, unknown).run();
}

}  // namespace

BlockSamples block_samples() {
  device_number();  // or says what is missing
  Memory memory(Place::device);
  auto* const on_device = static_cast<BlockSamples*>(memory.reserve(sizeof(BlockSamples)));
  BlockSamples samples;
  copy_to_device(on_device, &samples, sizeof samples);
  time_block<<<1, 2 * TwoWarps::lanes>>>(on_device, Unknown());
  check(cudaGetLastError(), "measuring a block");
  copy_to_host(&samples, on_device, sizeof samples);
  synchronise();
  return samples;
}

}  // namespace tandem::cuda
