// SPDX-License-Identifier: Apache-2.0
/// The serial driver: the one loop over a batch.
#pragma once
#include <iterator>
#include <utility>

#include "tandem/api/evaluate.hpp"

namespace tandem::inline TANDEM_ISA {

template <class A>
A with_options(const Options& options) {
  if constexpr (std::is_constructible_v<A, const Options&>)
    return A(options);
  else
    return A();
}

/// Calls the body for one state with its columns in the order of the argument table.
template <class A, class T, std::size_t... k>
void call_body(const A& algorithm, const ModelView<T>& m, T* const* columns, T* work, std::index_sequence<k...>) {
  algorithm.template body<T>(m, columns[k]..., work);
}

template <class A, class T>
void run_serial(const ModelView<T>& m, const Options& options, const Array<T>* arguments, Index begin, Index end,
                T* work) {
  constexpr std::size_t n = std::size(A::arguments);
  const A algorithm = with_options<A>(options);
  T* columns[n];
  for (Index b = begin; b < end; ++b) {
    for (std::size_t k = 0; k < n; ++k)
      columns[k] = arguments[k].data ? arguments[k].data + b * arguments[k].stride : nullptr;
    call_body(algorithm, m, columns, work, std::make_index_sequence<n>());
  }
}

template <class A, class T>
Index work_rows_of(const ModelView<T>& m, const Options& options) {
  return with_options<A>(options).work_rows(m);
}

}  // namespace tandem::inline TANDEM_ISA
