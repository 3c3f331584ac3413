// SPDX-License-Identifier: Apache-2.0
#include "storage.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tandem::model_detail {

namespace {

/// Type of the entries of an array of a view, given by the pointer to member.
template <class V, class T>
T entry_type(const T* V::*);

}  // namespace

template <class M>
Buffer allocate(ModelView<M>& view) {
  const auto padded = [](std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
  std::size_t bytes = 0;
  for_each_field(view, [&](auto field, std::int64_t rows, const char*) {
    bytes += padded(static_cast<std::size_t>(rows) * sizeof(entry_type(field)));
  });
  bytes = std::max(bytes, alignment);
  Buffer buffer(static_cast<std::byte*>(allocate_lines(bytes)));
  std::memset(buffer.get(), 0, bytes);

  std::byte* next = buffer.get();
  for_each_field(view, [&](auto field, std::int64_t rows, const char*) {
    using T = decltype(entry_type(field));
    view.*field = reinterpret_cast<const T*>(next);
    next += padded(static_cast<std::size_t>(rows) * sizeof(T));
  });
  return buffer;
}

template Buffer allocate(ModelView<double>& view);
template Buffer allocate(ModelView<float>& view);

Buffer copy_to_float(const ModelView<double>& from, ModelView<float>& to) {
  copy_counts(from, to);
  Buffer buffer = allocate(to);

  std::vector<void*> targets;  // in the order in which for_each_field visits the sources, too
  for_each_field(to, [&](auto field, std::int64_t, const char*) { targets.push_back(writable(to.*field)); });
  auto target = targets.begin();
  for_each_field(from, [&](auto field, std::int64_t rows, const char*) {
    using T = decltype(entry_type(field));
    const T* source = from.*field;
    if constexpr (std::is_same_v<T, double>) {
      std::transform(source, source + rows, static_cast<float*>(*target++),
                     [](double x) { return static_cast<float>(x); });
    } else {
      std::copy_n(source, rows, static_cast<T*>(*target++));
    }
  });
  return buffer;
}

}  // namespace tandem::model_detail
