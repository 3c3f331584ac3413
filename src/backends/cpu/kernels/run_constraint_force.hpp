// SPDX-License-Identifier: Apache-2.0
/// The driver for all that the constraint forces of a chain tell: one body, compiled once, for accelerations by
/// constraint_force and by conjugate_gradient, which is that method with one of its solvers, and for the wrenches that
/// hold the joints together.
#pragma once
#include "tandem/detail/papers/conjugate_gradient.hpp"

#include "paper_scans.hpp"

namespace tandem::inline TANDEM_ISA {

/// The method A of a problem with one of the two outputs, by that body. A first guess is overwritten by what is found.
template <class A, class T>
struct PartDriver {
  static constexpr int lanes = 1;
  using Whole = LinkDriver<ConstraintForceFromGuess, T>;

  template <class F>
  static auto with_both(const Call<T>& call, F&& f) {
    Options options = call.options;
    if (A::method == Method::conjugate_gradient) options.solver = Solver::conjugate_gradient;
    constexpr auto n = ConstraintForceFromGuess::Problem::n_inputs;
    Array<T> arguments[n + 4] = {};
    if (call.arguments) {  // none where only the size of the scratch memory is asked for
      std::copy_n(call.arguments, n, arguments);
      arguments[std::is_same_v<typename A::Problem, ForwardDynamics> ? n : n + 1] = call.arguments[n];
      if (call.guess) arguments[n + 2] = arguments[n + 3] = {call.guess, Index{6} * call.model.n_links};
    }
    Call<T> both = {call.model, options, arguments, call.status, call.parameters, call.threads, call.prepared};
    both.iterations = call.iterations;
    return f(both);
  }
  static Index scratch_size(const Call<T>& call) {
    return with_both(call, [](const Call<T>& both) { return Whole::scratch_size(both); });
  }
  static void run(const Call<T>& call, Index begin, Index end, T* scratch) {
    with_both(call, [&](const Call<T>& both) { Whole::run(both, begin, end, scratch); });
  }
};

}  // namespace tandem::inline TANDEM_ISA
