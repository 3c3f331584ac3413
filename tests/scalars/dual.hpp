// SPDX-License-Identifier: Apache-2.0
/// Dual numbers in double, with all that the algorithms ask of a number.
#pragma once
#include <concepts>

#include "core/dual.hpp"

namespace tandem {

/// Compares values, like operator<: which way an algorithm goes does not depend on rates.
template <std::same_as<double> R>
bool operator==(const Dual<R>& a, const Dual<R>& b) {
  return a.value == b.value;
}

namespace test {
using Dual = tandem::Dual<double>;
}

}  // namespace tandem
