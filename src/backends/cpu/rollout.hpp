// SPDX-License-Identifier: Apache-2.0
/// A rollout as it passes to the code compiled once per instruction set.
#pragma once
#include "backends/cpu/call.hpp"
#include "backends/shared/rollout_gradient.hpp"

namespace tandem {

template <class T>
struct RolloutKernel {
  int lanes = 1;                                           ///< instances that run side by side
  Index (*scratch_size)(const RolloutCall<T>&) = nullptr;  ///< numbers that a thread needs
  void (*run)(const RolloutCall<T>&, Index begin, Index end, T* scratch) = nullptr;  ///< instances begin .. end - 1
};

template <class T>
struct RolloutGradientKernel {
  int lanes = 1;
  Index (*rows_of_state)(const RolloutGradientCall<T>&) = nullptr;  ///< numbers that a state which is kept takes
  Index (*scratch_size)(const RolloutGradientCall<T>&) = nullptr;
  void (*run)(const RolloutGradientCall<T>&, Index begin, Index end, T* scratch) = nullptr;
};

struct RolloutKernels {
  RolloutKernel<double> in_double;
  RolloutKernel<float> in_float;
  RolloutGradientKernel<double> gradient_in_double;
  RolloutGradientKernel<float> gradient_in_float;
  template <class T>
  const RolloutKernel<T>& in() const {
    if constexpr (std::is_same_v<T, double>)
      return in_double;
    else
      return in_float;
  }
  template <class T>
  const RolloutGradientKernel<T>& gradient_in() const {
    if constexpr (std::is_same_v<T, double>)
      return gradient_in_double;
    else
      return gradient_in_float;
  }
};

}  // namespace tandem
