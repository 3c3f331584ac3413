// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/table.hpp"

#include <string_view>

#include "core/text.hpp"

namespace tandem::cuda {
namespace {

template <class Body>
constexpr bool inverts = requires { Body::inverts_mass_matrix; };

template <class A>
constexpr bool has_kernels = !requires { A::is_without_device_kernels; };

template <class Body>
Entry entry(Method method = Method::automatic) {
  return {Body::name, method, inverts<Body>, iterates<Body>, kernels_of<Body, double>(), kernels_of<Body, float>()};
}

template <class A>
void add(std::vector<Entry>& entries) {
  if constexpr (std::is_same_v<A, ForwardDynamics>) {
    entries.push_back(entry<ByArticulatedBodies>(Method::articulated_body));
    entries.push_back(entry<ByMassMatrix>(Method::composite_rigid_body));
  } else if constexpr (has_kernels<A>) {
    entries.push_back(entry<A>());
  }
}

template <class... A>
std::vector<Entry> all_entries(TypeList<A...>) {
  std::vector<Entry> entries;
  (add<A>(entries), ...);
  return entries;
}

template <class T>
Method method_of(const Algorithm& algorithm, const ModelView<T>& m, const Options& options) {
  if (algorithm.name != std::string_view(ForwardDynamics::name)) return Method::automatic;
  return with_options<ForwardDynamics>(options).chosen(m);
}

}  // namespace

std::span<const Entry> cuda_algorithms() {
  static const std::vector<Entry> entries = all_entries(Algorithms());
  return entries;
}

template <class T>
Choice<T> kernels_for(const Algorithm& algorithm, const ModelView<T>& m, const Options& options) {
  const Method method = method_of(algorithm, m, options);
  for (const Entry& entry : cuda_algorithms()) {
    if (entry.name != std::string_view(algorithm.name) || entry.method != method) continue;
    Choice<T> choice;
    choice.inverts_mass_matrix = entry.inverts_mass_matrix;
    choice.iterates = entry.iterates;
    for (const Kernel<T>& kernel : entry.in<T>()) {
      auto& place = kernel.models == Models::varied ? choice.varied : kernel.shares > 1 ? choice.few : choice.many;
      if (!place && kernel.serves(m)) place = &kernel;
    }
    if (!choice.many) choice.many = choice.varied;
    return choice;
  }
  throw Error(sentence(algorithm.name, " does not run on the GPU", algorithm.methods.empty() ? "" : " by this method"));
}

template Choice<double> kernels_for(const Algorithm&, const ModelView<double>&, const Options&);
template Choice<float> kernels_for(const Algorithm&, const ModelView<float>&, const Options&);

std::vector<KernelInfo> kernels() {
  std::vector<KernelInfo> all;
  const auto add = [&](const Entry& entry, const char* precision, const auto& of_precision) {
    for (const auto& kernel : of_precision) {
      const Resources r = kernel.resources();
      const char* const joints[] = {"hinges", "common", "any"};
      all.push_back({entry.name, precision, joints[static_cast<int>(kernel.joints)], kernel.models == Models::varied,
                     kernel.shares, r.registers, r.local_memory, r.resident});
    }
  };
  for (const Entry& entry : cuda_algorithms()) {
    add(entry, "double", entry.in_double);
    add(entry, "float", entry.in_float);
  }
  return all;
}

}  // namespace tandem::cuda
