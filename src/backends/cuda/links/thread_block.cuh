// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

#include "tandem/index.hpp"

namespace tandem::cuda {

/// ThreadBlock of team.hpp on a GPU.
struct CudaThreadBlock {
  __device__ __forceinline__ static int thread() { return static_cast<int>(threadIdx.x); }
  __device__ __forceinline__ static int threads() { return static_cast<int>(blockDim.x); }
  __device__ __forceinline__ static Index block() { return blockIdx.x; }
  __device__ __forceinline__ static std::byte* shared() {
    extern __shared__ __align__(16) unsigned char shared_memory[];
    return reinterpret_cast<std::byte*>(shared_memory);
  }
  __device__ __forceinline__ static void sync() { __syncthreads(); }
  __device__ __forceinline__ static void sync_warp() { __syncwarp(); }
  __device__ __forceinline__ static void sync_team() { __syncwarp(team()); }
  template <class S>
  __device__ __forceinline__ static S before(S x, int d) {
    return __shfl_up_sync(0xffffffffu, x, static_cast<unsigned>(d));
  }
  template <class S>
  __device__ __forceinline__ static S of_team(S x, int lane) {
    return __shfl_sync(team(), x, lane, 8);
  }
  __device__ __forceinline__ static bool is_last(unsigned* counter, int size) {
    __shared__ int last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      last = atomicAdd(counter, 1u) == static_cast<unsigned>(size) - 1;
      if (last) *counter = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
  }
  /// The first block adds a number for which the highest bit flips when the last block arrives, so that the counter
  /// needs no reset.
  __device__ __forceinline__ static void sync_blocks(unsigned* barrier, int blocks) {
    __syncthreads();
    if (threadIdx.x == 0) {
      constexpr unsigned turn = 0x80000000u;
      const unsigned own =
          blockIdx.x % static_cast<unsigned>(blocks) == 0 ? turn - (static_cast<unsigned>(blocks) - 1) : 1;
      __threadfence();
      const unsigned before = atomicAdd(barrier, own);
      while (((before ^ *reinterpret_cast<volatile unsigned*>(barrier)) & turn) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
  template <class S>
  __device__ __forceinline__ static S fresh(const S* p) {
    return __ldcg(p);
  }
  template <class S>
  __device__ __forceinline__ static void copy_async(S* to, const S* from) {
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if constexpr (sizeof(S) == 8)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at), "l"(from) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
  }
  __device__ __forceinline__ static void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
  __device__ __forceinline__ static void wait() { asm volatile("cp.async.wait_group 1;" ::: "memory"); }

 private:
  /// Mask of the threads of the same team.
  __device__ __forceinline__ static unsigned team() { return 0xffu << (threadIdx.x & 24u); }
};

}  // namespace tandem::cuda
