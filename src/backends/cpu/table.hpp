// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <type_traits>

#include "tandem/api/evaluate.hpp"

namespace tandem {

/// Every algorithm, compiled for this processor.
std::span<const Algorithm> cpu_algorithms();

/// How an algorithm runs in T, double or float.
template <class T>
const Algorithm::Run<T>& run_of(const Algorithm& algorithm) {
  if constexpr (std::is_same_v<T, double>)
    return algorithm.run_double;
  else
    return algorithm.run_float;
}

}  // namespace tandem
