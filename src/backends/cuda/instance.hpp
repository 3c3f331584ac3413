// SPDX-License-Identifier: Apache-2.0
/// What one thread of the GPU does. Nothing in it is CUDA's, so that tests run it on the host, thread after thread.
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

#include "backends/cuda/plan.hpp"
#include "tandem/api/evaluate.hpp"

namespace tandem::cuda {

/// The arrays of a call, passed to the kernel by value.
template <class A, class T>
struct Arguments {
  static constexpr std::size_t count = sizeof(A::arguments) / sizeof(Argument);
  Array<T> array[count];
};

/// The rows of state b.
template <class T>
TANDEM_HD StridedColumn<T> column_of(const Array<T>& array, Index b) {
  return {array.data ? array.data + b * array.stride : nullptr, array.row_stride};
}

/// Calls the body for state b with its columns in the order of the argument table.
template <class A, class T, std::size_t... k>
TANDEM_HD void run_instance(const A& algorithm, const ModelView<T>& m, const Arguments<A, T>& arguments, Index b,
                            StridedColumn<T> work, std::index_sequence<k...>) {
  algorithm.template body<T>(m, column_of(arguments.array[k], b)..., work);
}

/// Thread t works on the states t, t + columns, t + 2 columns, ... with column t of the scratch memory. Threads beyond
/// the columns have nothing to do.
template <class A, class T>
TANDEM_HD void run_thread(const A& algorithm, const ModelView<T>& m, const Arguments<A, T>& arguments, Index batch,
                          const Scratch<T>& scratch, Index t) {
  if (t >= scratch.columns) return;
  for (Index b = t; b < batch; b += scratch.columns)
    run_instance(algorithm, m, arguments, b, StridedColumn<T>{scratch.data + t, scratch.stride},
                 std::make_index_sequence<Arguments<A, T>::count>());
}

}  // namespace tandem::cuda
