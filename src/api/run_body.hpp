// SPDX-License-Identifier: Apache-2.0
/// Bodies on numbers of other kinds than the kernels'.
#pragma once
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tandem/arguments.hpp"

namespace tandem {

/// A method that divides a robot, with its executor, in the shape of an algorithm.
template <class A, class Executor>
struct WithExecutor {
  A method;
  Executor executor;
  template <class M>
  Index work_rows(const ModelView<M>& m) const {
    return method.work_rows(m);
  }
  template <class S, class M, class... Column>
  void body(const ModelView<M>& m, Column... columns) const {
    method.template body<S>(executor, m, columns...);
  }
};

/// Runs a body with scratch memory of its own.
template <class S, class A, class M, class... Column>
void run_body(const A& algorithm, const ModelView<M>& m, Column... columns) {
  std::vector<S> work(static_cast<std::size_t>(algorithm.work_rows(m)));
  algorithm.template body<S>(m, columns..., work.data());
}

/// The one output of a body.
template <class S, class A, std::size_t n, class M>
std::vector<S> run_body(const A& algorithm, const Argument (&arguments)[n], const ModelView<M>& m,
                        const std::vector<std::vector<double>>& inputs) {
  std::vector<S> columns[n], result;
  S* pointers[n] = {};
  for (std::size_t k = 0, next = 0; k < n; ++k) {
    if (arguments[k].role == Role::output) {
      columns[k].resize(static_cast<std::size_t>(shape(arguments[k].rows, m).count()));
      pointers[k] = columns[k].data();
      continue;
    }
    const auto& input = inputs[next++];
    for (const double x : input) columns[k].push_back(S(x));
    if (!input.empty()) pointers[k] = columns[k].data();
  }
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    run_body<S>(algorithm, m, pointers[k]...);
  }(std::make_index_sequence<n>());
  for (std::size_t k = 0; k < n; ++k)
    if (arguments[k].role == Role::output) result = std::move(columns[k]);
  return result;
}

}  // namespace tandem
