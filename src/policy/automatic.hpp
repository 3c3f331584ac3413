// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/api/automatic.hpp"

namespace tandem {

/// Chains shorter than this are never divided.
inline constexpr Index shortest_divided = 32;

/// Which of the algorithm's own methods `automatic` is.
Method own_method(const Algorithm& algorithm, const Model& model);

/// choose_method() without the words, for every call.
template <class T>
Options decided(const Algorithm& algorithm, const Model& model, const Options& options);

}  // namespace tandem
