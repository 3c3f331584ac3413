// SPDX-License-Identifier: Apache-2.0
/// Which nodes of a recorded function belong to which of some limbs that are built alike.
#pragma once
#include <vector>

#include "tracing/limbs.hpp"

namespace tandem {

constexpr std::int32_t nowhere = -1;

/// The limb in whose column a node is computed, or nowhere, for every node; `order` has those that are wanted.
std::vector<std::int32_t> limbs_of_nodes(const RecordedFunction& function, const ModelView<double>& m,
                                         const std::vector<std::int32_t>& order, const AlikeLimbs& group);
/// [limb][input]: the same number, not 0, for the same row of the same link of a limb; 0 for inputs of others.
std::vector<std::vector<std::uint64_t>> inputs_of_limbs(const RecordedFunction& function, const ModelView<double>& m,
                                                        const AlikeLimbs& group);

}  // namespace tandem
