// SPDX-License-Identifier: Apache-2.0
/// The algorithms on one instruction set. This folder is compiled once for each, with that set's flags and name.
#include <array>
#include <span>

#include "backends/cpu/link_kernels.hpp"
#include "tandem/detail/problems/all.hpp"
#include "tandem/detail/methods/link_methods.hpp"

namespace tandem::inline TANDEM_ISA {

template <class A>
Kernels kernels_of();  // one object file each, see tandem_kernel in kernels.cmake
template <class A>
LinkKernels link_kernels_of();

template <class... A>
std::span<const Kernels> table(TypeList<A...>) {
  static const Kernels entries[] = {kernels_of<A>()...};
  return {entries, sizeof...(A)};
}

/// In the order of Algorithms.
std::span<const Kernels> kernels() { return table(Algorithms{}); }

template <class... A>
std::span<const LinkKernels> link_table(TypeList<A...>) {
  static const std::array<LinkKernels, sizeof...(A)> entries = {link_kernels_of<A>()...};
  return entries;
}

std::span<const LinkKernels> link_kernels() { return link_table(LinkMethods{}); }

}  // namespace tandem::inline TANDEM_ISA
