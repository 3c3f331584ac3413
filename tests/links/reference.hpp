// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "support/cases.hpp"

namespace tandem::test {

/// Forward dynamics by the articulated-body algorithm in extended precision.
Vector reference_acceleration(const Model& model, const State& s, const Vector& f_ext, const Vector& diagonal);

/// Columns of an algorithm by their names.
using Columns = std::map<std::string, Vector>;
/// An output, of which the inputs that it needs are given.
inline bool can_be_asked_for(const Argument& argument, const Columns& inputs) {
  return !is_input(argument) && std::ranges::all_of(std::string_view(argument.needs),
                                                    [&](char input) { return inputs.contains(std::string(1, input)); });
}

/// All outputs of a product with derivatives (inverse_dynamics_jvp and its like) that can be asked for, in extended
/// precision, by the serial text.
Columns reference_product(const std::string& name, const Model& model, const Columns& inputs,
                          const Options& options = {});

}  // namespace tandem::test
