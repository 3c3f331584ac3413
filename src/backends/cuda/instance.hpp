// SPDX-License-Identifier: Apache-2.0
/// What one thread of the GPU does. Nothing in it is CUDA's, so that tests run it on the host, thread after thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "backends/cuda/column.hpp"
#include "backends/cuda/plan.hpp"
#include "backends/cuda/variants.hpp"
#include "backends/cuda/variation.hpp"

namespace tandem::cuda {

/// The arrays of a call, passed to the kernel by value.
template <class A, class T>
struct Arguments {
  static constexpr std::size_t count = sizeof(A::arguments) / sizeof(Argument);
  Array<T> array[count];
};

/// Calls the body for state b with its columns in the order of the argument table. Of a body that iterates:
/// iterations[b], if there are any, become its steps, or -1 - steps where they were not enough.
template <class V, class T, class M, class Work, std::size_t... k>
TANDEM_HD void run_instance(const typename V::Body& body, const ModelView<M>& m,
                            const Arguments<typename V::Body, T>& arguments, Index b, [[maybe_unused]] int rank,
                            Work work, [[maybe_unused]] std::int32_t* iterations, std::index_sequence<k...>) {
  if constexpr (V::shares > 1) {
    body.template body_of_share<T>(m, rank, V::shares, far_column_of(arguments.array[k], b)..., work);
  } else if constexpr (iterates<typename V::Body>) {
    const auto [steps, enough] = body.template body<T>(m, far_column_of(arguments.array[k], b)..., work);
    const auto count = static_cast<std::int32_t>(steps);
    if (iterations) iterations[b] = enough != T(0) ? count : -1 - count;
  } else {
    body.template body<T>(m, far_column_of(arguments.array[k], b)..., work);
  }
}

/// Thread t works with V::shares - 1 neighbours on state t / V::shares, with an array of its own; or, with column t of
/// the scratch memory, on the states t, t + columns, ... Threads beyond the columns have nothing to do.
template <class V, class T, class M>
TANDEM_HD void run_thread(const typename V::Body& body, const ModelView<M>& m,
                          const Arguments<typename V::Body, T>& arguments, Index batch, const Scratch<T>& scratch,
                          [[maybe_unused]] const Variation<T>& variation, std::int32_t* iterations, Index t) {
  constexpr auto order = std::make_index_sequence<Arguments<typename V::Body, T>::count>();
  const int rank = V::shares > 1 ? static_cast<int>(t % V::shares) : 0;
  if constexpr (V::own_rows > 0) {
    const Index b = t / V::shares;
    if (b >= batch) return;
    T rows[V::own_rows];
    run_instance<V>(body, m, arguments, b, rank, OwnColumn<T>{rows}, iterations, order);
  } else {
    if (t >= scratch.columns) return;
    const FarColumn<T> work(scratch.data + t, scratch.stride);
    if constexpr (V::models == Models::varied) {
      ThreadModel<T> model(m, variation, t);
      for (Index b = t; b < batch; b += scratch.columns) {
        model.take(b);
        run_instance<V>(body, model.view(), arguments, b, rank, work, iterations, order);
      }
    } else {
      for (Index b = t / V::shares; b < batch; b += scratch.columns / V::shares)
        run_instance<V>(body, m, arguments, b, rank, work, iterations, order);
    }
  }
}

}  // namespace tandem::cuda
