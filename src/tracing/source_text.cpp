// SPDX-License-Identifier: Apache-2.0
/// Whole files of recorded functions.
#include "tandem/api/source_text.hpp"

#include <algorithm>
#include <cctype>

#include "core/text.hpp"
#include "tracing/cuda_text.hpp"
#include "tracing/looped_text.hpp"
#include "tracing/order.hpp"
#include "tracing/text.hpp"
#include "tandem/error.hpp"
#include "tandem/version.hpp"

namespace tandem {
namespace {

/// Letters, digits and underscores, the first no digit.
std::string identifier(const std::string& name) {
  std::string result;
  for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return result.empty() || std::isdigit(static_cast<unsigned char>(result.front())) ? "robot_" + result : result;
}

std::string sizes_of(const Shape& shape) {
  std::string text = "[";
  for (int k = 0; k < shape.rank; ++k) text += (k > 0 ? ", " : "") + std::to_string(shape.sizes[k]);
  return text + "]";
}

std::string comment_on(const RecordedFunction& function, const Algorithm& algorithm, const Model& model) {
  const auto order = depth_first(function);
  const auto operations = std::count_if(order.begin(), order.end(), [&](std::int32_t k) {
    return function.graph.nodes()[static_cast<std::size_t>(k)].operation != Operation::input;
  });
  std::string text = sentence("/// ", algorithm.name, ": ", algorithm.summary, ". ", operations,
                              " operations; at most ", most_alive(function, order), " numbers wait at a time.\n///\n");
  for (const RecordedColumn& column : function.columns) {
    if (column.rows.empty()) continue;
    const Argument& a = *column.argument;
    text +=
        sentence("/// ", is_input(a) ? "in   " : "out  ", a.name, " ", sizes_of(shape(a.rows, model.view<double>())),
                 "  ", a.meaning, *a.units ? sentence(", ", a.units) : std::string(), "\n");
  }
  return text;
}

bool takes(const Algorithm& algorithm, const std::string& optional) {
  return std::any_of(algorithm.arguments.begin(), algorithm.arguments.end(),
                     [&](const Argument& argument) { return is_optional(argument) && optional == argument.name; });
}

}  // namespace

std::string write_source_text(const Model& model, const SourceText& how) {
  for (const std::string& argument : how.optional)
    if (std::none_of(how.functions.begin(), how.functions.end(),
                     [&](const std::string& function) { return takes(find_algorithm(function), argument); }))
      throw Error(sentence("none of the functions has an optional argument ", in_quotes(argument)));
  if (how.loops && how.language == Language::cuda)
    throw Error("loops over limbs are written in C++ and C alone, not in CUDA C++");
  const std::string name = how.name_space.empty() ? identifier(model.name()) : how.name_space;
  if (name != identifier(name)) throw Error(sentence(in_quotes(name), " is no identifier"));
  const auto precision = how.in_float ? Graph::Precision::single_precision : Graph::Precision::double_precision;
  std::string text = sentence("// Made by Tandem ", TANDEM_VERSION, " for the robot ", in_quotes(model.name()), ": ",
                              model.n_joints(), " joints, nq = ", model.nq(), ", nv = ", model.nv(), ".\n");
  text += "// Gravity, armature and all other numbers of the robot are part of the text.\n";
  if (how.language == Language::cuda)
    text +=
        "// Compiled with -fmad=false it gives the bits that Tandem gives on processors with fused multiply-add.\n\n";
  else
    text += "#pragma once\n";
  if (how.language == Language::cpp) text += "#include <cmath>\n\nnamespace " + name + " {\n\n";
  text += prelude_text(how.language, precision);
  for (const std::string& wanted : how.functions) {
    const Algorithm& algorithm = find_algorithm(wanted);
    if (const std::string why = why_not_printed(algorithm); !why.empty())
      throw Error(sentence(algorithm.name, " ", why, ", and is not recorded"));
    std::vector<std::string> optional;
    for (const std::string& argument : how.optional)
      if (takes(algorithm, argument)) optional.push_back(argument);
    Options options = how.options;  // each function reads what it knows
    if (!algorithm.reads("frame")) options.frame = 0;
    if (!algorithm.reads("reference")) options.reference = Reference::local;
    const RecordedFunction function = record(algorithm, model, options, {.precision = precision, .optional = optional});
    const std::string comment = comment_on(function, algorithm, model);
    const std::string own = how.language == Language::cpp ? algorithm.name : name + "_" + algorithm.name;
    text += how.loops ? looped_text(function, model.view<double>(), how.language, own, comment)
                      : comment + function_text(function, how.language, own);
    text += "\n";
    if (how.language == Language::cuda)
      if (const TeamKernel kernel = team_kernel_text(function, own, model.view<double>()); kernel.teams > 0)
        text += sentence("/// The same by ", kernel.teams, " warps a block, which has 32 states.\n", kernel.text, "\n");
  }
  if (how.language == Language::cpp) text += "}  // namespace " + name + "\n";
  return text;
}

}  // namespace tandem
