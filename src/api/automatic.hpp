// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/api/automatic.hpp"

namespace tandem {

/// Chains shorter than this are never divided.
inline constexpr Index shortest_divided = 32;

/// choose_method() without the words, for every call.
template <class T>
Options decided(const Algorithm& algorithm, const Model& model, Index batch, int threads, const Options& options);

}  // namespace tandem
