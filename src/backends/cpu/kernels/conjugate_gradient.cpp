// SPDX-License-Identifier: Apache-2.0
/// The method conjugate_gradient is constraint_force with that solver: its kernel runs the code compiled there.
#include "tandem/detail/methods/conjugate_gradient.hpp"

#include "backends/cpu/link_kernels.hpp"
#include "run_links.hpp"

namespace tandem::inline TANDEM_ISA {

template <class A>
LinkKernels link_kernels_of();
template <>
LinkKernels link_kernels_of<ConstraintForce>();

namespace {

template <class T>
Kernel<T> constraint_force() {
  const LinkKernels all = link_kernels_of<ConstraintForce>();
  if constexpr (std::is_same_v<T, double>)
    return all.kernels.in_double;
  else
    return all.kernels.in_float;
}

template <class T>
struct ByConjugateGradients {
  template <class F>
  static auto with_solver(const Call<T>& call, F&& f) {
    Options options = call.options;
    options.method = Method::constraint_force;
    options.solver = Solver::conjugate_gradient;
    return f(Call<T>{call.model, options, call.arguments, call.status, call.parameters, call.threads, call.prepared});
  }
  static Index scratch_size(const Call<T>& call) {
    return with_solver(call, [](const Call<T>& c) { return constraint_force<T>().scratch_size(c); });
  }
  static void run(const Call<T>& call, Index begin, Index end, T* scratch) {
    with_solver(call, [&](const Call<T>& c) { constraint_force<T>().run(c, begin, end, scratch); });
  }
  static constexpr Kernel<T> kernel() { return {1, &scratch_size, &run}; }
};

}  // namespace

template <>
LinkKernels link_kernels_of<ConjugateGradient>() {
  return {ConjugateGradient::Problem::name,
          ConjugateGradient::method,
          &ConjugateGradient::refuses<double>,
          read_options<ConjugateGradient>,
          {ByConjugateGradients<double>::kernel(), ByConjugateGradients<float>::kernel()}};
}

}  // namespace tandem::inline TANDEM_ISA
