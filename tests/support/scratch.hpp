// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "policy/automatic.hpp"
#include "policy/methods.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "tandem/api/evaluate.hpp"

namespace tandem::test {

/// Numbers of scratch memory that one thread of a call for one state needs.
template <class T>
Index scratch_size(const Algorithm& algorithm, const Model& model, const Options& given) {
  const Options options = decided<T>(algorithm, model, given);
  const LinkKernels* links = link_method(algorithm, model, options);
  const auto& kernel = links ? cpu::in_precision<T>(links->kernels)
                             : cpu::kernel<T>(static_cast<std::size_t>(algorithm.id));
  return kernel.scratch_size({model.view<T>(), options, nullptr});
}

}  // namespace tandem::test
