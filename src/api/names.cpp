// SPDX-License-Identifier: Apache-2.0
/// Options by name.
#include "names.hpp"

#include <iterator>

#include "tandem/api/evaluate.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

// names in the order of each enumeration
constexpr const char* references[] = {"local", "world", "local_world_aligned"};
constexpr const char* method_names[] = {"automatic",
                                        "recursive_newton_euler",
                                        "articulated_body",
                                        "composite_rigid_body",
                                        "scan",
                                        "log_composite",
                                        "composite_scan",
                                        "mass_matrix_inversion",
                                        "hybrid_articulated_body",
                                        "constraint_force",
                                        "divide_and_conquer",
                                        "divide_and_conquer_efficient",
                                        "conjugate_gradient"};
constexpr const char* solvers[] = {"automatic",        "block_lu", "odd_even_elimination",
                                   "cyclic_reduction", "chunked",  "conjugate_gradient"};
constexpr const char* sides[] = {"automatic", "local", "bias_torque"};
constexpr const char* forms[] = {"automatic", "body", "jet", "world_orientation"};

// what the papers and other libraries call them
struct Alias {
  const char *name, *meaning;
};
constexpr Alias method_aliases[] = {{"rnea", "recursive_newton_euler"},  {"aba", "articulated_body"},
                                    {"crba", "composite_rigid_body"},    {"jsiia", "mass_matrix_inversion"},
                                    {"abia", "hybrid_articulated_body"}, {"cfa", "constraint_force"},
                                    {"dca", "divide_and_conquer"},       {"dcae", "divide_and_conquer_efficient"}};

template <class E, std::size_t n>
E find(const char* kind, std::string_view name, const char* const (&names)[n]) {
  const std::string wanted = underscored(name);
  std::string listed;
  for (std::size_t k = 0; k < n; ++k) {
    if (wanted == names[k]) return static_cast<E>(k);
    listed += std::string(k == 0 ? "" : ", ") + names[k];
  }
  throw Error(std::string("no ") + kind + " is called \"" + std::string(name) + "\"; there are " + listed);
}

template <class E, std::size_t n>
const char* name_of(E value, const char* const (&names)[n]) {
  return static_cast<std::size_t>(value) < n ? names[static_cast<std::size_t>(value)] : "";
}

}  // namespace

Reference reference_from(std::string_view name) { return find<Reference>("reference", name, references); }
const char* to_string(Reference reference) { return name_of(reference, references); }
Method method_from(std::string_view name) {
  for (const auto& [alias, meaning] : method_aliases)
    if (underscored(name) == alias) return find<Method>("method", meaning, method_names);
  return find<Method>("method", name, method_names);
}
const char* to_string(Method method) { return name_of(method, method_names); }
Solver solver_from(std::string_view name) { return find<Solver>("solver", name, solvers); }
const char* to_string(Solver solver) { return name_of(solver, solvers); }
RightHandSide right_hand_side_from(std::string_view name) {
  return find<RightHandSide>("right-hand side", name, sides);
}
const char* to_string(RightHandSide side) { return name_of(side, sides); }
Form form_from(std::string_view name) { return find<Form>("form", name, forms); }
const char* to_string(Form form) { return name_of(form, forms); }

}  // namespace tandem
