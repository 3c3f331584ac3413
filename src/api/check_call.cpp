// SPDX-License-Identifier: Apache-2.0
#include "check_call.hpp"

#include <string_view>

namespace tandem {
/// Columns without rows need no memory.
template <class T>
void check_call(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments) {
  if (arguments.size() != algorithm.arguments.size())
    refuse(algorithm, arguments.size(), " arguments given, expected ", algorithm.arguments.size());
  const auto missing = [&](std::size_t k) {
    return !arguments[k].data && shape(algorithm.arguments[k].rows, model.view<T>()).count() > 0;
  };
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Argument& argument = algorithm.arguments[k];
    if (!is_optional(argument) && missing(k)) refuse(algorithm, "argument ", argument.name, " is missing");
    if (!arguments[k].data || !*argument.needs) continue;
    for (const char input : std::string_view(argument.needs))
      for (std::size_t i = 0; i < arguments.size(); ++i)
        if (algorithm.arguments[i].name == std::string_view(&input, 1) && missing(i))
          refuse(algorithm, argument.name, " needs the argument ", input);
  }
}

template void check_call(const Algorithm&, const Model&, std::span<const Array<double>>);
template void check_call(const Algorithm&, const Model&, std::span<const Array<float>>);

}  // namespace tandem
