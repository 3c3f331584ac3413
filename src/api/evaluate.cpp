// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/evaluate.hpp"

#include <algorithm>
#include <string>

#include "backends/cpu/table.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

std::string underscored(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

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

std::span<const Algorithm> algorithms() { return cpu_algorithms(); }

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

template <class T>
void evaluate(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments, Index batch,
              Workspace<T>& work, const Options& options) {
  if (arguments.size() != algorithm.arguments.size())
    throw Error(std::string(algorithm.name) + ": " + std::to_string(arguments.size()) + " arguments given, expected " +
                std::to_string(algorithm.arguments.size()));
  check_presence(algorithm, model.view<T>(), arguments);
  if (algorithm.reads_frame && (options.frame < 0 || options.frame >= model.n_frames()))
    throw Error(std::string(algorithm.name) + ": frame " + std::to_string(options.frame) + " does not exist; " +
                model.name() + " has the frames 0 to " + std::to_string(model.n_frames() - 1));
  const auto& run = run_of<T>(algorithm);
  const auto& view = model.view<T>();
  run.batch(view, options, arguments.data(), 0, batch, work.reserve(run.work_rows(view, options)));
}

template void evaluate<double>(const Algorithm&, const Model&, std::span<const Array<double>>, Index,
                               Workspace<double>&, const Options&);
template void evaluate<float>(const Algorithm&, const Model&, std::span<const Array<float>>, Index, Workspace<float>&,
                              const Options&);

Reference reference_from(std::string_view name) {
  const std::string wanted = underscored(name);
  for (const Reference r : {Reference::local, Reference::world, Reference::local_world_aligned})
    if (wanted == to_string(r)) return r;
  throw Error("no reference is called \"" + std::string(name) + "\"; there are local, world, local_world_aligned");
}

const char* to_string(Reference reference) {
  switch (reference) {
    case Reference::local: return "local";
    case Reference::world: return "world";
    case Reference::local_world_aligned: return "local_world_aligned";
  }
  return "";
}

Method method_from(std::string_view name) {
  const std::string wanted = underscored(name);
  if (wanted == "aba") return Method::articulated_body;
  if (wanted == "crba") return Method::composite_rigid_body;
  for (const Method m : {Method::automatic, Method::articulated_body, Method::composite_rigid_body})
    if (wanted == to_string(m)) return m;
  throw Error("no method is called \"" + std::string(name) +
              "\"; there are automatic, articulated_body, composite_rigid_body");
}

const char* to_string(Method method) {
  switch (method) {
    case Method::automatic: return "automatic";
    case Method::articulated_body: return "articulated_body";
    case Method::composite_rigid_body: return "composite_rigid_body";
  }
  return "";
}

}  // namespace tandem
