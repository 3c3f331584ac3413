// SPDX-License-Identifier: Apache-2.0
/// Enumerations by name: a table beside each of them, read both ways.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>

namespace tandem {

/// A value of an enumeration: name, meaning, and its name in papers and other libraries.
struct Named {
  const char* name;             ///< as the value
  const char* meaning;          ///< in a few words
  const char* alias = nullptr;  ///< what others call it, or null
};

/// The table of an enumeration: `kind`, what one of its values is, and `table`, a row for every value in order.
/// Rows are Named, or have a name and whatever else depends on the value.
template <class E>
struct NamesOf;

/// An enumeration with a table of names.
template <class E>
concept HasNames = requires { NamesOf<E>::table; };

/// "local_world_aligned"; "" for a number that is no value.
template <HasNames E>
constexpr const char* to_string(E value) {
  const auto k = static_cast<std::size_t>(value);
  return k < std::size(NamesOf<E>::table) ? NamesOf<E>::table[k].name : "";
}

/// The row with a name or alias, with dashes or underscores. Throws Error that lists the names.
std::size_t find_name(const char* kind, std::string_view name, std::span<const Named> table);

/// The value with a name or alias: from_name<Method>("scan"). Throws Error that lists the names.
template <HasNames E>
E from_name(std::string_view name) {
  Named rows[std::size(NamesOf<E>::table)];
  for (std::size_t k = 0; k < std::size(rows); ++k) {
    const auto& row = NamesOf<E>::table[k];
    rows[k] = {row.name, ""};
    if constexpr (requires { row.alias; }) rows[k].alias = row.alias;
  }
  return static_cast<E>(find_name(NamesOf<E>::kind, name, rows));
}

}  // namespace tandem
