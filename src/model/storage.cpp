// SPDX-License-Identifier: Apache-2.0
#include "storage.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tandem::model_detail {

template <class M>
Buffer allocate(ModelView<M>& view) {
  // bytes that the array takes, up to where the next one begins
  const auto size = [](const auto* array, std::int64_t rows) {
    return (static_cast<std::size_t>(rows) * sizeof(*array) + alignment - 1) / alignment * alignment;
  };
  std::size_t bytes = 0;
  for_each_field(view, [&](auto field, std::int64_t rows, const char*) { bytes += size(view.*field, rows); });
  bytes = std::max(bytes, alignment);
  Buffer buffer(static_cast<std::byte*>(allocate_lines(bytes)));
  std::memset(buffer.get(), 0, bytes);

  std::byte* next = buffer.get();
  for_each_field(view, [&](auto field, std::int64_t rows, const char*) {
    view.*field = reinterpret_cast<std::remove_reference_t<decltype(view.*field)>>(next);
    next += size(view.*field, rows);
  });
  return buffer;
}

template Buffer allocate(ModelView<double>& view);
template Buffer allocate(ModelView<float>& view);

Buffer copy_to_float(const ModelView<double>& from, ModelView<float>& to) {
  static_cast<ModelCounts&>(to) = from;
  Buffer buffer = allocate(to);

  for_each_field_of_both(from, to, [&](auto source, auto target, std::int64_t rows, const char*) {
    std::transform(from.*source, from.*source + rows, writable(to.*target), [](auto x) {
      if constexpr (std::is_same_v<decltype(x), double>)
        return static_cast<float>(x);
      else
        return x;
    });
  });
  return buffer;
}

}  // namespace tandem::model_detail
