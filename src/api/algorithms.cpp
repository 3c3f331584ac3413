// SPDX-License-Identifier: Apache-2.0
/// The table of algorithms, made of what stands at the top of each.
#include "algorithms.hpp"

#include <string>

#include "names.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

template <class A>
constexpr bool reads_frame = requires(A a) {
  a.frame;
};
template <class A>
constexpr bool reads_reference = requires(A a) {
  a.reference;
};
template <class A>
constexpr std::span<const Method> methods() {
  if constexpr (requires { A::methods; })
    return A::methods;
  else
    return {};
}

template <class... A>
std::span<const Algorithm> table(TypeList<A...>) {
  static constexpr Algorithm entries[] = {{A::name, A::summary, A::arguments, reads_frame<A>, reads_reference<A>,
                                           methods<A>(), index_in<A>(Algorithms{})}...};
  return entries;
}

}  // namespace

std::span<const Algorithm> algorithms() { return table(Algorithms{}); }

const Algorithm& find_algorithm(std::string_view name) {
  std::string wanted = underscored(name);
  static constexpr std::pair<std::string_view, std::string_view> aliases[] = {{"rnea", "inverse_dynamics"},
                                                                              {"crba", "mass_matrix"},
                                                                              {"aba", "forward_dynamics"},
                                                                              {"center_of_mass", "centre_of_mass"}};
  for (const auto& [alias, meaning] : aliases)
    if (wanted == alias) wanted = meaning;
  std::string names;
  for (const Algorithm& algorithm : algorithms()) {
    if (wanted == algorithm.name) return algorithm;
    names += std::string(names.empty() ? "" : ", ") + algorithm.name;
  }
  throw Error("no algorithm is called \"" + std::string(name) + "\"; there are " + names);
}

const Algorithm& known(const Algorithm& algorithm) {
  const auto all = algorithms();
  if (algorithm.id < 0 || algorithm.id >= static_cast<int>(all.size()) ||
      algorithm.name != all[static_cast<std::size_t>(algorithm.id)].name)
    throw Error("this is no algorithm: take one from find_algorithm() or algorithms()");
  return all[static_cast<std::size_t>(algorithm.id)];
}

}  // namespace tandem
