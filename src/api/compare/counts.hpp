// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/api/evaluate.hpp"

namespace tandem {

struct Work {
  std::int64_t flops = 0, depth = 0;
};

/// Operations of a method, and the longest chain of them when every part of its work has a processor of its own. Inputs in
/// the order of the algorithm's table; empty ones are left out.
Work work_of(const Algorithm& algorithm, const Model& model, const std::vector<std::vector<double>>& inputs,
             const Options& options);

/// The algorithm's own first method in long double, rounded to double at the end. T is the precision of the model's data.
template <class T>
std::vector<double> reference_of(const Algorithm& algorithm, const Model& model,
                                 const std::vector<std::vector<double>>& inputs);

}  // namespace tandem
