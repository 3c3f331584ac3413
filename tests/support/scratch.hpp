// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cpu/instruction_set.hpp"
#include "tandem/api/evaluate.hpp"

namespace tandem::test {

/// Numbers of scratch memory that one thread of a call needs.
template <class T>
Index scratch_size(const Algorithm& algorithm, const Model& model, const Options& options) {
  const auto& kernel = cpu::kernel<T>(static_cast<std::size_t>(&algorithm - algorithms().data()));
  return kernel.scratch_size({model.view<T>(), options, nullptr});
}

}  // namespace tandem::test
