// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <type_traits>

#include "tandem/api/evaluate.hpp"
#include "tandem/detail/all_algorithms.hpp"

namespace tandem {

/// Place of A in a list.
template <class A, class... As>
constexpr int index_in(TypeList<As...>) {
  int k = 0;
  static_cast<void>(((!std::is_same_v<A, As> && ++k) && ...));
  return k;
}

/// Whether it is the algorithm A.
template <class A>
bool is(const Algorithm& algorithm) {
  return algorithm.name == std::string_view(A::name);
}

/// The entry of algorithms() that this is a copy of. Throws Error if it is none.
const Algorithm& known(const Algorithm& algorithm);

}  // namespace tandem
