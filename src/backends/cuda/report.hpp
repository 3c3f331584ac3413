// SPDX-License-Identifier: Apache-2.0
/// What becomes of every state: its numbers are watched before and after the algorithm, by a thread for each state.
#pragma once
#include "backends/cuda/column.hpp"
#include "backends/shared/verdict.hpp"

namespace tandem::cuda {

/// The arguments of a call, passed to the kernel by value.
template <class T>
struct Watched {
  Argument arguments[most_arguments];  ///< names and meanings are the host's
  Array<T> arrays[most_arguments];
  int count = 0;
  bool inverts_mass_matrix = false;
  const std::int32_t* iterations = nullptr;  ///< of each state, below 0 where they were not enough; or null
};

/// Before the algorithm: what the inputs of state b say, as bits. Afterwards the verdict.
enum : std::uint8_t { bad_input_bit = 1, outside_bit = 2 };

/// Watches every `step`-th row from `first` on.
template <class T>
TANDEM_HD Verdict<T, T> watch_rows(const Watched<T>& watched, const ModelView<T>& m, bool inputs, Index b, Index first,
                                   Index step) {
  Verdict<T, T> verdict;
  for (int k = 0; k < watched.count; ++k)
    if (watched.arrays[k].data && is_input(watched.arguments[k]) == inputs)
      verdict.watch(watched.arguments[k], m, column_of(watched.arrays[k], b), first, step);
  return verdict;
}
/// What the watchers of a state have seen together, as bits: of inputs, or with `bad_output` of outputs.
template <class T>
TANDEM_HD void report(const Watched<T>& watched, bool inputs, bool bad_input, bool outside, bool bad_output,
                      std::uint8_t* bits, Status* status, Index b) {
  if (inputs) {
    bits[b] = static_cast<std::uint8_t>((bad_input ? bad_input_bit : 0) | (outside ? outside_bit : 0));
    return;
  }
  const bool converged = !watched.iterations || watched.iterations[b] >= 0;
  status[b] = Verdict<T, T>((bits[b] & bad_input_bit) != 0, outside || (bits[b] & outside_bit) != 0, bad_output)
                  .of(0, watched.inverts_mass_matrix, converged);
}

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
    status[b] = verdict.of(0, watched.inverts_mass_matrix, !watched.iterations || watched.iterations[b] >= 0);
}

}  // namespace tandem::cuda
