// SPDX-License-Identifier: Apache-2.0
/// The axes in front of a state's own: those of a batch.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "bindings.hpp"

namespace tandem::python {

using Sizes = std::span<const Py_ssize_t>;

/// The axes of a batch; none for a single state.
struct Leading {
  static constexpr int most = 64;  ///< that an array of NumPy's can have
  int rank = 0;
  Py_ssize_t sizes[most];  // have values up to rank

  Leading() {}  // leaves the sizes alone
  Sizes all() const { return {sizes, static_cast<std::size_t>(rank)}; }
  Index count() const;

  /// Stretches these axes and those of an argument to one another as NumPy does: aligned at the last, where one of two
  /// sizes may be 1. False, and no change, if that cannot be.
  bool broadcast(Sizes other);

  /// How many bytes it is from state to state of all the batch, in C order, in an array with these axes, which lie so
  /// many bytes apart; 0 if one state stands for all. None if there is no such number.
  std::optional<Index> stride_through(Sizes own, const Py_ssize_t* strides) const;

  /// What a state is called by: its number, or an index for every axis.
  nb::object place_of(Index state) const;
};

/// As Python writes a tuple of these sizes, with those of a state behind them; "..." in front stands for any.
std::string sizes_text(Sizes leading, const Shape& state = {}, bool any_in_front = false);

/// "5 states" or "(2, 3) states".
std::string batch_text(Sizes leading);

}  // namespace tandem::python
