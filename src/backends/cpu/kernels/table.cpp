// SPDX-License-Identifier: Apache-2.0
/// The algorithms on one instruction set. This folder is compiled once for each, with that set's flags and name.
#include <span>

#include "backends/cpu/call.hpp"
#include "tandem/algorithms/all.hpp"

namespace tandem::inline TANDEM_ISA {

template <class A>
Kernels kernels_of();  // one object file each, see kernel.cpp.in

template <class... A>
std::span<const Kernels> table(TypeList<A...>) {
  static const Kernels entries[] = {kernels_of<A>()...};
  return {entries, sizeof...(A)};
}

/// In the order of Algorithms.
std::span<const Kernels> kernels() { return table(Algorithms{}); }

}  // namespace tandem::inline TANDEM_ISA
