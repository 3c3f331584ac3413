// SPDX-License-Identifier: Apache-2.0
/// What becomes of every state: its numbers are watched before and after the algorithm, by a thread for each state.
#pragma once
#include "backends/cuda/column.hpp"
#include "backends/shared/verdict.hpp"

namespace tandem::cuda {

/// The arguments of a call, passed to the kernel by value.
template <class T>
struct Watched {
  static constexpr int most = 12;
  Argument arguments[most];  ///< names and meanings are the host's
  Array<T> arrays[most];
  int count = 0;
  bool inverts_mass_matrix = false;
};

/// Before the algorithm: what the inputs of state b say, as bits. Afterwards the verdict.
enum : std::uint8_t { bad_input_bit = 1, outside_bit = 2 };

template <class T>
TANDEM_HD void watch_state(const Watched<T>& watched, const ModelView<T>& m, bool inputs, std::uint8_t* bits,
                           Status* status, Index b) {
  Verdict<T, T> verdict;
  if (!inputs) verdict = {(bits[b] & bad_input_bit) != 0, (bits[b] & outside_bit) != 0};
  for (int k = 0; k < watched.count; ++k)
    if (watched.arrays[k].data && is_input(watched.arguments[k]) == inputs)
      verdict.watch(watched.arguments[k], m, far_column_of(watched.arrays[k], b));
  if (inputs)
    bits[b] =
        static_cast<std::uint8_t>((verdict.bad_input(0) ? bad_input_bit : 0) | (verdict.outside(0) ? outside_bit : 0));
  else
    status[b] = verdict.of(0, watched.inverts_mass_matrix, true);
}

}  // namespace tandem::cuda
