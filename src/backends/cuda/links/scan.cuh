// SPDX-License-Identifier: Apache-2.0
/// The kernels of the scan form. Each kind of joints and precision is a source of its own (kernels.cmake).
#pragma once
#include "backends/cuda/error.hpp"
#include "backends/cuda/links/composite_blocks.hpp"
#include "backends/cuda/links/inverse_blocks.hpp"
#include "backends/cuda/links/scan_blocks.hpp"
#include "backends/cuda/links/scan_kernels.hpp"
#include "backends/cuda/links/thread_block.cuh"

namespace tandem::cuda {

/// Threads of a block at most: 255 registers each.
inline constexpr int most_threads = 256;

template <class T, LaneKind kind>
__global__ void __launch_bounds__(most_threads)
    place_chunks(const __grid_constant__ ScanCallOnDevice<T> call, const __grid_constant__ Launch launch) {
  place<CudaThreadBlock, T, kind>(call, launch);
}
template <class T>
__global__ void __launch_bounds__(most_threads) turn_paths(const __grid_constant__ ScanCallOnDevice<T> call) {
  turn<CudaThreadBlock, T>(call);
}
template <class T, LaneKind kind>
__global__ void __launch_bounds__(most_threads)
    gather_chunks(const __grid_constant__ ScanCallOnDevice<T> call, const __grid_constant__ Launch launch) {
  gather<CudaThreadBlock, T, kind>(call, launch);
}
template <class T, LaneKind kind>
__global__ void __launch_bounds__(most_threads)
    accelerate_chunks(const __grid_constant__ ScanCallOnDevice<T> call, const __grid_constant__ Launch launch) {
  accelerate<CudaThreadBlock, T, kind>(call, launch);
}

template <class T, LaneKind kind>
__global__ void __launch_bounds__(most_threads)
    move_chunks(const __grid_constant__ ScanCallOnDevice<T> call, const __grid_constant__ Launch launch) {
  move<CudaThreadBlock, T, kind>(call, launch);
}
template <class T>
__global__ void __launch_bounds__(most_threads) start_paths(const __grid_constant__ ScanCallOnDevice<T> call) {
  start<CudaThreadBlock, T>(call);
}
template <class T, LaneKind kind>
__global__ void __launch_bounds__(most_threads)
    push_chunks(const __grid_constant__ ScanCallOnDevice<T> call, const __grid_constant__ Launch launch) {
  push<CudaThreadBlock, T, kind>(call, launch);
}
template <class T, LaneKind kind>
__global__ void __launch_bounds__(most_threads)
    torque_of_chunks(const __grid_constant__ ScanCallOnDevice<T> call, const __grid_constant__ Launch launch) {
  torque<CudaThreadBlock, T, kind>(call, launch);
}

template <class T, LaneKind kind>
__global__ void __launch_bounds__(most_threads)
    pose_chunks(const __grid_constant__ ScanCallOnDevice<T> call, const __grid_constant__ Launch launch) {
  pose<CudaThreadBlock, T, kind>(call, launch);
}
template <class T>
__global__ void __launch_bounds__(most_threads) settle_paths(const __grid_constant__ ScanCallOnDevice<T> call) {
  settle<CudaThreadBlock, T>(call);
}
template <class T>
__global__ void __launch_bounds__(most_threads)
    hang_chunks(const __grid_constant__ ScanCallOnDevice<T> call, const __grid_constant__ Launch launch) {
  hang<CudaThreadBlock, T>(call, launch);
}
template <class T, LaneKind kind>
__global__ void __launch_bounds__(most_threads)
    axes_of_chunks(const __grid_constant__ ScanCallOnDevice<T> call, const __grid_constant__ Launch launch) {
  axes<CudaThreadBlock, T, kind>(call, launch);
}
template <class T>
__global__ void __launch_bounds__(columns_at_once)
    all_pairs(const __grid_constant__ ScanCallOnDevice<T> call, const Index blocks) {
  pairs<CudaThreadBlock, T>(call, blocks);
}

template <class Kernel, class... Arguments>
void launch_blocks(const char* name, Kernel kernel, Index blocks, int threads, std::size_t memory, Stream stream,
                   const Arguments&... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = memory;
  config.stream = stream;
  constexpr std::size_t for_the_asking = std::size_t{40} << 10;  // of 48 KiB, some of which kernels take themselves
  if (memory > for_the_asking)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(memory)), name);
  check(cudaLaunchKernelEx(&config, kernel, arguments...), name);
}

template <class T, LaneKind kind>
void launch_scan(ScanStep step, const ScanCallOnDevice<T>& call, const Launch& launch, Index states, Stream stream) {
  const ScanShape<T>& shape = call.shape;
  const Index blocks = launch.count * states;
  switch (step) {
    case ScanStep::place:
      return launch_blocks("scan: place", place_chunks<T, kind>, blocks, shape.threads, place_memory(shape), stream,
                           call, launch);
    case ScanStep::turn: return launch_blocks("scan: turn", turn_paths<T>, states, most_threads, 0, stream, call);
    case ScanStep::gather:
      return launch_blocks("scan: gather", gather_chunks<T, kind>, blocks, shape.threads, gather_memory<T, kind>(shape),
                           stream, call, launch);
    case ScanStep::accelerate:
      return launch_blocks("scan: accelerate", accelerate_chunks<T, kind>, blocks, shape.threads,
                           accelerate_memory(shape), stream, call, launch);
    case ScanStep::move:
      return launch_blocks("scan: move", move_chunks<T, kind>, blocks, shape.threads, inverse_memory(shape), stream,
                           call, launch);
    case ScanStep::start: return launch_blocks("scan: start", start_paths<T>, states, most_threads, 0, stream, call);
    case ScanStep::push:
      return launch_blocks("scan: push", push_chunks<T, kind>, blocks, shape.threads, inverse_memory(shape), stream,
                           call, launch);
    case ScanStep::torque:
      return launch_blocks("scan: torque", torque_of_chunks<T, kind>, blocks, shape.threads, 0, stream, call, launch);
    case ScanStep::pose:
      return launch_blocks("composite scan: pose", pose_chunks<T, kind>, blocks, shape.threads, composite_memory(shape),
                           stream, call, launch);
    case ScanStep::settle:
      return launch_blocks("composite scan: settle", settle_paths<T>, states, most_threads, 0, stream, call);
    case ScanStep::hang:
      return launch_blocks("composite scan: hang", hang_chunks<T>, blocks, shape.threads, composite_memory(shape),
                           stream, call, launch);
    case ScanStep::axes:
      return launch_blocks("composite scan: axes", axes_of_chunks<T, kind>, blocks, shape.threads, 0, stream, call,
                           launch);
    case ScanStep::pairs:
      return launch_blocks("composite scan: pairs", all_pairs<T>, blocks_of_pairs(call.m.nv) * states, columns_at_once,
                           pairs_memory<T>(), stream, call, blocks_of_pairs(call.m.nv));
  }
}

}  // namespace tandem::cuda
