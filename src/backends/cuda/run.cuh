// SPDX-License-Identifier: Apache-2.0
/// The CUDA driver: one thread an instance, or a few. kernels_of is instantiated in the sources of kernels.cmake.
#pragma once
#include <algorithm>

#include "backends/cuda/instance.hpp"
#include "backends/cuda/kernel_model.hpp"
#include "backends/cuda/launch.cuh"
#include "backends/cuda/table.hpp"

namespace tandem::cuda {

template <class V, class T>
using ModelOf = KernelModel<typename V::template Number<T>, V::model_bytes>;

template <class V, class T>
__global__ void __launch_bounds__(threads_per_block)
    run_instances(const __grid_constant__ ModelOf<V, T> m, const __grid_constant__ typename V::Body body,
                  const __grid_constant__ Arguments<typename V::Body, T> arguments, const Index batch,
                  const __grid_constant__ Scratch<T> scratch, const __grid_constant__ Variation<T> variation,
                  std::int32_t* const iterations) {
  run_thread<V>(body, m.view(), arguments, batch, scratch, variation, iterations,
                Index{blockIdx.x} * threads_per_block + threadIdx.x);
}

template <class V, class T>
bool serves(const ModelView<T>& m) {
  if (V::model_bytes > 0 && packed_bytes(m) > V::model_bytes) return false;
  return is_of(V::joints, m) && (V::own_rows == 0 || typename V::Body().work_rows(m) <= V::own_rows);
}
template <class V, class T>
Index work_rows(const ModelView<T>& m, const Options& options) {
  return V::own_rows > 0 ? 0 : with_options<typename V::Body>(options).work_rows(m);
}

template <class V, class T>
void launch(const KernelCall<T>& call) {
  using Body = typename V::Body;
  Arguments<Body, T> arguments;
  std::copy_n(call.arguments, Arguments<Body, T>::count, arguments.array);
  launch_blocks(Body::name, run_instances<V, T>, blocks_of(call.threads), call.stream,
                ModelOf<V, T>(call.host_model, call.model), with_options<Body>(call.options), arguments, call.batch,
                call.scratch, call.variation, call.iterations);
}

template <class V, class T>
Resources resources() {
  // asked for by every call: kept for the device that this thread used last
  thread_local int asked = -1;
  thread_local Resources answer;
  const int device = current_device();
  if (device == asked) return answer;
  cudaFuncAttributes attributes = {};
  const char* const name = V::Body::name;
  check(cudaFuncGetAttributes(&attributes, run_instances<V, T>), name);
  answer = {attributes.numRegs, attributes.localSizeBytes,
            Index{threads_per_block} * resident_blocks(name, run_instances<V, T>, device), multiprocessors_of(device)};
  asked = device;
  return answer;
}

template <class T, class... V>
Kernels<T> kernels_of(Variants<V...>) {
  return {{V::joints, V::own_rows, V::shares, V::models, &serves<V, T>, &work_rows<V, T>, &launch<V, T>,
           &resources<V, T>}...};
}
template <class Body, class T>
Kernels<T> kernels_of() {
  return kernels_of<T>(typename VariantsOf<Body, T>::type());
}

}  // namespace tandem::cuda
