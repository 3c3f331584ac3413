// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "link_kernels.hpp"

namespace tandem::cpu {

/// The kernels of the instruction set in use.
const KernelTables& in_use();

template <class T>
const Kernel<T>& in_precision(const Kernels& kernels) {
  if constexpr (std::is_same_v<T, double>)
    return kernels.in_double;
  else
    return kernels.in_float;
}

/// Those of one algorithm.
template <class T>
const Kernel<T>& kernel(std::size_t algorithm) {
  return in_precision<T>(in_use().kernels[algorithm]);
}

}  // namespace tandem::cpu
