// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/table.hpp"

#include <string_view>

#include "core/text.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"

namespace tandem::cuda {
namespace {

template <class A>
Entry entry() {
  return {A::name, kernel_of<A, double>(), kernel_of<A, float>()};
}

}  // namespace

// those that kernels.cmake lists
std::span<const Entry> cuda_algorithms() {
  static const Entry entries[] = {entry<InverseDynamics>(), entry<MassMatrix>(), entry<ForwardDynamics>()};
  return entries;
}

template <class T>
const Kernel<T>& kernel_for(const Algorithm& algorithm) {
  for (const Entry& entry : cuda_algorithms())
    if (entry.name == std::string_view(algorithm.name)) {
      if constexpr (std::is_same_v<T, double>)
        return entry.run_double;
      else
        return entry.run_float;
    }
  throw Error(sentence(algorithm.name, " does not run on the GPU; those that do are ",
                       comma_separated(cuda_algorithms(), [](const Entry& entry) { return entry.name; })));
}

template const Kernel<double>& kernel_for<double>(const Algorithm&);
template const Kernel<float>& kernel_for<float>(const Algorithm&);

std::vector<KernelInfo> kernels() {
  std::vector<KernelInfo> all;
  for (const Entry& entry : cuda_algorithms()) {
    all.push_back(entry.run_double.info());
    all.push_back(entry.run_float.info());
  }
  return all;
}

}  // namespace tandem::cuda
