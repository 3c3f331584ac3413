// SPDX-License-Identifier: Apache-2.0
/// Records: what belongs together in a column of numbers, with a name for each part. A record is a plain struct of
/// nothing but numbers S, one by one or in spatial types and other records, and lies in a column as it does in memory:
///
///     template <class S>
///     struct Link {           // what a link keeps
///       Transform<S> X;
///       Force<S> f;
///     };
///     rows_of<Link<double>>   18
///     const auto links = records<Link<S>>(w);
///     links.store(i, {X_ip, f_i});
///     links.store(i, &Link<S>::f, f_i);
///     const auto f_i = links.load(i, &Link<S>::f);
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

#include "tandem/detail/core/column.hpp"

namespace tandem::inline TANDEM_ISA {

/// The S of a record.
template <class Record>
struct NumberIn;
template <template <class...> class Record, class S, class... More>
struct NumberIn<Record<S, More...>> {
  using type = S;
};
template <template <class, auto...> class Record, class S, auto... sizes>
  requires(sizeof...(sizes) > 0)
struct NumberIn<Record<S, sizes...>> {
  using type = S;
};
template <template <class, template <class> class> class Record, class S, template <class> class Part>
struct NumberIn<Record<S, Part>> {
  using type = S;
};
template <class Record>
using NumberOf = typename NumberIn<Record>::type;

/// Rows that a record takes.
template <class Record, class S = NumberOf<Record>>
inline constexpr Index rows_of = sizeof(Record) / sizeof(S);

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wmissing-braces"  // numbers are handed through to the parts of parts
#endif
template <class T, class S, class Column, std::size_t... k>
TANDEM_HD T load_numbers(const Column& c, Index row, std::index_sequence<k...>) {
  return T{S(c[row + static_cast<Index>(k)])...};
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
template <class S, class Column, class T, std::size_t... k>
TANDEM_HD void store_numbers(const Column& c, Index row, const T& x, std::index_sequence<k...>) {
  const S* const numbers = reinterpret_cast<const S*>(&x);
  ((c[row + static_cast<Index>(k)] = numbers[k]), ...);
}

/// A record in the rows from `row` on.
template <class T, class S = NumberOf<T>, class Column>
TANDEM_HD T load(const Column& c, Index row) {
  return load_numbers<T, S>(c, row, std::make_index_sequence<static_cast<std::size_t>(rows_of<T, S>)>());
}
template <class S, class T, class Column>
TANDEM_HD void store_as(const Column& c, Index row, const T& x) {
  store_numbers<S>(c, row, x, std::make_index_sequence<static_cast<std::size_t>(rows_of<T, S>)>());
}
template <class Column, class T>
TANDEM_HD void store(const Column& c, Index row, const T& x) {
  store_as<NumberOf<T>>(c, row, x);
}

/// A record that a loop hands on from turn to turn, number by number: as a struct, compilers would hand floats on in
/// pairs, and pack and unpack them within the turn.
template <class Record>
class Carried {
  using S = NumberOf<Record>;
  S numbers_[rows_of<Record>];

 public:
  TANDEM_HD Carried(const Record& x) { *this = x; }
  TANDEM_HD Carried& operator=(const Record& x) {
    tandem::store(&numbers_[0], 0, x);
    return *this;
  }
  TANDEM_HD Record operator*() const { return load<Record>(&numbers_[0], 0); }
};

/// Records one after the other in a column.
template <class Record, class Column, class S = NumberOf<Record>>
struct Records {
  static constexpr Index rows = rows_of<Record, S>;
  static_assert(sizeof(Record) % sizeof(S) == 0);
  Column column;

  TANDEM_HD Record load(Index i) const { return tandem::load<Record, S>(column, rows * i); }
  TANDEM_HD void store(Index i, const Record& x) const { store_as<S>(column, rows * i, x); }

  /// First row of a part of record i. A pointer to a member is its offset in the ABIs of all processors that bodies run
  /// on.
  template <class Part>
  TANDEM_HD Index row(Index i, Part Record::* part) const {
    return rows * i + static_cast<Index>(__builtin_bit_cast(std::ptrdiff_t, part)) / static_cast<Index>(sizeof(S));
  }
  template <class Part>
  TANDEM_HD Part load(Index i, Part Record::* part) const {
    return tandem::load<Part, S>(column, row(i, part));
  }
  template <class Part>
  TANDEM_HD void store(Index i, Part Record::* part, const std::type_identity_t<Part>& x) const {
    store_as<S>(column, row(i, part), x);
  }
};
template <class Record, class Column>
TANDEM_HD Records<Record, Column> records(Column column) {
  return {column};
}

}  // namespace tandem::inline TANDEM_ISA
