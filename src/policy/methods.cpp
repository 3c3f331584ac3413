// SPDX-License-Identifier: Apache-2.0
#include "methods.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "api/algorithms.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "api/check_call.hpp"
#include "api/loops.hpp"

namespace tandem {
namespace {

const LinkKernels* find_link_kernels(const Algorithm& algorithm, Method method) {
  for (const LinkKernels& kernels : cpu::in_use().link_kernels)
    if (kernels.method == method && std::string_view(kernels.algorithm) == algorithm.name) return &kernels;
  return nullptr;
}

}  // namespace

bool is_own(const Algorithm& algorithm, Method method) {
  const auto& own = algorithm.methods;
  return method == Method::automatic || std::find(own.begin(), own.end(), method) != own.end();
}

const char* unread_option(unsigned read, const Options& given) {
  constexpr Options none;
  if (given == none) return nullptr;
  const char* unread = nullptr;
  for_each_option([&](const auto& option) {
    using Value = typename std::remove_cvref_t<decltype(option)>::Value;
    if (std::is_same_v<Value, Method> || (read & option.bit) || unread) return;
    if (option.get(given) != option.get(none)) unread = option.name;
  });
  return unread;
}

std::vector<Method> methods_of(const Algorithm& asked_for) {
  const Algorithm& algorithm = known(asked_for);
  std::vector<Method> methods(algorithm.methods.begin(), algorithm.methods.end());
  for (const LinkKernels& kernels : cpu::in_use().link_kernels)
    if (std::string_view(kernels.algorithm) == algorithm.name) methods.push_back(kernels.method);
  return methods;
}

const char* refusal(const Algorithm& asked_for, const Model& model, const Options& options) {
  const Algorithm& algorithm = known(asked_for);
  check_values(algorithm, options);
  if (const char* reason = refusal_of_loops(algorithm, model)) return reason;
  const LinkKernels* kernels = find_link_kernels(algorithm, options.method);
  return kernels ? kernels->refuses(model.view<double>(), options) : nullptr;
}

namespace {

/// Whether a name stands in a text as a word of its own.
bool names(std::string_view text, std::string_view name) {
  const auto is_letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (auto k = text.find(name); k != std::string_view::npos; k = text.find(name, k + 1))
    if ((k == 0 || !is_letter(text[k - 1])) && (k + name.size() == text.size() || !is_letter(text[k + name.size()])))
      return true;
  return false;
}

/// "scan", "scan or articulated_body", "scan, articulated_body or composite_rigid_body".
std::string listed(const std::vector<Method>& methods) {
  std::string all;
  for (std::size_t k = 0; k < methods.size(); ++k)
    all += sentence(k == 0 ? "" : k + 1 < methods.size() ? ", " : " or ", to_string(methods[k]));
  return all;
}

}  // namespace

std::string with_methods_that_serve(const char* reason, const Algorithm& algorithm, const Model& model) {
  const std::string text = reason;
  const auto end_of_reason = text.rfind("; ");
  if (end_of_reason == std::string::npos) return text;
  const std::string_view advice = std::string_view(text).substr(end_of_reason);
  bool holds = true;
  const std::vector<Method> own = methods_of(algorithm);
  for (const Named& row : NamesOf<Method>::table) {
    if (!names(advice, row.name)) continue;
    const auto method = from_name<Method>(row.name);
    holds = holds && std::find(own.begin(), own.end(), method) != own.end() &&
            !refusal(algorithm, model, {.method = method});
  }
  if (holds) return text;
  std::vector<Method> serve;
  for (const Method method : own)
    if (method != Method::automatic && !refusal(algorithm, model, {.method = method})) serve.push_back(method);
  if (serve.empty()) return text.substr(0, end_of_reason);
  return sentence(text.substr(0, end_of_reason), "; use ", listed(serve));
}

unsigned options_of(const Algorithm& algorithm, Method method) {
  const LinkKernels* kernels = find_link_kernels(algorithm, method);
  return kernels ? kernels->options : is_own(algorithm, method) ? algorithm.options : 0;
}

void check_values(const Algorithm& algorithm, const Options& options) {
  for_each_option([&](const auto& option) {
    using Value = typename std::remove_cvref_t<decltype(option)>::Value;
    if constexpr (HasNames<Value>) {
      const auto value = static_cast<std::size_t>(option.get(options));
      constexpr std::span<const Named> values = NamesOf<Value>::table;
      if (value >= values.size())
        refuse(algorithm, option.name, " is ", value, ", not a valid value; expected one of ",
               comma_separated(values, [](const Named& row) { return row.name; }));
    }
  });
}

void check_options(const Algorithm& algorithm, const Model& model, const Options& options) {
  if (options == Options{}) return;
  check_values(algorithm, options);
  if (options.steps < 1) refuse(algorithm, "steps is ", options.steps, ", expected 1 or more");
  const bool in_range = options.frame >= 0 && options.frame < model.n_frames();
  if (!in_range && algorithm.reads("frame"))
    refuse(algorithm, "frame ", options.frame, " does not exist; ", model.name(), " has the frames 0 to ",
           model.n_frames() - 1);
  for_each_option([&](const auto& option) {
    using Value = typename std::remove_cvref_t<decltype(option)>::Value;
    if constexpr (std::is_arithmetic_v<Value>)
      if (!option.is_of_problem() && !(option.get(options) >= 0))
        refuse(algorithm, option.name, " is ", option.get(options), ", expected 0 or more");
  });
}

const LinkKernels* link_method(const Algorithm& algorithm, const Model& model, const Options& options) {
  if (options == Options{}) return nullptr;
  const bool own = is_own(algorithm, options.method);
  const LinkKernels* kernels = own ? nullptr : find_link_kernels(algorithm, options.method);
  const auto method = to_string(options.method);
  if (!own && !kernels) {
    const std::string names = comma_separated(methods_of(algorithm), to_string<Method>);
    throw Error(sentence(algorithm.name, " has no method ", method,
                         names.empty() ? "; it has no methods" : "; expected one of ", names));
  }
  if (const char* name = unread_option(own ? algorithm.options : kernels->options, options)) {
    const std::string how = algorithm.methods.empty() ? "" : sentence(": method ", method);
    throw Error(sentence(algorithm.name, how, " does not use the option ", name));
  }
  if (kernels)
    if (const char* reason = kernels->refuses(model.view<double>(), options))
      refuse(algorithm, "method ", method, " does not support ", model.name(), ": ",
             with_methods_that_serve(reason, algorithm, model));
  return kernels;
}

}  // namespace tandem
