// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// Names of the sets that were compiled in and that this processor runs, the widest last.
std::vector<std::string> instruction_sets();
/// The one in use: the widest, or what the environment variable TANDEM_ISA names.
std::string instruction_set();
/// Throws Error if the name is not one of instruction_sets().
void use_instruction_set(std::string_view name);

}  // namespace tandem::cpu
