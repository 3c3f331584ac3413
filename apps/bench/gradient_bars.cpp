// SPDX-License-Identifier: Apache-2.0
/// What gradients through time take beside the rollouts that they go back through, and what that is meant to be.
#include "bar_table.hpp"
#include "gradient_rows.hpp"
#include "tables.hpp"

namespace tandem::bench {
namespace {

using enum BarTable::Better;

constexpr const char* robots_of_bars[] = {"arm7", "humanoid", "quadruped"};
constexpr const char* precisions[] = {"double", "float"};
/// Variants of the rows, and how they are called.
constexpr std::pair<const char*, const char*> steps_of_bars[] = {
    {"", "semi_implicit_euler"},
    {"stops and losses", "semi_implicit_euler, stops and losses"},
    {"rk4", "rk4"},
    {"rk4, stops and losses", "rk4, stops and losses"},
    {"implicit_midpoint", "implicit_midpoint"},
    {"implicit_midpoint, stops and losses", "implicit_midpoint, stops and losses"}};

Key of(const char* algorithm, const char* robot, const char* precision, const std::string& variant) {
  return {.algorithm = algorithm,
          .robot = robot,
          .library = "tandem",
          .precision = precision,
          .threads = 1,
          .variant = variant.empty() ? "-" : variant};
}

/// A gradient's time a step, and how many times the rollout's that is.
std::string beside(const Line* gradient, const Line& rollout) {
  return gradient ? fmt::format("{:.3g} ({:.2f})", time_of(*gradient) / 1e3, time_of(*gradient) / time_of(rollout))
                  : "-";
}

void print_times(const BarTable& table, std::FILE* file) {
  fmt::print(file,
             "\nGradients of {} robots over 100 steps, one core: microseconds a step of a robot, median, and in "
             "parentheses how many times the rollout's.\n\n| robot | steps | precision | rollout | gradient |",
             instances_of_gradients);
  for (const Index kept : kept_states) fmt::print(file, " {} |", gradient_variant("", kept));
  fmt::print(file, "\n|---|---|---|---|---|---|---|\n");
  for (const char* robot : robots_of_bars)
    for (const auto& [variant, name] : steps_of_bars)
      for (const char* precision : precisions) {
        const Line* const rollout = table.line(of("rollout", robot, precision, variant));
        if (!rollout) continue;
        const auto gradient = [&](Index kept) {
          return beside(table.line(of("rollout_gradient", robot, precision, gradient_variant(variant, kept))),
                        *rollout);
        };
        fmt::print(file, "| {} | {} | {} | {:.3g} | {} |", robot, name, precision, time_of(*rollout) / 1e3,
                   gradient(0));
        for (const Index kept : kept_states) fmt::print(file, " {} |", gradient(kept));
        fmt::print(file, "\n");
      }
}

/// Automatic differentiation of semi-implicit steps.
void add_against_automatic_ones(BarTable& table, const char* robot, const char* precision) {
  for (const char* library : {"mjx", "frax"})
    table.add(fmt::format("gradient through time, {}, {}: times jax.grad of {}", robot, precision, library), 50, larger,
              "",
              table.times_as_fast(of("rollout_gradient", robot, precision, ""), Key{.algorithm = "rollout_gradient",
                                                                                    .robot = robot,
                                                                                    .library = library,
                                                                                    .precision = precision}));
}

}  // namespace

void print_gradient_bars(const Lines& lines, std::FILE* file) {
  BarTable table(lines, file, 0);
  print_times(table, file);
  fmt::print(
      file,
      "\nAll states kept; medians of one run with the rivals, in parentheses by the fastest repetition of each.\n\n"
      "| bar | wanted | measured | from | |\n|---|---|---|---|---|\n");
  for (const char* robot : robots_of_bars)
    for (const char* precision : precisions) {
      for (const auto& [variant, name] : steps_of_bars)
        table.add(fmt::format("VJP through time over the rollout, {}, {}, {}", robot, name, precision), 5, smaller, "",
                  table.times_as_fast(of("rollout", robot, precision, variant),
                                      of("rollout_gradient", robot, precision, variant)));
      add_against_automatic_ones(table, robot, precision);
    }
  table.finish();
  print_disturbance(lines, file);
}

}  // namespace tandem::bench
