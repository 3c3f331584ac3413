// SPDX-License-Identifier: Apache-2.0
/// Columns of dual numbers in workspaces of plain ones: two rows a number, its value and its rate.
#pragma once
#include <type_traits>

#include "tandem/detail/core/column.hpp"
#include "tandem/detail/core/dual.hpp"

namespace tandem::inline TANDEM_ISA {

/// A row of a column whose values and rates do not lie side by side.
template <class S, class Column>
struct DualRow {
  Column column;
  TANDEM_HD operator Dual<S>() const { return Dual<S>(S(column[0]), S(column[1])); }
  TANDEM_HD Dual<S> operator=(const Dual<S>& x) const {
    column[0] = x.value;
    column[1] = x.rate;
    return x;
  }
};
template <class S, class Column>
struct DualColumn {
  Column column;
  TANDEM_HD DualRow<S, Column> operator[](Index row) const { return {column + 2 * row}; }
  TANDEM_HD DualColumn operator+(Index rows) const { return {column + 2 * rows}; }
  TANDEM_HD explicit operator bool() const { return static_cast<bool>(column); }
};

/// Numbers that lie side by side are dual numbers as they are.
template <class S>
TANDEM_HD Dual<S>* dual_column(S* w) {
  static_assert(sizeof(Dual<S>) == 2 * sizeof(S) && alignof(Dual<S>) == alignof(S));
  return reinterpret_cast<Dual<S>*>(w);
}
template <class S, class Work>
TANDEM_HD auto dual_column(Work w) {
  if constexpr (std::is_convertible_v<Work, S*>)
    return dual_column<S>(static_cast<S*>(w));
  else
    return DualColumn<S, Work>{w};
}

/// The next rows of a workspace, which is handed out piece after piece.
template <class Column>
TANDEM_HD Column take(Column& rest, Index rows) {
  const Column piece = rest;
  rest = rest + rows;
  return piece;
}

/// Values with their rates; either may be left out: zeros.
template <class S, class Values, class Rates, class Duals>
TANDEM_HD void join(Values values, Rates rates, Index rows, Duals duals) {
  for (Index row = 0; row < rows; ++row)
    duals[row] = Dual<S>(values ? S(values[row]) : S(0), rates ? S(rates[row]) : S(0));
}
/// Values alone, where they are wanted.
template <class S, class Duals, class Values>
TANDEM_HD void take_values(Duals duals, Index rows, Values values) {
  if (!values) return;
  for (Index row = 0; row < rows; ++row) values[row] = Dual<S>(duals[row]).value;
}
/// Rates alone, `stride` rows apart, where they are wanted.
template <class S, class Duals, class Rates>
TANDEM_HD void take_rates(Duals duals, Index rows, Rates rates, Index stride = 1) {
  if (!rates) return;
  for (Index row = 0; row < rows; ++row) rates[stride * row] = Dual<S>(duals[row]).rate;
}

/// The unit vector along a row.
struct UnitColumn {
  Index one;
  TANDEM_HD constexpr int operator[](Index row) const { return row == one; }
  TANDEM_HD constexpr UnitColumn operator+(Index rows) const { return {one - rows}; }
  TANDEM_HD constexpr explicit operator bool() const { return true; }
};

}  // namespace tandem::inline TANDEM_ISA
