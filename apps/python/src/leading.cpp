// SPDX-License-Identifier: Apache-2.0
#include "leading.hpp"

#include <algorithm>
#include <vector>

namespace tandem::python {

Index Leading::count() const {
  Index n = 1;
  for (const Py_ssize_t size : all()) n *= size;
  return n;
}

bool Leading::broadcast(Sizes other) {
  const int theirs = static_cast<int>(other.size()), both = std::max(rank, theirs);
  if (both > most) return false;
  Py_ssize_t result[most];
  for (int k = 1; k <= both; ++k) {  // counted from the last axis
    const Py_ssize_t a = k <= rank ? sizes[rank - k] : 1,
                     b = k <= theirs ? other[static_cast<std::size_t>(theirs - k)] : 1;
    if (a != b && a != 1 && b != 1) return false;
    result[both - k] = a == 1 ? b : a;
  }
  std::copy(result, result + both, sizes);
  rank = both;
  return true;
}

std::optional<Index> Leading::stride_through(Sizes own, const Py_ssize_t* strides) const {
  const int n = static_cast<int>(own.size());
  Index stride = 0, span = 0;  // bytes from state to state; how many states one step of the next axis spans
  for (int k = 1; k <= rank; ++k) {
    const Index size = sizes[rank - k];
    if (size == 0) return 0;
    if (size == 1) continue;
    const bool repeated = k > n || own[static_cast<std::size_t>(n - k)] == 1;
    const Index step = repeated ? 0 : strides[n - k];
    if (span == 0) {
      stride = step;
      span = size;
    } else {
      if (step != stride * span) return std::nullopt;
      span *= size;
    }
  }
  return stride;
}

nb::object Leading::place_of(Index state) const {
  if (rank == 1) return nb::int_(state);
  nb::list place;
  Index block = count();
  for (const Py_ssize_t size : all()) {
    block /= size;
    place.append(state / block);
    state %= block;
  }
  return nb::tuple(place);
}

std::string sizes_text(Sizes leading, const Shape& state, bool any_in_front) {
  std::vector<std::string> items;
  if (any_in_front) items.emplace_back("...");
  for (const Py_ssize_t size : leading) items.push_back(std::to_string(size));
  for (int k = 0; k < state.rank; ++k) items.push_back(std::to_string(state.sizes[k]));
  std::string result = "(";
  for (const std::string& item : items) result += (result.size() > 1 ? ", " : "") + item;
  return result + (items.size() == 1 ? ",)" : ")");
}

std::string batch_text(Sizes leading) {
  return (leading.size() == 1 ? std::to_string(leading[0]) : sizes_text(leading)) + " states";
}

}  // namespace tandem::python
