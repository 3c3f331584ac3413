// SPDX-License-Identifier: Apache-2.0
/// The algorithms on one instruction set. This folder is compiled once for each, with that set's flags and name.
#include <type_traits>

#include "backends/cpu/link_kernels.hpp"
#include "backends/cpu/rollout.hpp"
#include "run_assembled.hpp"
#include "tiles.hpp"
#include "tandem/detail/link_methods.hpp"
#include "tandem/detail/all_algorithms.hpp"
#include "tandem/detail/problems/inverse_kinematics.hpp"

namespace tandem::inline TANDEM_ISA {

template <class A, class T>
Kernel<T> kernel_of();  // see kernels.cmake

template <class T>
RolloutKernel<T> rollout_kernel();  // see rollout.hpp

template <class T>
RolloutGradientKernel<T> rollout_gradient_kernel();  // see rollout_gradient.hpp

StepKernels step_kernels();  // see step_robots.cpp

template <class T>
ContactKernel<T> contact_kernel();  // see contact_lanes.hpp

template <class A, class T>
Kernel<T> prepared_kernel_of() {
  Kernel<T> kernel = kernel_of<A, T>();
  if (kernel.lanes > 1) kernel.prepare = &prepare_lanes<T>;
  return kernel;
}
template <class A>
Kernels both() {
  return {prepared_kernel_of<A, double>(), prepared_kernel_of<A, float>()};
}
#if defined(TANDEM_HAS_PAPERS)
constexpr bool has_papers = true;
#else
constexpr bool has_papers = false;
#endif
template <class A, class... P>
constexpr bool is_among(TypeList<P...>) {
  return (std::is_same_v<A, P> || ...);
}

/// Methods that this build leaves out keep their names and say so.
template <class A>
LinkKernels link_kernels() {
  if constexpr (!has_papers && is_among<A>(PaperMethods{})) {
    return {A::Problem::name,
            A::method,
            [](const ModelView<double>&, const Options&) {
              return "this build was configured without methods of papers (TANDEM_PAPERS=OFF); use automatic";
            },
            read_options<A>,
            {}};
  } else {
    return {A::Problem::name, A::method, [](const ModelView<double>& m, const Options& o) { return A::refuses(m, o); },
            read_options<A>, both<A>()};
  }
}

template <class... A, class... L>
const KernelTables& tables(TypeList<A...>, TypeList<L...>) {
  static const Kernels kernels[] = {both<A>()...};
  static const LinkKernels of_links[] = {link_kernels<L>()...};
  static const Kernels inverse_kinematics = both<InverseKinematics>();
  using D = AssembledDriver<double>;
  using F = AssembledDriver<float>;
  static const Kernels assembled = {{D::Lanes::width, &D::scratch_size, &D::run},
                                    {F::Lanes::width, &F::scratch_size, &F::run}};
  static const RolloutKernels rollout = {rollout_kernel<double>(), rollout_kernel<float>(),
                                         rollout_gradient_kernel<double>(), rollout_gradient_kernel<float>()};
  static const StepKernels steps = step_kernels();
  static const ContactKernels contacts = {contact_kernel<double>(), contact_kernel<float>()};
  static const KernelTables all = {kernels, of_links, inverse_kinematics, assembled,
                                   rollout, steps,    contacts,           register_bytes};
  return all;
}

const KernelTables& kernel_tables() { return tables(Algorithms{}, LinkMethods{}); }

}  // namespace tandem::inline TANDEM_ISA
