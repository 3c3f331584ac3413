// SPDX-License-Identifier: Apache-2.0
/// Kernels that serve every algorithm.
#include "backends/cuda/common.hpp"

#include <cuda_runtime.h>

#include "backends/cuda/error.hpp"

namespace tandem::cuda {
namespace {

constexpr unsigned watchers = 128;

template <class T>
__global__ void __launch_bounds__(watchers)
    watch_states(const __grid_constant__ Watched<T> watched, const __grid_constant__ ModelView<T> m, const bool inputs,
                 std::uint8_t* const bits, Status* const status, const Index batch) {
  const Index b = Index{blockIdx.x} * watchers + threadIdx.x;
  if (b < batch) watch_state(watched, m, inputs, bits, status, b);
}

/// A block for every state.
template <class T>
__global__ void __launch_bounds__(watchers)
    watch_long_states(const __grid_constant__ Watched<T> watched, const __grid_constant__ ModelView<T> m,
                      const bool inputs, std::uint8_t* const bits, Status* const status, const Index batch) {
  for (Index b = blockIdx.x; b < batch; b += gridDim.x) {
    const Verdict<T, T> seen = watch_rows(watched, m, inputs, b, threadIdx.x, watchers);
    const bool bad_input = __syncthreads_or(seen.bad_input(0)) != 0, outside = __syncthreads_or(seen.outside(0)) != 0,
               bad_output = __syncthreads_or(seen.bad_output(0)) != 0;
    if (threadIdx.x == 0) report(watched, inputs, bad_input, outside, bad_output, bits, status, b);
  }
}

template <class T>
__global__ void __launch_bounds__(watchers)
    subtract_rows(const __grid_constant__ Array<T> from, const __grid_constant__ Array<T> to, const Index rows,
                  const Index states) {
  for (Index i = Index{blockIdx.x} * watchers + threadIdx.x; i < rows * states; i += Index{gridDim.x} * watchers) {
    const Index row = i / states, b = i % states;
    T& x = to.data[b * to.stride + row * to.row_stride];
    x = from.data[b * from.stride + row * from.row_stride] - x;
  }
}

template <class T>
__global__ void __launch_bounds__(Transposition<T>::side* Transposition<T>::lines)
    turn_square(const __grid_constant__ Transposition<T> turn) {
  __shared__ T square[Transposition<T>::side * Transposition<T>::pitch];
  turn.take(blockIdx.y, blockIdx.x, static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y), square);
  __syncthreads();
  turn.give(blockIdx.y, blockIdx.x, static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y), square);
}

}  // namespace

template <class T>
void watch(const Watched<T>& watched, const ModelView<T>& m, bool inputs, std::uint8_t* bits, Status* status,
           Index batch, Stream stream) {
  const auto blocks = static_cast<unsigned>((batch + watchers - 1) / watchers);
  watch_states<<<blocks, watchers, 0, stream>>>(watched, m, inputs, bits, status, batch);
  check(cudaGetLastError(), "watching states");
}

template <class T>
void watch_long(const Watched<T>& watched, const ModelView<T>& m, bool inputs, std::uint8_t* bits, Status* status,
                Index batch, Stream stream) {
  const auto blocks = static_cast<unsigned>(batch < 65535 ? batch : 65535);
  watch_long_states<<<blocks, watchers, 0, stream>>>(watched, m, inputs, bits, status, batch);
  check(cudaGetLastError(), "watching states");
}

template <class T>
void subtract_from(const Array<T>& from, const Array<T>& to, Index rows, Index states, Stream stream) {
  const Index blocks = (rows * states + watchers - 1) / watchers;
  subtract_rows<<<static_cast<unsigned>(blocks < 65535 ? blocks : 65535), watchers, 0, stream>>>(from, to, rows,
                                                                                                 states);
  check(cudaGetLastError(), "subtracting bias forces");
}

template <class T>
void turn(const Transposition<T>& t, Stream stream) {
  constexpr Index most_rows = Index{65535} * Transposition<T>::side;  // that a grid has blocks for
  for (Index first = 0; first < t.rows; first += most_rows) {
    Transposition<T> part = t;
    part.rows = t.rows - first < most_rows ? t.rows - first : most_rows;
    part.from.data += first * t.from.row_stride;
    part.to.data += first * t.to.row_stride;
    const dim3 grid(static_cast<unsigned>(part.squares(part.states)), static_cast<unsigned>(part.squares(part.rows)));
    turn_square<<<grid, dim3(Transposition<T>::side, Transposition<T>::lines), 0, stream>>>(part);
    check(cudaGetLastError(), "turning an array");
  }
}

template void watch(const Watched<double>&, const ModelView<double>&, bool, std::uint8_t*, Status*, Index, Stream);
template void watch(const Watched<float>&, const ModelView<float>&, bool, std::uint8_t*, Status*, Index, Stream);
template void watch_long(const Watched<double>&, const ModelView<double>&, bool, std::uint8_t*, Status*, Index, Stream);
template void watch_long(const Watched<float>&, const ModelView<float>&, bool, std::uint8_t*, Status*, Index, Stream);
template void subtract_from(const Array<double>&, const Array<double>&, Index, Index, Stream);
template void subtract_from(const Array<float>&, const Array<float>&, Index, Index, Stream);
template void turn(const Transposition<double>&, Stream);
template void turn(const Transposition<float>&, Stream);

}  // namespace tandem::cuda
