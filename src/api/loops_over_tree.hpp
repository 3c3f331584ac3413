// SPDX-License-Identifier: Apache-2.0
/// Forward dynamics of robots with closed loops by methods that know trees alone: the tree's acceleration, its
/// responses to unit forces in the loops, a small dense system of these forces.
#pragma once
#include <span>

#include "tandem/api/evaluate.hpp"

namespace tandem {

/// Whether a call is for these.
bool goes_over_tree(const Algorithm& algorithm, const Model& model, const Options& options);

/// By the method of the options, with arguments in the order of forward dynamics.
template <class T>
void evaluate_over_tree(const Model& model, std::span<const Array<T>> arguments, const Batch<T>& batch,
                        Workspace<T>& work, const Options& options);

}  // namespace tandem
