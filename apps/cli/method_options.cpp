// SPDX-License-Identifier: Apache-2.0
#include "method_options.hpp"

#include <fmt/format.h>

namespace tandem::cli {

void MethodOptions::add_to(Command& command) {
  for_each_option([&](const auto& option) {
    using Value = typename std::remove_cvref_t<decltype(option)>::Value;
    if (option.is_of_problem()) return;
    const std::string flag = "--" + dashed(option.name);
    if constexpr (HasNames<Value>) {
      std::string& text = names.emplace(option.name, to_string(Value{})).first->second;
      command.option(flag, text, fmt::format("{}: {}", option.meaning, values_of<Value>()),
                     {.type = "NAME", .shows_default = true, .group = "Method"});
    } else {
      const bool whole = std::is_integral_v<Value>;
      command.option(
          flag, option.get(numbers), option.meaning,
          {.type = whole ? "N" : "X", .check = whole ? whole_number_from(1) : number_above_zero(), .group = "Method"});
    }
  });
}

void MethodOptions::read(const Algorithm& algorithm, Options& options) const {
  for_each_option([&](const auto& option) {
    using Value = typename std::remove_cvref_t<decltype(option)>::Value;
    if (option.is_of_problem()) return;
    if constexpr (HasNames<Value>)
      option.get(options) = from_name<Value>(names.at(option.name));
    else
      option.get(options) = option.get(numbers);
  });
  if (methods_of(algorithm).empty() && options.method != Method::automatic)
    throw Error(fmt::format("{} has no method {}; it has no methods", algorithm.name, to_string(options.method)));
}

namespace {

/// Calls f with the options that say how far and how a state is stepped.
template <class F>
void for_each_step_option(F&& f) {
  for_each_option([&](const auto& option) {
    const std::string_view name = option.name;
    if (option.is_of_problem() && name != "frame" && name != "reference") f(option);
  });
}

}  // namespace

void StepOptions::add_to(Command& command) {
  for_each_step_option([&](const auto& option) {
    using Value = typename std::remove_cvref_t<decltype(option)>::Value;
    const std::string flag = "--" + dashed(option.name);
    if constexpr (HasNames<Value>) {
      std::string& text = names.emplace(option.name, to_string(option.get(numbers))).first->second;
      command.option(flag, text, fmt::format("{}: {}", option.meaning, values_of<Value>()),
                     {.type = "NAME", .shows_default = true, .group = "Steps"});
    } else {
      command.option(flag, option.get(numbers), option.meaning,
                     {.type = "N", .check = whole_number_from(1), .shows_default = true, .group = "Steps"});
    }
  });
}

void StepOptions::read(Options& options) const {
  for_each_step_option([&](const auto& option) {
    using Value = typename std::remove_cvref_t<decltype(option)>::Value;
    if constexpr (HasNames<Value>)
      option.get(options) = from_name<Value>(names.at(option.name));
    else
      option.get(options) = option.get(numbers);
  });
}

std::string explained(const Choice& choice) {
  std::string text = "method " + dashed(to_string(choice.options.method));
  if (choice.options.chunk > 0) text += fmt::format(", {} links per chunk", choice.options.chunk);
  return text + ": " + choice.why;
}

}  // namespace tandem::cli
