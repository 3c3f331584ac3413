// SPDX-License-Identifier: Apache-2.0
/// The driver of divide and conquer: how links that hang together in loops are taken apart is decided once for a model.
#pragma once
#include <type_traits>

#include "loop_plan.hpp"
#include "run_links.hpp"
#include "tandem/detail/papers/divide_and_conquer_loops.hpp"

namespace tandem::inline TANDEM_ISA {

template <class T>
struct OnThreadsByPlan : OnThreads<DivideAndConquerLoops> {
  explicit OnThreadsByPlan(const Call<T>& call) : OnThreads<DivideAndConquerLoops>(call) {
    plan = &static_cast<const LoopPlan*>(call.prepared)->plan();
  }
  static std::shared_ptr<const void> prepare(const ModelView<T>& m, const Options&) {
    return std::make_shared<const LoopPlan>(m);
  }
};
template <class A, class T>
using DividedDriver =
    DriverOf<std::conditional_t<std::is_same_v<A, DivideAndConquerLoops>, OnThreadsByPlan<T>, OnThreads<A>>, T>;

}  // namespace tandem::inline TANDEM_ISA
