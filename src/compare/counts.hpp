// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/counting.hpp"
#include "tandem/api/evaluate.hpp"
#include "tandem/detail/all_algorithms.hpp"

namespace tandem {

/// Calls f<A>() for the problem of a name, of those that have methods.
template <class F>
void for_problem(std::string_view name, F&& f) {
  const auto if_named = [&]<class A>(std::type_identity<A>) {
    if constexpr (requires { A::methods; })
      if (A::name == name) f.template operator()<A>();
  };
  [&]<class... A>(TypeList<A...>) { (if_named(std::type_identity<A>()), ...); }(Algorithms{});
}

struct Work {
  Operations all;
  std::int64_t depth = 0;  ///< flops of the longest chain that wait for each other
};

/// Operations of a method on so many processors, each of which takes a block of neighbouring parts; 0: one for every
/// part. Inputs in the order of the algorithm's table; empty ones are left out.
Work work_of(const Algorithm& algorithm, const Model& model, const std::vector<std::vector<double>>& inputs,
             const Options& options, Index processors = 0);

/// The options with what the method chooses where they leave it to the method.
Options chosen(const Algorithm& algorithm, const Model& model, bool in_float, Options options);

/// The algorithm's own first method in long double, rounded to double at the end. T is the precision of the model's
/// data.
template <class T>
std::vector<double> reference_of(const Algorithm& algorithm, const Model& model,
                                 const std::vector<std::vector<double>>& inputs);

}  // namespace tandem
