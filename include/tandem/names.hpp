// SPDX-License-Identifier: Apache-2.0
/// Names of enumerators: a table for each enumeration, with conversion in both directions.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>

namespace tandem {

/// Row of a table: name and description of an enumerator, and its name in papers or other libraries.
struct Named {
  const char* name;             ///< name of the enumerator
  const char* meaning;          ///< short description
  const char* alias = nullptr;  ///< another name, or null
};

/// The table of an enumeration: `kind`, a noun for its values, and `table`, one row per enumerator in order. Rows are
/// Named, or another type with a member `name`.
template <class E>
struct NamesOf;

/// An enumeration with a table of names.
template <class E>
concept HasNames = requires { NamesOf<E>::table; };

/// Name of an enumerator, such as "local_world_aligned"; "" if the value is not an enumerator.
template <HasNames E>
constexpr const char* to_string(E value) {
  const auto k = static_cast<std::size_t>(value);
  return k < std::size(NamesOf<E>::table) ? NamesOf<E>::table[k].name : "";
}

/// Index of the row with a name or alias, with dashes or underscores. Throws Error that lists the names.
std::size_t find_name(const char* kind, std::string_view name, std::span<const Named> table);

/// The enumerator with a name or alias: from_name<Method>("scan"). Throws Error that lists the names.
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
