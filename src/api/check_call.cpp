// SPDX-License-Identifier: Apache-2.0
#include "check_call.hpp"

#include <string>
#include <string_view>

#include "tandem/error.hpp"

namespace tandem {
namespace {

/// Arguments that are always needed are there, and those that an optional output is computed from. Columns without rows
/// need no memory.
template <class T>
void check_presence(const Algorithm& algorithm, const ModelView<T>& m, std::span<const Array<T>> arguments) {
  const auto fail = [&](const std::string& what) { throw Error(std::string(algorithm.name) + ": " + what); };
  const auto missing = [&](std::size_t k) {
    return !arguments[k].data && shape(algorithm.arguments[k].rows, m).count() > 0;
  };
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Argument& argument = algorithm.arguments[k];
    if (!is_optional(argument) && missing(k)) fail(std::string("argument ") + argument.name + " is missing");
    if (!arguments[k].data || !*argument.needs) continue;
    for (const char input : std::string_view(argument.needs))
      for (std::size_t i = 0; i < arguments.size(); ++i)
        if (algorithm.arguments[i].name == std::string_view(&input, 1) && missing(i))
          fail(std::string(argument.name) + " needs the argument " + input);
  }
}

}  // namespace

template <class T>
void check_call(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments) {
  if (arguments.size() != algorithm.arguments.size())
    throw Error(std::string(algorithm.name) + ": " + std::to_string(arguments.size()) + " arguments given, expected " +
                std::to_string(algorithm.arguments.size()));
  check_presence(algorithm, model.view<T>(), arguments);
}

template void check_call(const Algorithm&, const Model&, std::span<const Array<double>>);
template void check_call(const Algorithm&, const Model&, std::span<const Array<float>>);

}  // namespace tandem
