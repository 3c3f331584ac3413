// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "backends/cuda/error.hpp"
#include "backends/cuda/replication.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// The arrays of one model on the device in use, in one piece of memory.
template <class T>
class DeviceModel {
 public:
  explicit DeviceModel(const ModelView<T>& host) {
    std::vector<std::byte> bytes;
    for_each_field(host, [&](auto field, std::int64_t rows, const char*) {
      const std::size_t begin = (bytes.size() + alignment - 1) / alignment * alignment;
      const std::size_t size = static_cast<std::size_t>(rows) * sizeof(*(host.*field));
      begins_.push_back(begin);
      bytes.resize(begin + size);
      if (size > 0) std::memcpy(bytes.data() + begin, host.*field, size);
    });
    memory_.reserve(bytes.size() + alignment);  // arrays without rows have an address, too
    copy_to_device(memory_.data(), bytes.data(), bytes.size());
    check(cudaDeviceSynchronize(), "copying a model");  // before kernels on any stream
  }

  /// The same view with its arrays here.
  ModelView<T> view(ModelView<T> m) const {
    auto begin = begins_.begin();
    for_each_field(m, [&](auto field, std::int64_t, const char*) {
      m.*field = reinterpret_cast<std::remove_reference_t<decltype(m.*field)>>(static_cast<std::byte*>(memory_.data()) +
                                                                               *begin++);
    });
    return m;
  }

 private:
  static constexpr std::size_t alignment = 256;
  std::vector<std::size_t> begins_;  ///< of the arrays, in the order of for_each_field
  Memory memory_{Place::device};
};

/// A replication on the device in use.
template <class T>
class ReplicatedModel {
 public:
  explicit ReplicatedModel(const Model& model) : replication_(model) {
    const std::vector<T>& numbers = replication_.numbers();
    memory_.reserve(numbers.size() * sizeof(T));
    copy_to_device(memory_.data(), numbers.data(), numbers.size() * sizeof(T));
    check(cudaDeviceSynchronize(), "copying a model");
  }
  /// `there`: the model on the device, whose integers serve here, too.
  ModelView<T> view(const ModelView<T>& there) const { return replication_.view(there, data()); }
  Variation<T> variation(const ParameterArrays<T>& given, T* own) const {
    return replication_.variation(given, data(), own);
  }

 private:
  const T* data() const { return static_cast<const T*>(memory_.data()); }
  Replication<T> replication_;
  Memory memory_{Place::device};
};

}  // namespace tandem::cuda
