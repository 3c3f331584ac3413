// SPDX-License-Identifier: Apache-2.0
#include "scalars/bodies.hpp"

#include "core/random.hpp"
#include "tandem/api/functions.hpp"

namespace tandem::test {

Columns<double> random_arguments(std::span<const Argument> arguments, const Model& model, std::uint64_t seed,
                                 Optional optional) {
  Random random(seed);
  Columns<double> columns;
  for (const Argument& a : arguments) {
    auto& column = columns.emplace_back();
    if (is_optional(a) && optional == Optional::left_out) continue;
    column.resize(static_cast<std::size_t>(shape(a.rows, model.view<double>()).count()));
    if (!is_input(a)) continue;
    if (a.rows == Rows::q)
      column = random_configuration(model, random.bits());
    else if (std::string_view(a.name) == "dt")
      column = {random.uniform(1e-3, 2e-3)};
    else if (a.rows != Rows::stop)  // positive: one of them is added to the diagonal of the mass matrix
      for (double& x : column) x = random.uniform(0.1, 1);
  }
  return columns;
}

void run_in_double(const char* algorithm, const Model& model, const Options& options, Columns<double>& columns) {
  std::vector<Array<double>> arrays;
  for (auto& column : columns) arrays.push_back({column.empty() ? nullptr : column.data(), 0});
  Workspace<double> work;
  evaluate<double>(find_algorithm(algorithm), model, arrays, 1, work, options);
}

const std::vector<std::string>& robots_for_scalars() {
  static const std::vector<std::string> names = {
      "every_joint", "tree:12",  "mimic_chain", "mimic_branches", "mimic_prismatic+floating",
      "passive",     "armature", "humanoid"};
  return names;
}

}  // namespace tandem::test
