// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

#include "api/compare/counts.hpp"
#include "core/random.hpp"

namespace tandem::bench {

Work work_of_state(const std::string& algorithm, const Model& model, const std::string& precision) {
  const Algorithm& table = find_algorithm(algorithm);
  std::vector<std::vector<double>> inputs;
  Random random(5);
  Index rows = 0;
  for (const Argument& argument : table.arguments) {
    const bool optional = argument.role == Role::optional_input || argument.role == Role::optional_output;
    const Index count = shape(argument.rows, model.view<double>()).count();
    if (!optional) rows += count;
    if (argument.role == Role::output) continue;
    auto& input = inputs.emplace_back();
    if (optional) continue;
    if (argument.rows == Rows::q)
      input = random_configuration(model, 5);
    else
      for (Index k = 0; k < count; ++k) input.push_back(random.uniform(-1, 1));
  }
  return {static_cast<double>(work_of(table, model, inputs, {}).flops),
          static_cast<double>(rows) * (precision == "float" ? 4 : 8)};
}

}  // namespace tandem::bench
