// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "backends/shared/parameters.hpp"
#include "tandem/model/model.hpp"

namespace tandem {

/// Parameters given for every state beside what the model has for the others.
template <class T>
class ParametersOfModel {
 public:
  /// Throws Error if a parameter has no data, is given twice, or has a number below 0 that cannot be.
  ParametersOfModel(const Model& model, std::span<const BatchedParameter<T>> given, Index batch);
  ParametersOfModel(const ParametersOfModel&) = delete;
  ParametersOfModel& operator=(const ParametersOfModel&) = delete;
  const ParameterArrays<T>& arrays() const { return arrays_; }

 private:
  ParameterArrays<T> arrays_;
  LinkNumbers<T> links_;
};

}  // namespace tandem
