// SPDX-License-Identifier: Apache-2.0
/// The kernels of the scan form. Each kind of joints and precision is a source of its own (kernels.cmake).
#pragma once
#include "backends/cuda/launch.cuh"
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

template <class T, LaneKind kind>
void launch_scan(ScanStep step, const ScanCallOnDevice<T>& call, const Launch& launch, Index states, Stream stream) {
  const ScanShape<T>& shape = call.shape;
  const auto chunks = [&](const char* name, auto kernel, std::size_t memory) {
    launch_blocks(name, kernel, {launch.count * states, shape.threads, memory}, stream, call, launch);
  };
  const auto paths = [&](const char* name, auto kernel) {
    launch_blocks(name, kernel, {states, most_threads}, stream, call);
  };
  switch (step) {
    case ScanStep::place: return chunks("scan: place", place_chunks<T, kind>, place_memory(shape));
    case ScanStep::turn: return paths("scan: turn", turn_paths<T>);
    case ScanStep::gather: return chunks("scan: gather", gather_chunks<T, kind>, gather_memory<T, kind>(shape));
    case ScanStep::accelerate: return chunks("scan: accelerate", accelerate_chunks<T, kind>, accelerate_memory(shape));
    case ScanStep::move: return chunks("scan: move", move_chunks<T, kind>, inverse_memory(shape));
    case ScanStep::start: return paths("scan: start", start_paths<T>);
    case ScanStep::push: return chunks("scan: push", push_chunks<T, kind>, inverse_memory(shape));
    case ScanStep::torque: return chunks("scan: torque", torque_of_chunks<T, kind>, 0);
    case ScanStep::pose: return chunks("composite scan: pose", pose_chunks<T, kind>, composite_memory(shape));
    case ScanStep::settle: return paths("composite scan: settle", settle_paths<T>);
    case ScanStep::hang: return chunks("composite scan: hang", hang_chunks<T>, composite_memory(shape));
    case ScanStep::axes: return chunks("composite scan: axes", axes_of_chunks<T, kind>, 0);
    case ScanStep::pairs:
      return launch_blocks("composite scan: pairs", all_pairs<T>,
                           {blocks_of_pairs(call.m.nv) * states, columns_at_once, pairs_memory<T>()}, stream, call,
                           blocks_of_pairs(call.m.nv));
  }
}

}  // namespace tandem::cuda
