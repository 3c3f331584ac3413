// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/device_model.hpp"

#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <type_traits>
#include <vector>

#include "backends/cuda/error.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cuda {
namespace {

/// The arrays of one model on one device, in one piece of memory.
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
  Memory memory_{Memory::Place::device};
};

struct Key {
  std::weak_ptr<const void> model;
  int device;
  bool operator<(const Key& other) const {
    return device != other.device ? device < other.device : model.owner_before(other.model);
  }
};

}  // namespace

template <class T>
ModelView<T> on_device(const Model& model) {
  static std::mutex mutex;
  static auto& copies = *new std::map<Key, DeviceModel<T>>;  // never destroyed: at the end the runtime goes first
  int device = 0;
  check(cudaGetDevice(&device), "current device");

  const std::lock_guard lock(mutex);
  const auto data = model.shared_data();
  auto found = copies.find({data, device});
  if (found == copies.end()) {
    std::erase_if(copies, [](const auto& copy) { return copy.first.model.expired(); });
    found = copies.try_emplace({data, device}, model.view<T>()).first;
  }
  return found->second.view(model.view<T>());
}

template ModelView<double> on_device(const Model&);
template ModelView<float> on_device(const Model&);

}  // namespace tandem::cuda
