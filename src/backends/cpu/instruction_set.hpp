// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "link_kernels.hpp"

namespace tandem::cpu {

/// The kernels of the instruction set in use, in the order of Algorithms.
std::span<const Kernels> kernels();

/// Those of the methods that divide one robot.
std::span<const LinkKernels> link_kernels();

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
  return in_precision<T>(kernels()[algorithm]);
}

}  // namespace tandem::cpu
