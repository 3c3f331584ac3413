// SPDX-License-Identifier: Apache-2.0
/// What batches are meant to reach, and what they reached in a run.
#include <fmt/format.h>

#include "bar_table.hpp"
#include "tables.hpp"

namespace tandem::bench {
namespace {

constexpr const char* algorithms_of_bars[] = {"inverse_dynamics", "mass_matrix", "forward_dynamics"};

std::string named(const char* algorithm) {
  std::string name = algorithm;
  for (char& c : name)
    if (c == '_') c = ' ';
  return name;
}

void add_rates_against_pinocchio(BarTable& table) {
  using enum BarTable::Better;
  const auto add = [&](const char* algorithm, const char* robot, const char* precision, double bar) {
    table.add(fmt::format("{}, {}, {}: times the fastest Pinocchio (double)", named(algorithm), robot, precision), bar,
              larger, "",
              table.times_as_fast(table.ours(algorithm, robot, precision), table.rival(algorithm, robot, "pinocchio")));
  };
  add("forward_dynamics", "arm7", "double", 10);
  table.add("forward dynamics, arm7, double: times the code Pinocchio generates", 3.5, larger, "",
            table.times_as_fast(table.ours("forward_dynamics", "arm7", "double"),
                                table.rival("forward_dynamics", "arm7", "pinocchio_code_generation")));
  add("forward_dynamics", "arm7", "float", 20);
  for (const char* algorithm : {"inverse_dynamics", "mass_matrix"}) {
    add(algorithm, "arm7", "double", 8);
    add(algorithm, "arm7", "float", 16);
  }
  for (const char* algorithm : algorithms_of_bars) {
    add(algorithm, "humanoid", "double", 8);
    add(algorithm, "humanoid", "float", 16);
  }
  for (const char* algorithm : algorithms_of_bars)
    table.add(fmt::format("{}, arm7, double, AVX2 forced: times the fastest Pinocchio", named(algorithm)), 4, larger,
              "",
              table.times_as_fast(table.ours(algorithm, "arm7", "double", {.instruction_set = "avx2"}),
                                  table.rival(algorithm, "arm7", "pinocchio")));
}

void add_limits(BarTable& table) {
  using enum BarTable::Better;
  for (const char* precision : {"double", "float"}) {
    // operations are counted in code for any robot; code for one has fewer
    const Line* line = table.line(table.ours("forward_dynamics", "arm7", precision, {.variant = "-"}));
    MaybeFigure share;
    if (line && line->contains("share_of_fma_peak"))
      share = {line->at("share_of_fma_peak").get<double>() * 100,
               fmt::format("{:.3g} GFLOP/s counted", line->at("gflops").get<double>())};
    table.add(fmt::format("forward dynamics, arm7, {}: share of the core's FMA peak", precision), 40, larger, " %",
              share);
  }
  for (const Index batch : {compared, 16 * compared})
    table.add(fmt::format("forward dynamics, arm7, double, batch {}: two threads against one", batch), 1.9, larger, "",
              table.times_as_fast(table.ours("forward_dynamics", "arm7", "double", {.batch = batch, .threads = 2}),
                                  table.ours("forward_dynamics", "arm7", "double", {.batch = batch})));
  const Key in_rows = table.ours("forward_dynamics", "arm7", "double");
  const Line* rows = table.line(in_rows);
  const Line* columns = table.line(table.ours("forward_dynamics", "arm7", "double", {.layout = "row_batch"}));
  MaybeFigure cost;
  if (rows && columns)
    cost = {(time_of(*rows) / time_of(*columns) - 1) * 100,
            fmt::format("{:.4g} against {:.4g} ns for [row][batch]", time_of(*rows), time_of(*columns))};
  table.add("forward dynamics, arm7, double: transposing [batch][row] arrays costs", 10, smaller, " %", cost);
  const Key python = table.ours("forward_dynamics", "arm7", "double", {.library = "tandem_python"});
  table.add("forward dynamics, arm7, double, from Python: share of the C++ rate", 0.9, larger, "",
            table.times_as_fast(python, in_rows));
}

void add_accuracy(BarTable& table) {
  const std::pair<const char*, double> robots[] = {{"arm6", 5e-7}, {"arm7", 5e-7}, {"humanoid", 2e-6}};
  for (const auto& [robot, bar] : robots) {
    MaybeFigure error;
    for (const Line& line : table.lines()) {
      if (line.value("kind", "") != "accuracy" || line.value("robot", "") != robot) continue;
      const Line &random = line.at("error_with_random_forces"),
                 &harder = line.at("error_with_forces_of_unit_accelerations");
      error = {random.value("median", 0.0),
               fmt::format("{:.2g} at 90 %; with the forces of accelerations of up to 1: {:.2g}, {:.2g} at 90 %",
                           random.value("p90", 0.0), harder.value("median", 0.0), harder.value("p90", 0.0))};
    }
    table.add(fmt::format("forward dynamics, {}, float: relative error against double, median state", robot), bar,
              BarTable::Better::smaller, "", error);
  }
}

}  // namespace

void print_bars(const Lines& lines, std::FILE* file) {
  BarTable table(lines, file, compared);
  fmt::print(file,
             "\nBatches of {} states, one core unless said, instruction set {}; medians of one run with the rivals, in "
             "parentheses by the fastest repetition of each.\n\n"
             "| bar | wanted | measured | from | |\n|---|---|---|---|---|\n",
             compared, table.default_instruction_set());
  add_rates_against_pinocchio(table);
  add_limits(table);
  add_accuracy(table);
  table.finish();
  print_disturbance(lines, file);
}

}  // namespace tandem::bench
