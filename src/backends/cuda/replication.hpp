// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <iterator>
#include <vector>

#include "backends/cuda/variation.hpp"

namespace tandem::cuda {

/// The numbers of a model once more, each for every thread of a warp; and what its links are made of. For kernels whose
/// models differ from state to state.
template <class T>
class Replication {
 public:
  explicit Replication(const Model& model) {
    const ModelView<T>& host = model.view<T>();
    for_each_field(host, [&](auto field, std::int64_t rows, const char*) {
      if constexpr (is_real<decltype(host.*field)>) {
        begins_.push_back(numbers_.size());
        for (std::int64_t row = 0; row < rows; ++row)
          numbers_.insert(numbers_.end(), static_cast<std::size_t>(warp), (host.*field)[row]);
      }
    });
    const LinkNumbers<T> links(model);
    for (const auto* of : {&links.mass, &links.com, &links.inertia}) {
      begins_.push_back(numbers_.size());
      numbers_.insert(numbers_.end(), of->begin(), of->end());
    }
    numbers_.push_back(T(0));  // arrays without rows have an address, too
  }

  const std::vector<T>& numbers() const { return numbers_; }

  /// The view `m` with its real numbers at `data`, where those of numbers() lie.
  ModelView<T> view(ModelView<T> m, const T* data) const {
    auto next = begins_.begin();
    for_each_field(m, [&](auto field, std::int64_t, const char*) {
      if constexpr (is_real<decltype(m.*field)>) m.*field = data + *next++;
    });
    return m;
  }

  /// What differs. Where only some of what a link is made of does, the rest is the model's.
  Variation<T> variation(const ParameterArrays<T>& given, const T* data, T* own) const {
    constexpr Parameter of_links[] = {Parameter::mass, Parameter::com, Parameter::inertia};
    Variation<T> v;
    std::copy(std::begin(given.values), std::end(given.values), v.values);
    std::copy(std::begin(given.acceleration), std::end(given.acceleration), v.acceleration);
    for (const Parameter p : of_links) v.links = v.links || given.values[static_cast<int>(p)].data;
    for (std::size_t k = 0; k < std::size(of_links) && v.links; ++k) {
      Array<T>& values = v.values[static_cast<int>(of_links[k])];
      if (!values.data) values = {const_cast<T*>(data + begins_[begins_.size() - 3 + k]), 0, 1, Place::device};
    }
    v.own = own;
    return v;
  }

 private:
  template <class Field>
  static constexpr bool is_real = std::is_same_v<std::remove_cvref_t<Field>, const T*>;

  std::vector<T> numbers_;
  std::vector<std::size_t>
      begins_;  ///< of the arrays of the view in the order of for_each_field, then of the three of links
};

}  // namespace tandem::cuda
