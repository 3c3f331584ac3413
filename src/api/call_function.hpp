// SPDX-License-Identifier: Apache-2.0
/// Calls of algorithms by the functions of one state, for functions.cpp, which tools/register.py generates.
#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "algorithms.hpp"
#include "backends/cpu/run_state.hpp"
#include "check_call.hpp"
#include "core/text.hpp"
#include "plan.hpp"
#include "policy/automatic.hpp"
#include "policy/methods.hpp"
#include "specialise.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/error.hpp"
#include "workspace_in_use.hpp"

namespace tandem::of_one_state {

/// Data of an argument of a call: its address and number of values.
template <class T>
struct ArgumentData {
  T* data;
  Index count;
  ArgumentData(std::span<const T> in) : data(const_cast<T*>(in.data())), count(static_cast<Index>(in.size())) {}
  ArgumentData(std::span<T> out) : data(out.data()), count(static_cast<Index>(out.size())) {}
  ArgumentData(T& out) : data(&out), count(1) {}
};

[[noreturn]] inline void throw_size(const char* algorithm, const Argument& argument, Index given,
                                    const Shape& expected) {
  const auto sizes = std::span(expected.sizes).first(static_cast<std::size_t>(expected.rank));
  throw Error(sentence(algorithm, ": ", argument.name, " has ", given, " numbers, expected ", expected.count(), " ([",
                       comma_separated(sizes, [](Index size) { return std::to_string(size); }), "])"));
}

/// f<place>() for each argument of an algorithm.
template <class A, class F>
void for_each_argument(F&& f) {
  [&]<std::size_t... k>(std::index_sequence<k...>) { (f.template operator()<k>(), ...); }
  (std::make_index_sequence<std::size(A::arguments)>());
}

/// Whether no output overlaps another argument, by their addresses.
template <class A, class T, std::size_t n>
bool lie_apart(const std::array<ArgumentData<T>, n>& given) {
  bool apart = true;
  for_each_argument<A>([&]<std::size_t k>() {
    if constexpr (!is_input(A::arguments[k])) {
      const ArgumentData<T>& output = given[k];
      for_each_argument<A>([&]<std::size_t i>() {
        if constexpr (i != k)
          apart &= output.data >= given[i].data + given[i].count || given[i].data >= output.data + output.count;
      });
    }
  });
  return apart;
}

/// Run an algorithm on one state, with arguments in the order of its table. The code is that of evaluate(), so that
/// results are bit-identical.
template <class A, class T>
void call(const Model& model, Workspace<T>& work, const std::array<ArgumentData<T>, std::size(A::arguments)>& given,
          const Options& options = {}) {
  constexpr std::size_t n = std::size(A::arguments);
  const auto& m = model.view<T>();
  Array<T> arguments[n];
  for_each_argument<A>([&]<std::size_t k>() {
    constexpr const Argument& argument = A::arguments[k];
    if (is_optional(argument) && given[k].count == 0) return;
    const Shape expected = shape(argument.rows, m);
    if (given[k].count != expected.count()) throw_size(A::name, argument, given[k].count, expected);
    arguments[k].data = given[k].data;
  });
  constexpr std::size_t index = index_in<A>(Algorithms{});
  constexpr bool has_numbers_of_its_own = !requires { A::methods; }
  &&read_options<A> >= 4;
  constexpr bool is_looked_into = requires { A::branches; };  // which arguments and options go together
  if (has_numbers_of_its_own || is_looked_into || m.n_loops > 0)
    return evaluate<T>(algorithms()[index], model, arguments, 1, work, options);
  // short robots go straight to the kernel
  if constexpr (requires { A::methods; }) {
    const bool own = std::find(std::begin(A::methods), std::end(A::methods), options.method) != std::end(A::methods);
    if (!own || m.n_links >= shortest_divided || unread_option(read_options<A>, options))
      return evaluate<T>(algorithms()[index], model, arguments, 1, work, options);
  }
  if constexpr (requires(A a) { a.frame; })
    if (options.frame < 0 || options.frame >= m.n_frames) check_options(algorithms()[index], model, options);
  if constexpr (requires(A a) { a.reference; })
    if (*to_string(options.reference) == '\0') check_options(algorithms()[index], model, options);
  bool needs_inputs = false;
  for_each_argument<A>([&]<std::size_t k>() { needs_inputs |= *A::arguments[k].needs && arguments[k].data; });
  if (needs_inputs) check_call<T>(algorithms()[index], model, arguments);
  if (!lie_apart<A>(given)) check_overlaps<T>(algorithms()[index], model, arguments, 1);
  const WorkspaceInUse<T> use(work);
  const ExecutionPath<T>& path = kept(work).own_path(algorithms()[index], model, options);
  const Call<T> one = {m, options, arguments};
  const Assembled<T>* const line = path.specialised ? path.specialised->line_for(model, one, 1) : nullptr;
  if (!line || !run_state(*line, one, 0, work)) path.kernel->run(one, 0, 1, work.reserve(path.scratch));
  use.end();
}

}  // namespace tandem::of_one_state
