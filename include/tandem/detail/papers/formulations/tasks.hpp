// SPDX-License-Identifier: Apache-2.0
/// Formulations of inverse dynamics as tasks. A formulation is a struct of quantities, each with a place in a column
/// for every link or pair of links that it is of, and one function that names its tasks in an order in which each comes
/// after those whose results it reads:
///
///     template <class On>
///     void tasks(const On& on) const {
///       for (int i = 1; i <= r.n(); ++i)
///         on(w.at(i), [=, this] { return transpose_mul(R(i), w(i - 1) + qd(i) * e_z); });
///
/// A task is a place and how its value is found; it writes that place and nothing else. What `on` does with it is not
/// the formulation's business:
///
///     InOrder               finds the value at once: the serial method, on any number type, packs among them
///     src/formulations      keeps the tasks, to run any of them alone, in any order that keeps to their edges, on
///                           threads or in processes: task_list.hpp, which also says what each task reads and how many
///                           operations it takes. Both are found by running the tasks, on a number that counts and in a
///                           column that listens
#pragma once
#include <type_traits>

#include "tandem/detail/core/record.hpp"
#include "tandem/index.hpp"

namespace tandem::inline TANDEM_ISA {

/// Where one value of a quantity lies.
template <class T, class S, class Column>
struct ResultPlace {
  using Value = T;
  static constexpr Index rows = rows_of<T, S>;
  const char* name;  ///< of the quantity
  int i, j, k;       ///< of which links; -1 for those that it has not
  Column column;
  Index row;

  TANDEM_HD void put(const T& x) const {
    if constexpr (std::is_same_v<T, S>)
      column[row] = x;
    else
      store_as<S>(column, row, x);
  }
  TANDEM_HD T get() const {
    if constexpr (std::is_same_v<T, S>)
      return S(column[row]);
    else
      return load<T, S>(column, row);
  }
};

/// A quantity of every link i = 1 .. n; of pairs of links j <= i; of triples k <= j <= i.
template <class T, class S, class Column>
struct Quantity {
  const char* name;
  Column column;
  Index first;

  TANDEM_HD ResultPlace<T, S, Column> at(int i) const { return place(i - 1, i, -1, -1); }
  TANDEM_HD ResultPlace<T, S, Column> at(int i, int j) const { return place(pairs(i - 1) + j - 1, i, j, -1); }
  TANDEM_HD ResultPlace<T, S, Column> at(int i, int j, int k) const {
    return place(triples(i - 1) + pairs(j - 1) + k - 1, i, j, k);
  }
  /// Of frames 0 <= j < i, where the quantity is of pairs.
  TANDEM_HD ResultPlace<T, S, Column> between(int j, int i) const { return place(pairs(i - 1) + j, j, i, -1); }
  template <class... Link>
  TANDEM_HD T operator()(Link... link) const {
    return at(link...).get();
  }

  TANDEM_HD static constexpr Index pairs(Index n) { return n * (n + 1) / 2; }
  TANDEM_HD static constexpr Index triples(Index n) { return n * (n + 1) * (n + 2) / 6; }

 private:
  TANDEM_HD ResultPlace<T, S, Column> place(Index number, int i, int j, int k) const {
    return {name, i, j, k, column, first + ResultPlace<T, S, Column>::rows * number};
  }
};

/// Lays quantities one after the other into a column.
template <class S, class Column>
struct TaskLayout {
  Column column;
  Index n;         ///< links
  Index rows = 0;  ///< so far

  template <class T>
  TANDEM_HD Quantity<T, S, Column> values(const char* name, Index count) {
    const Index first = rows;
    rows += rows_of<T, S> * count;
    return {name, column, first};
  }
  template <class T>
  TANDEM_HD Quantity<T, S, Column> of_links(const char* name) {
    return values<T>(name, n);
  }
  template <class T>
  TANDEM_HD Quantity<T, S, Column> of_pairs(const char* name) {
    return values<T>(name, Quantity<T, S, Column>::pairs(n));
  }
  template <class T>
  TANDEM_HD Quantity<T, S, Column> of_triples(const char* name) {
    return values<T>(name, Quantity<T, S, Column>::triples(n));
  }
};

/// Runs every task as it is named.
struct InOrder {
  template <class Result, class F>
  TANDEM_HD void operator()(const Result& place, const F& f) const {
    place.put(f());
  }
};

}  // namespace tandem::inline TANDEM_ISA
