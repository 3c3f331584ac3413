// SPDX-License-Identifier: Apache-2.0
/// The CUDA driver: one thread an instance. Each algorithm and precision is a source file of its own that instantiates
/// kernel_of.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>

#include "backends/cuda/error.hpp"
#include "backends/cuda/instance.hpp"
#include "backends/cuda/table.hpp"

namespace tandem::cuda {

template <class A, class T>
__global__ void __launch_bounds__(threads_per_block)
    run_instances(const __grid_constant__ ModelView<T> m, const __grid_constant__ A algorithm,
                  const __grid_constant__ Arguments<A, T> arguments, const Index batch,
                  const __grid_constant__ Scratch<T> scratch) {
  run_thread(algorithm, m, arguments, batch, scratch, Index{blockIdx.x} * threads_per_block + threadIdx.x);
}

template <class A, class T>
Index work_rows(const ModelView<T>& m, const Options& options) {
  return with_options<A>(options).work_rows(m);
}

template <class A, class T>
void launch(const ModelView<T>& m, const Options& options, const Array<T>* arguments, Index batch,
            const Scratch<T>& scratch, Stream stream) {
  Arguments<A, T> all;
  std::copy_n(arguments, Arguments<A, T>::count, all.array);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>((scratch.columns + threads_per_block - 1) / threads_per_block));
  config.blockDim = dim3(threads_per_block);
  config.stream = stream;
  check(cudaLaunchKernelEx(&config, run_instances<A, T>, m, with_options<A>(options), all, batch, scratch), A::name);
}

template <class A, class T>
KernelInfo info() {
  // asked for by every call: kept for the device that this thread used last
  thread_local int asked = -1;
  thread_local KernelInfo answer;
  int device = 0;
  check(cudaGetDevice(&device), "current device");
  if (device == asked) return answer;
  cudaFuncAttributes attributes = {};
  int multiprocessors = 0, blocks = 0;
  check(cudaFuncGetAttributes(&attributes, run_instances<A, T>), A::name);
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "number of multiprocessors");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, run_instances<A, T>, threads_per_block, 0), A::name);
  answer = {A::name, std::is_same_v<T, double> ? "double" : "float", attributes.numRegs, attributes.localSizeBytes,
            Index{multiprocessors} * blocks * threads_per_block};
  asked = device;
  return answer;
}

template <class A, class T>
Kernel<T> kernel_of() {
  return {&work_rows<A, T>, &launch<A, T>, &info<A, T>};
}

}  // namespace tandem::cuda
