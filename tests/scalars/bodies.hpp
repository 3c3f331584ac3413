// SPDX-License-Identifier: Apache-2.0
/// The bodies of all algorithms on numbers of any kind, generically over the list of algorithms and their argument
/// tables.
#pragma once
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/counting.hpp"
#include "scalars/dual.hpp"
#include "support/cases.hpp"
#include "tandem/detail/all_algorithms.hpp"
#include "tandem/api/evaluate.hpp"

namespace tandem::test {

/// Arguments in the order of an algorithm's table; an empty one is left out.
template <class S>
using Columns = std::vector<std::vector<S>>;

/// An algorithm's body on numbers of type S; the model stays in double.
template <class S>
struct Body {
  const char* name;
  std::span<const Argument> arguments;
  void (*run)(const ModelView<double>&, const Options&, Columns<S>&);
};

template <class A, class S>
void run_body(const ModelView<double>& m, const Options& options, Columns<S>& columns) {
  const A algorithm = with_options<A>(options);
  std::vector<S> work(static_cast<std::size_t>(algorithm.work_rows(m)));
  const auto column = [&](std::size_t k) { return columns[k].empty() ? nullptr : columns[k].data(); };
  [&]<std::size_t... k>(std::index_sequence<k...>) { algorithm.template body<S>(m, column(k)..., work.data()); }
  (std::make_index_sequence<std::size(A::arguments)>());
}

template <class S, class... A>
std::vector<Body<S>> all_bodies(TypeList<A...>) {
  return {{A::name, A::arguments, run_body<A, S>}...};
}

const std::vector<Body<Counting>>& counting_bodies();
const std::vector<Body<Dual>>& dual_bodies();

/// The one of this name; throws if there is none.
template <class S>
const Body<S>& body_named(const std::vector<Body<S>>& bodies, const std::string& name) {
  for (const Body<S>& body : bodies)
    if (body.name == name) return body;
  throw std::out_of_range("no algorithm is called " + name);
}

enum class Optional { left_out, given };

/// Random inputs, and outputs of the right size.
Columns<double> random_arguments(std::span<const Argument> arguments, const Model& model, std::uint64_t seed,
                                 Optional optional);
/// The same computed by the library in double, in place.
void run_in_double(const char* algorithm, const Model& model, const Options& options, Columns<double>& columns);

/// A robot for every peculiarity: all types of joints, branches, mimic joints, springs and friction, rotors.
const std::vector<std::string>& robots_for_scalars();

}  // namespace tandem::test
