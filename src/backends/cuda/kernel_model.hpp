// SPDX-License-Identifier: Apache-2.0
/// The model of a kernel: arrays in the memory of the device, or, of small robots, among the kernel's arguments, where
/// all threads read the same number in one go, need no address for it, and writes to other memory do not stand in the
/// way.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "tandem/detail/joint/joint_set.hpp"

namespace tandem::cuda {

/// Calls f(pointer to member, begin, bytes) for every array of a model packed one behind the other. Returns the bytes
/// of all.
template <class M, class F>
constexpr std::size_t for_each_packed(const ModelView<M>& m, F&& f) {
  std::size_t next = 0;
  for_each_field(m, [&](auto field, std::int64_t rows, const char*) {
    constexpr std::size_t alignment = 16;
    const std::size_t bytes = static_cast<std::size_t>(rows) * sizeof(*(m.*field));
    f(field, next, bytes);
    next += (bytes + alignment - 1) / alignment * alignment;
  });
  return next;
}
template <class M>
constexpr std::size_t packed_bytes(const ModelView<M>& m) {
  return for_each_packed(m, [](auto, std::size_t, std::size_t) {});
}

/// Of numbers N; at most so many bytes, or none, where it lies in the memory of the device.
template <class N, std::size_t bytes>
class KernelModel {
 public:
  template <class T>
  KernelModel(const ModelView<T>& here, const ModelView<T>&) {
    static_cast<ModelCounts&>(view_) = here;
    std::copy_n(here.base_acceleration, 6, view_.base_acceleration);
    for_each_packed(here, [&](auto field, std::size_t begin, std::size_t size) {
      if (size > 0) std::memcpy(packed_ + begin, here.*field, size);
    });
  }
  /// Its arrays are where this is.
  TANDEM_HD ModelView<N> view() const {
    ModelView<N> m = view_;
    for_each_packed(m, [&](auto field, std::size_t begin, std::size_t) {
      m.*field = reinterpret_cast<std::remove_reference_t<decltype(m.*field)>>(packed_ + begin);
    });
    return m;
  }

 private:
  ModelView<N> view_;
  alignas(16) unsigned char packed_[bytes];
};
template <class N>
class KernelModel<N, 0> {
 public:
  template <class T>
  KernelModel(const ModelView<T>&, const ModelView<T>& there) : view_(known_as<N>(there)) {}
  TANDEM_HD const ModelView<N>& view() const { return view_; }

 private:
  ModelView<N> view_;
};

}  // namespace tandem::cuda
