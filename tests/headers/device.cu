// SPDX-License-Identifier: Apache-2.0
/// Every algorithm as a CUDA kernel, one thread an instance, in the precision TANDEM_REAL: compiled to show that the
/// bodies are device code, instantiated and all. Not run.
#include <cstddef>
#include <iterator>
#include <utility>

#include "tandem/detail/all_algorithms.hpp"

namespace {

using namespace tandem;

constexpr std::size_t most_arguments = 26;

template <class R>
struct Arrays {
  R* data[most_arguments];  ///< [rows][batch] each
  R* work;                  ///< [rows][batch]
};

template <class Algorithm, class R, std::size_t... k>
__device__ void run(const ModelView<R>& m, const Algorithm& algorithm, const Arrays<R>& arrays, Index b, Index batch,
                    std::index_sequence<k...>) {
  algorithm.template body<R>(m, StridedColumn<R>{arrays.data[k] + b, batch}...,
                             StridedColumn<R>{arrays.work + b, batch});
}

template <class Algorithm, class R>
__global__ void kernel(ModelView<R> m, Algorithm algorithm, Arrays<R> arrays, Index batch) {
  constexpr std::size_t n_arguments = sizeof(Algorithm::arguments) / sizeof(Argument);
  static_assert(n_arguments <= most_arguments);
  const Index b = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (b < batch) run(m, algorithm, arrays, b, batch, std::make_index_sequence<n_arguments>{});
}

template <class R, class... Algorithm>
void launch(TypeList<Algorithm...>, const ModelView<R>& m, const Arrays<R>& arrays, Index batch) {
  (kernel<<<1, 32>>>(m, Algorithm{}, arrays, batch), ...);
}

}  // namespace

void launch_all(const ModelView<TANDEM_REAL>& m, const Arrays<TANDEM_REAL>& arrays, Index batch) {
  launch(Algorithms{}, m, arrays, batch);
}
