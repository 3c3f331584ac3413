// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "call.hpp"
#include "tandem/model/model.hpp"

namespace tandem::cpu {

/// What a kernel prepares for a model, made when first asked for and kept as long as a copy of the model lives and no other
/// options replace it.
template <class T>
std::shared_ptr<const void> prepared(const Kernel<T>& kernel, const Model& model, const Options& options);

}  // namespace tandem::cpu
