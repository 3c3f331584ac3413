// SPDX-License-Identifier: Apache-2.0
/// One state by a function that was assembled for it.
#pragma once
#include <span>

#include "backends/cpu/assembled.hpp"
#include "tandem/api/workspace.hpp"
#include "tandem/detail/spatial/load_store.hpp"

namespace tandem {

/// By the columns of a state, one for each argument that the line takes. False if the state is left to other ways: the
/// function does not serve it, or where a mass matrix may have no inverse, a result is not finite. A line takes 0 x for
/// 0 even where x is infinite; what lies in the outputs then is to be written again.
template <class T>
bool run_columns(const Assembled<T>& line, const void* const* columns, Workspace<T>& work) {
  for (const auto& [argument, row] : line.quaternions) {
    const T n = squared_norm(load<Quaternion<T>>(static_cast<const T*>(columns[argument]), row));
    if (!(n < T(longest_square<T>) && T(shortest_square<T>) < n)) return false;
  }
  if (!(*line.state)(columns, work.reserve(static_cast<Index>(line.state->scratch_bytes() / sizeof(T))))) return false;
  T bad(0);
  for (std::size_t k = 0; line.inverts_mass_matrix && k < line.given.size(); ++k) {
    if (!line.given[k] || is_input(line.arguments[k])) continue;
    const auto* const results = static_cast<const T*>(columns[k]);
    for (Index row = 0; row < line.rows[k]; ++row) bad += results[row] - results[row];  // 0, or NaN for good
  }
  return bad == T(0);
}

/// The same by the arguments of a call. False, too, if numbers do not lie side by side, the status is asked for, or an
/// output lies where an input does.
template <class T>
bool run_state(const Assembled<T>& line, const Call<T>& call, Index b, Workspace<T>& work) {
  if (!line.state || call.status || call.parameters || call.iterations) return false;
  const void* columns[most_arguments];
  for (std::size_t k = 0; k < line.given.size(); ++k) {
    const Array<T>& array = call.arguments[k];
    if (!line.given[k]) continue;
    if (array.row_stride != 1) return false;
    columns[k] = array.data + b * array.stride;
  }
  for (const auto& [output, input] : line.may_be_one)
    if (columns[output] == columns[input]) return false;
  return run_columns(line, columns, work);
}

/// One state whose arguments nobody has looked at yet. False as well if anything about them is to be looked at more
/// closely: the line takes others, or they are not plain columns of the host's memory with outputs apart from all
/// others.
template <class T>
bool run_unchecked(const Assembled<T>& line, std::span<const Array<T>> arguments, Workspace<T>& work) {
  const std::size_t n = line.given.size();
  if (!line.state || arguments.size() != n) return false;
  const void* columns[most_arguments];
  const T *begin[most_arguments], *end[most_arguments];
  for (std::size_t k = 0; k < n; ++k) {
    const Array<T>& array = arguments[k];
    if ((array.data != nullptr) != (line.given[k] != 0) || array.row_stride != 1 || array.place != Place::host)
      return false;
    columns[k] = begin[k] = array.data;
    end[k] = array.data + line.rows[k];
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n && line.given[k] && !is_input(line.arguments[k]); ++i)
      if (i != k && begin[k] < end[i] && begin[i] < end[k]) return false;
  return run_columns(line, columns, work);
}

}  // namespace tandem
