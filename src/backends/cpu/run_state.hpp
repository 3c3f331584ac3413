// SPDX-License-Identifier: Apache-2.0
/// One state by a function that was assembled for it.
#pragma once
#include "backends/cpu/assembled.hpp"
#include "tandem/api/workspace.hpp"
#include "tandem/detail/spatial/load_store.hpp"

namespace tandem {

/// False if the state is left to other ways: its numbers do not lie side by side, its status is asked for, an output lies where
/// an input does, the function does not serve it, or where a mass matrix may have no inverse, a result is not finite. A line
/// takes 0 x for 0 even where x is infinite; what lies in the outputs then is to be written again.
template <class T>
bool run_state(const Assembled<T>& line, const Call<T>& call, Index b, Workspace<T>& work) {
  if (!line.state || call.status || call.parameters || call.iterations) return false;
  const void* columns[32];
  for (std::size_t k = 0; k < line.given.size(); ++k) {
    const Array<T>& array = call.arguments[k];
    if (!line.given[k]) continue;
    if (array.row_stride != 1) return false;
    columns[k] = array.data + b * array.stride;
  }
  for (const auto& [output, input] : line.may_be_one)
    if (columns[output] == columns[input]) return false;
  for (const auto& [argument, row] : line.quaternions) {
    const T n = squared_norm(load<Quaternion<T>>(static_cast<const T*>(columns[argument]), row));
    if (!(n < T(longest_square<T>) && T(shortest_square<T>) < n)) return false;
  }
  if (!(*line.state)(columns, work.reserve(static_cast<Index>(line.state->scratch_bytes() / sizeof(T))))) return false;
  T bad(0);
  for (std::size_t k = 0; line.inverts_mass_matrix && k < line.given.size(); ++k) {
    if (!line.given[k] || is_input(line.arguments[k])) continue;
    const auto* const results = static_cast<const T*>(columns[k]);
    for (Index row = 0, rows = shape(line.arguments[k].rows, call.model).count(); row < rows; ++row)
      bad += results[row] - results[row];  // 0, or NaN for good
  }
  return bad == T(0);
}

}  // namespace tandem
