// SPDX-License-Identifier: Apache-2.0
/// A rollout as it passes to the code compiled once per instruction set.
#pragma once
#include "backends/cpu/call.hpp"
#include "backends/shared/rollout.hpp"

namespace tandem {

template <class T>
struct RolloutKernel {
  int lanes = 1;                                           ///< instances that run side by side
  Index (*scratch_size)(const RolloutCall<T>&) = nullptr;  ///< numbers that a thread needs
  void (*run)(const RolloutCall<T>&, Index begin, Index end, T* scratch) = nullptr;  ///< instances begin .. end - 1
};

struct RolloutKernels {
  RolloutKernel<double> in_double;
  RolloutKernel<float> in_float;
  template <class T>
  const RolloutKernel<T>& in() const {
    if constexpr (std::is_same_v<T, double>)
      return in_double;
    else
      return in_float;
  }
};

}  // namespace tandem
