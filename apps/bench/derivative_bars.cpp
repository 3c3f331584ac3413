// SPDX-License-Identifier: Apache-2.0
/// What derivatives are meant to reach, and what they reached in a run.
#include <fmt/format.h>

#include "bar_table.hpp"
#include "tables.hpp"

namespace tandem::bench {
namespace {

using enum BarTable::Better;

constexpr std::pair<const char*, const char*> functions[] = {
    {"inverse_dynamics_derivatives", "derivatives of inverse dynamics"},
    {"forward_dynamics_derivatives", "derivatives of forward dynamics"}};

void add_against_pinocchio(BarTable& table, const char* robot, Index batch, const char* precision, double bar) {
  for (const auto& [algorithm, name] : functions)
    table.add(fmt::format("{}, {}, {}, {}: times Pinocchio (double)", name, robot,
                          batch == 1 ? "one state" : fmt::format("{} states", batch), precision),
              bar, larger, "",
              table.times_as_fast(table.ours(algorithm, robot, precision, {.batch = batch}),
                                  Key{.algorithm = algorithm, .robot = robot, .library = "pinocchio", .batch = batch}));
}

/// Automatic differentiation, in as many states as it takes at once.
void add_against_gradients(BarTable& table, const char* robot, const char* precision) {
  const auto& [algorithm, name] = functions[1];
  for (const char* library : {"mjx", "frax"}) {
    Key rival;
    rival.algorithm = algorithm;
    rival.robot = robot;
    rival.library = library;
    rival.precision = precision;
    table.add(fmt::format("{}, {}, {}: times jax.jacfwd of {}", name, robot, precision, library), 50, larger, "",
              table.times_as_fast(table.ours(algorithm, robot, precision), rival));
  }
}

/// What a gradient costs: the function and its product with weights.
void add_products(BarTable& table, const char* robot, Index batch, const char* precision) {
  for (const char* name : {"forward_dynamics", "inverse_dynamics"}) {
    const auto of = [&](const std::string& algorithm) {
      return table.ours(algorithm.c_str(), robot, precision, {.batch = batch});
    };
    table.add(fmt::format("{}_vjp, {}, {}, {}: times {}", name, robot,
                          batch == 1 ? "one state" : fmt::format("{} states", batch), precision, name),
              3, smaller, "", table.times_as_fast(of(name), of(std::string(name) + "_vjp")));
  }
}

}  // namespace

void print_derivative_bars(const Lines& lines, std::FILE* file) {
  BarTable table(lines, file, compared);
  fmt::print(file,
             "\nBoth matrices, by configuration and by velocity; one core; medians of one run with the rivals, in "
             "parentheses by the fastest repetition of each.\n\n"
             "| bar | wanted | measured | from | |\n|---|---|---|---|---|\n");
  for (const char* robot : {published_arm, published_humanoid}) {
    add_against_pinocchio(table, robot, 1, "double", 1.43);
    add_against_pinocchio(table, robot, compared, "double", 6);
    add_against_pinocchio(table, robot, compared, "float", 12);
  }
  for (const char* robot : {"arm7", "humanoid"})
    for (const char* precision : {"double", "float"}) {
      add_against_gradients(table, robot, precision);
      for (const Index batch : {Index{1}, Index{compared}}) add_products(table, robot, batch, precision);
    }
  table.finish();
  print_disturbance(lines, file);
}

}  // namespace tandem::bench
