// SPDX-License-Identifier: Apache-2.0
/// Algorithms recorded for a robot, and run beside the library.
#pragma once
#include "recording/fused.hpp"
#include "tracing/order.hpp"
#include "tracing/record.hpp"
#include "tracing/run.hpp"
#include "support/many.hpp"
#include "support/property.hpp"
#include "support/roundings.hpp"

namespace tandem::test {

template <class T>
constexpr Graph::Precision precision_of =
    sizeof(T) == 8 ? Graph::Precision::double_precision : Graph::Precision::single_precision;

/// Names of all optional arguments, or none.
inline std::vector<std::string> optional_of(const Algorithm& algorithm, bool given) {
  std::vector<std::string> names;
  for (const Argument& argument : algorithm.arguments)
    if (given && is_optional(argument)) names.emplace_back(argument.name);
  return names;
}

/// Numbers for every argument of a recorded function, in the library's precision: inputs at random, outputs as the
/// library has them.
template <class T>
std::vector<std::vector<T>> library_call(const RecordedFunction& function, const Algorithm& algorithm,
                                         const Model& model, const Options& options, std::uint64_t seed) {
  const RandomInputs inputs(model, seed, seed + 500);
  std::vector<std::vector<T>> columns;
  std::vector<Array<T>> arrays;
  for (const RecordedColumn& column : function.columns) {
    const Argument& argument = *column.argument;
    const std::string_view name = argument.name;
    auto& numbers = columns.emplace_back(column.rows.size());
    const Vector& values = inputs.of(argument);
    if (is_input(argument))
      for (std::size_t k = 0; k < numbers.size(); ++k)
        numbers[k] = static_cast<T>(name == "diagonal" ? std::abs(values[static_cast<Index>(k)])
                                                       : values[static_cast<Index>(k)]);
  }
  for (std::size_t k = 0; k < columns.size(); ++k)
    arrays.push_back(Array<T>::output(columns[k].empty() ? nullptr : columns[k].data(), 0));
  Workspace<T> work;
  evaluate<T>(algorithm, model, arrays, tandem::Batch<T>(1, 1), work, options);
  return columns;
}

template <class T, bool fuses>
std::vector<std::vector<T>> run_rounding(const RecordedFunction& function, const std::vector<std::int32_t>& order,
                                         const std::vector<std::vector<T>>& columns) {
  std::vector<std::vector<Fused<T, fuses>>> numbers;
  for (const auto& column : columns) numbers.emplace_back(column.begin(), column.end());
  std::vector<std::vector<T>> results;
  for (const auto& column : run<Fused<T, fuses>>(function, order, numbers)) {
    auto& plain = results.emplace_back();
    for (const auto& x : column) plain.push_back(x.value);
  }
  return results;
}

/// The same computed node by node, with the roundings that the graph is for.
template <class T>
std::vector<std::vector<T>> run_fused(const RecordedFunction& function, const std::vector<std::int32_t>& order,
                                      const std::vector<std::vector<T>>& columns) {
  return function.graph.products() == Graph::Products::fused ? run_rounding<T, true>(function, order, columns)
                                                             : run_rounding<T, false>(function, order, columns);
}

/// As the library's own arithmetic has them in the instruction set in use.
inline Graph::Products products_in_use() {
  return roundings_of_a_product() == 1 ? Graph::Products::fused : Graph::Products::rounded;
}

/// f(algorithm, options, case, names of optional arguments) for every algorithm, what it can be told, with and without
/// optional arguments, on robots of every kind.
template <class F>
void for_each_recording(F&& f) {
  for (const char* name :
       {"every_joint", "mimic_branches", "armature", "chain:7", "tree:24+floating", "passive", "humanoid"}) {
    if (sanitized && name == std::string_view("chain:7")) return;  // the first three have what the others have
    const Case& c = case_named(name);
    for (const Algorithm& algorithm : algorithms())
      for (const Options& options :
           can_be_printed(algorithm) ? own_options(algorithm, c.model) : std::vector<Options>())
        for (const bool given : {false, true}) {
          const auto optional = optional_of(algorithm, given);
          if (given && optional.empty()) continue;
          SCOPED_TRACE(std::string(algorithm.name) + ", " + name + ", " + to_string(options.method) + ", " +
                       to_string(options.reference) + (given ? ", optional arguments given" : ""));
          f(algorithm, options, c, optional);
        }
  }
}

}  // namespace tandem::test
