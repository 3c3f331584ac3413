// SPDX-License-Identifier: Apache-2.0
/// What of the model differs from state to state, as Python gives it.
#pragma once
#include <array>
#include <span>

#include "array.hpp"

namespace tandem::python {

/// Arrays by the names of the table of parameters.
struct ParameterArguments {
  struct Entry {
    Parameter parameter;
    Shape shape;
    ArrayArgument values;
  };
  std::array<Entry, n_parameters> entries;
  std::size_t size = 0;

  /// From a dictionary, or what can become one. Throws Error that names the algorithm.
  ParameterArguments(const Algorithm& algorithm, const Model& model, nb::handle given, GpuArrays* gpu = nullptr);

  std::span<Entry> given() { return std::span(entries).first(size); }
};

}  // namespace tandem::python
