// SPDX-License-Identifier: Apache-2.0
#include "files/states.hpp"

#include <algorithm>
#include <bit>

namespace tandem::cli {
namespace {

constexpr Index chunk_bytes = Index{1} << 25;
constexpr Index most_states_of_chunk = Index{1} << 16;

}  // namespace

template <class T>
Chunk<T>::Chunk(const Task& task, const std::vector<char>& shared)
    : numbers(task.takes_part.size()), strides(task.takes_part.size(), 0) {
  Index bytes = 1;
  for (std::size_t a = 0; a < numbers.size(); ++a)
    if (task.takes_part[a] && !shared[a]) bytes += task.count(a) * Index{sizeof(T)};
  // a power of two, so that the chunks of files fit into it
  capacity = static_cast<Index>(
      std::bit_floor(static_cast<std::size_t>(std::clamp<Index>(chunk_bytes / bytes, 1, most_states_of_chunk))));
  status.resize(static_cast<std::size_t>(capacity));
  iterations.resize(status.size());
  for (std::size_t a = 0; a < numbers.size(); ++a) {
    if (!task.takes_part[a]) continue;
    if (!shared[a]) strides[a] = task.count(a);
    numbers[a].resize(static_cast<std::size_t>(std::max<Index>(task.count(a) * (shared[a] ? 1 : capacity), 1)));
  }
}

template <class T>
std::vector<Array<T>> Chunk<T>::arrays() {
  std::vector<Array<T>> result(numbers.size());
  for (std::size_t a = 0; a < result.size(); ++a)
    if (!numbers[a].empty()) result[a] = {numbers[a].data(), strides[a]};
  return result;
}

template struct Chunk<double>;
template struct Chunk<float>;

}  // namespace tandem::cli
