// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/shared/rollout.hpp"
#include "tandem/api/rollout_gradient.hpp"

namespace tandem {

/// A rollout whose gradient is asked for, checked.
template <class T>
struct RolloutGradientCall {
  RolloutCall<T> rollout;
  RolloutGradientArrays<T> gradient = {};  ///< with the number of states to keep
  /// What the links' parameters are, where derivatives by some are asked for.
  const ParameterArrays<T>* numbers = nullptr;

  bool by_links() const {
    for (const BatchedParameter<T>& p : gradient.by_parameters)
      if (p.parameter == Parameter::mass || p.parameter == Parameter::com || p.parameter == Parameter::inertia)
        return true;
    return false;
  }
  bool by_gravity() const {
    for (const BatchedParameter<T>& p : gradient.by_parameters)
      if (p.parameter == Parameter::gravity) return true;
    return false;
  }
};

}  // namespace tandem
