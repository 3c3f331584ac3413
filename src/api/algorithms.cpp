// SPDX-License-Identifier: Apache-2.0
/// The table of algorithms, made of what stands at the top of each.
#include "algorithms.hpp"

#include <string>
#include <vector>

#include "tandem/error.hpp"

namespace tandem {
namespace {

template <class A>
constexpr std::span<const Method> methods() {
  if constexpr (requires { A::methods; })
    return A::methods;
  else
    return {};
}

template <class A>
constexpr const char* alias() {
  if constexpr (requires { A::alias; })
    return A::alias;
  else
    return nullptr;
}

template <class A>
constexpr bool inverts_mass_matrix = requires { A::inverts_mass_matrix; };

template <class... A>
std::span<const Algorithm> table(TypeList<A...>) {
  static constexpr Algorithm entries[] = {{A::name, alias<A>(), A::summary, A::arguments, read_options<A>, methods<A>(),
                                           index_in<A>(Algorithms{}), inverts_mass_matrix<A>}...};
  return entries;
}

}  // namespace

std::span<const Algorithm> algorithms() { return table(Algorithms{}); }

const Algorithm& find_algorithm(std::string_view name) {
  static const std::vector<Named> names = [] {
    std::vector<Named> rows;
    for (const Algorithm& algorithm : algorithms())
      rows.push_back({algorithm.name, algorithm.summary, algorithm.alias});
    return rows;
  }();
  return algorithms()[find_name("algorithm", name, names)];
}

const Algorithm& known(const Algorithm& algorithm) {
  const auto all = algorithms();
  if (algorithm.id < 0 || algorithm.id >= static_cast<int>(all.size()) ||
      algorithm.name != all[static_cast<std::size_t>(algorithm.id)].name)
    throw Error("not an algorithm of this library: use find_algorithm() or algorithms()");
  return all[static_cast<std::size_t>(algorithm.id)];
}

}  // namespace tandem
