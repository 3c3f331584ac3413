// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "support/cases.hpp"

namespace tandem::test {

/// Forward dynamics by the articulated-body algorithm in extended precision.
Vector reference_acceleration(const Model& model, const State& s, const Vector& f_ext, const Vector& diagonal);

/// Columns of an algorithm by their names.
using Columns = std::map<std::string, Vector>;
/// All outputs of a product with derivatives (inverse_dynamics_jvp and its like) in extended precision, by the serial text.
Columns reference_product(const std::string& name, const Model& model, const Columns& inputs);

}  // namespace tandem::test
