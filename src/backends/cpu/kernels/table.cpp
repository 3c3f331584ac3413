// SPDX-License-Identifier: Apache-2.0
/// The algorithms on one instruction set. This folder is compiled once for each, with that set's flags and name.
#include "backends/cpu/link_kernels.hpp"
#include "tandem/detail/methods/link_methods.hpp"
#include "tandem/detail/problems/all.hpp"
#include "tandem/detail/problems/inverse_kinematics.hpp"

namespace tandem::inline TANDEM_ISA {

template <class A>
Kernels kernels_of();  // one object file each, see tandem_kernel in kernels.cmake
template <class A>
LinkKernels link_kernels_of();

template <class... A, class... L>
const KernelTables& tables(TypeList<A...>, TypeList<L...>) {
  static const Kernels kernels[] = {kernels_of<A>()...};
  static const LinkKernels link_kernels[] = {link_kernels_of<L>()...};
  static const Kernels inverse_kinematics = kernels_of<InverseKinematics>();
  static const KernelTables all = {kernels, link_kernels, inverse_kinematics};
  return all;
}

const KernelTables& kernel_tables() { return tables(Algorithms{}, LinkMethods{}); }

}  // namespace tandem::inline TANDEM_ISA
