// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "tandem/detail/core/config.hpp"
#include "tandem/index.hpp"

namespace tandem::inline TANDEM_ISA {

/// The rows of one instance are a column: anything with `column[row]`. A plain pointer is a column whose rows lie side
/// by side; a StridedColumn leaves room for the neighbouring instances between its rows. A null column stands for an
/// argument that was left out. Algorithms take their columns as template parameters and know nothing else of layout.
template <class S>
struct StridedColumn {
  S* data = nullptr;
  Index stride = 1;
  TANDEM_HD S& operator[](Index row) const { return data[row * stride]; }
  TANDEM_HD StridedColumn operator+(Index rows) const { return {data + rows * stride, stride}; }
  TANDEM_HD explicit operator bool() const { return data != nullptr; }
};

/// Whether functions of such numbers do nothing but return a value: numbers that count or write down what is done with
/// them do more.
template <class S>
inline constexpr bool is_plain_number = std::is_floating_point_v<S>;

/// How many neighbouring rows an algorithm best computes at once when each is a number of type S: as many as a vector
/// register holds where S is a plain number on a processor with vectors; one where S is a pack, or a GPU thread's.
template <class S>
inline constexpr int rows_at_once = 1;
#if !defined(__CUDA_ARCH__) && defined(__AVX512F__)
template <>
inline constexpr int rows_at_once<double> = 8;
template <>
inline constexpr int rows_at_once<float> = 16;
#elif !defined(__CUDA_ARCH__)
template <>
inline constexpr int rows_at_once<double> = 4;
template <>
inline constexpr int rows_at_once<float> = 8;
#endif

/// Rows of the workspace as the kind of column that an argument is, if they convert to it: a pass over either is then
/// compiled once.
template <class Kind, class Work>
TANDEM_HD auto as_column(Work w) {
  if constexpr (std::is_convertible_v<Work, Kind>)
    return static_cast<Kind>(w);
  else
    return w;
}

template <class Column, class S>
TANDEM_HD void fill(Column c, Index rows, const S& value) {
  for (Index row = 0; row < rows; ++row) c[row] = value;
}

/// Zeros in the place of an argument of the kind `Kind`, in the rows of the workspace from w on: in the first one if
/// such columns have a stride, which is then 0, else in all of them.
template <class Kind, class S, class Work>
TANDEM_HD auto zeros(Work w, Index rows) {
  auto column = as_column<Kind>(w);
  if constexpr (requires { column.stride; }) {
    w[0] = S(0);
    column.stride = 0;
  } else {
    fill(w, rows, S(0));
  }
  return column;
}
/// An argument, or zeros if it is left out.
template <class S, class Column, class Work>
TANDEM_HD Column or_zeros(Column column, Work w, Index rows) {
  if (column) return column;
  return zeros<Column, S>(w, rows);
}

/// The same number in every row.
template <class S>
TANDEM_HD StridedColumn<const S> in_every_row(const S& x) {
  return {&x, 0};
}

/// The workspace of an algorithm that calls others one after the other: as many rows as any of them needs, none for
/// none.
template <class... Others>
struct WorkOf {
  template <class Model>
  TANDEM_HD static Index work_rows([[maybe_unused]] const Model& m) {
    Index rows = 0;
    ((rows = Others::work_rows(m) > rows ? Others::work_rows(m) : rows), ...);
    return rows;
  }
};

}  // namespace tandem::inline TANDEM_ISA
