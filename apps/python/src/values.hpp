// SPDX-License-Identifier: Apache-2.0
/// Numbers handed out as new arrays of NumPy.
#pragma once
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "bindings.hpp"

namespace tandem::python {

using Values = nb::ndarray<nb::numpy, double>;

/// Numbers as an array that owns them: a vector, or of the given sizes.
inline Values new_array(std::vector<double> numbers, std::initializer_list<std::size_t> sizes = {}) {
  auto values = std::make_unique<std::vector<double>>(std::move(numbers));
  const std::size_t length = values->size();
  double* const data = values->data();
  const nb::capsule owner(values.release(), [](void* v) noexcept { delete static_cast<std::vector<double>*>(v); });
  if (sizes.size() == 0) return Values(data, {length}, owner);
  return Values(data, sizes, owner);
}

}  // namespace tandem::python
