// SPDX-License-Identifier: Apache-2.0
#include "tandem/names.hpp"

#include <algorithm>
#include <string>

#include "tandem/error.hpp"

namespace tandem {
namespace {

/// The same name, with dashes for underscores if one likes.
bool same_name(std::string_view given, std::string_view name) {
  return std::equal(given.begin(), given.end(), name.begin(), name.end(),
                    [](char a, char b) { return a == b || (a == '-' && b == '_'); });
}

}  // namespace

std::size_t find_name(const char* kind, std::string_view name, std::span<const Named> table) {
  std::string names;
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (same_name(name, table[k].name) || (table[k].alias && same_name(name, table[k].alias))) return k;
    names += (k ? ", " : "") + std::string(table[k].name);
  }
  throw Error(std::string("no ") + kind + " is called \"" + std::string(name) + "\"; there are " + names);
}

}  // namespace tandem
