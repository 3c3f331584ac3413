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

/// What a robot has, to be read: a change would be one of a copy, and lost.
using Values = nb::ndarray<nb::numpy, const double>;
/// Numbers to go on with.
using NewValues = nb::ndarray<nb::numpy, double>;

/// Numbers as an array that owns them: a vector, or of the given sizes.
template <class Array = Values>
Array new_array(std::vector<double> numbers, std::initializer_list<std::size_t> sizes = {}) {
  auto values = std::make_unique<std::vector<double>>(std::move(numbers));
  const std::size_t length = values->size();
  double* const data = values->data();
  const nb::capsule owner(values.release(), [](void* v) noexcept { delete static_cast<std::vector<double>*>(v); });
  if (sizes.size() == 0) return Array(data, {length}, owner);
  return Array(data, sizes, owner);
}

}  // namespace tandem::python
