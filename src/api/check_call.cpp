// SPDX-License-Identifier: Apache-2.0
#include "check_call.hpp"

#include <string>
#include <string_view>

#include "tandem/error.hpp"

namespace tandem {
namespace {

const Argument* needed(const Algorithm& algorithm, std::string_view name) {
  for (const Argument& argument : algorithm.arguments)
    if (argument.name == name) return &argument;
  return nullptr;
}

/// A velocity cannot be computed without v, an acceleration not without v and a. Columns without rows need no memory.
template <class T>
void check_presence(const Algorithm& algorithm, const ModelView<T>& m, std::span<const Array<T>> arguments) {
  const auto is_empty = [&](const Argument& argument) { return shape(argument.rows, m).count() == 0; };
  const auto given = [&](std::string_view name) {
    const Argument* argument = needed(algorithm, name);
    return argument == nullptr || is_empty(*argument) ||
           arguments[static_cast<std::size_t>(argument - algorithm.arguments.data())].data;
  };
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Argument& argument = algorithm.arguments[k];
    const bool optional = argument.role == Role::optional_input || argument.role == Role::optional_output;
    if (!arguments[k].data && !optional && !is_empty(argument))
      throw Error(std::string(algorithm.name) + ": argument " + argument.name + " is missing");
    if (!arguments[k].data || argument.role != Role::optional_output) continue;
    const std::string_view name = argument.name;
    if ((name == "velocity" || name == "acceleration") && !given("v"))
      throw Error(std::string(algorithm.name) + ": " + argument.name + " needs the argument v");
    if (name == "acceleration" && !given("a"))
      throw Error(std::string(algorithm.name) + ": acceleration needs the argument a");
  }
}

}  // namespace

template <class T>
void check_call(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
                const Options& options) {
  if (arguments.size() != algorithm.arguments.size())
    throw Error(std::string(algorithm.name) + ": " + std::to_string(arguments.size()) + " arguments given, expected " +
                std::to_string(algorithm.arguments.size()));
  check_presence(algorithm, model.view<T>(), arguments);
  if (algorithm.reads("frame") && (options.frame < 0 || options.frame >= model.n_frames()))
    throw Error(std::string(algorithm.name) + ": frame " + std::to_string(options.frame) + " does not exist; " +
                model.name() + " has the frames 0 to " + std::to_string(model.n_frames() - 1));
  for_each_option([&](const auto& option) {
    using Value = typename std::remove_cvref_t<decltype(option)>::Value;
    if constexpr (std::is_arithmetic_v<Value>)
      if (!option.is_of_problem() && !(option.get(options) >= 0))
        throw Error(std::string(algorithm.name) + ": " + option.name + " is " + std::to_string(option.get(options)) +
                    ", expected 0 or more");
  });
}

template void check_call(const Algorithm&, const Model&, std::span<const Array<double>>, const Options&);
template void check_call(const Algorithm&, const Model&, std::span<const Array<float>>, const Options&);

}  // namespace tandem
