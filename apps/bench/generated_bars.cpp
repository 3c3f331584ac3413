// SPDX-License-Identifier: Apache-2.0
/// What code for one robot is meant to reach, and what it reached in a run.
#include <fmt/format.h>

#include "bar_table.hpp"
#include "tables.hpp"

namespace tandem::bench {
namespace {

using enum BarTable::Better;

constexpr const char* generated = "specialise wait";

std::string named(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// The set that the library takes by itself: that of single states.
std::string own_set(const BarTable& table) {
  const Line* line = table.line({.library = "tandem", .batch = 1});
  return line ? line->value("instruction_set", "") : "";
}

void add_times(BarTable& table, const char* algorithm, const std::string& robot, const char* precision, double bar) {
  for (const char* layout : {"batch_row", "row_batch"}) {
    MaybeFigure time;
    if (const Line* line = table.line(table.ours(
            algorithm, robot, precision, {.instruction_set = own_set(table), .layout = layout, .variant = generated})))
      time = {time_of(*line), "the whole call", time_of(*line, "fastest")};
    table.add(fmt::format("{}, {}, {}, {}", named(algorithm), robot, precision,
                          layout == std::string("row_batch") ? "[row][batch]" : "[batch][row]"),
              bar, smaller, " ns", time);
  }
}

/// The longest time that any function of a robot takes to be recorded and assembled.
void add_making(BarTable& table, const std::string& robot, double bar) {
  MaybeFigure time;
  for (const Line& line : table.lines()) {
    if (line.value("kind", "") != "assembly" || line.value("robot", "") != robot) continue;
    const Line& ms = line.at("milliseconds");
    if (!time || ms.at("median").get<double>() > time->value)
      time = {ms.at("median").get<double>(),
              fmt::format("{}, {}, {}", named(line.value("algorithm", "")), line.value("precision", ""),
                          line.value("instruction_set", "")),
              ms.at("fastest").get<double>()};
  }
  table.add(fmt::format("record and assemble a function of {}", robot), bar, smaller, " ms", time);
}

}  // namespace

void print_generated_bars(const Lines& lines, std::FILE* file) {
  BarTable table(lines, file, compared);
  fmt::print(
      file,
      "\nCode for one robot, batches of {} states, one core, instruction set {} unless said; medians of one run, "
      "in parentheses by the fastest repetition of each.\n\n"
      "| bar | wanted | measured | from | |\n|---|---|---|---|---|\n",
      compared, own_set(table));
  for (const auto& [algorithm, in_double, in_float] :
       {std::tuple("forward_dynamics", 38, 19), {"inverse_dynamics", 24, 13}, {"mass_matrix", 36, 18}}) {
    add_times(table, algorithm, published_arm, "double", in_double);
    add_times(table, algorithm, published_arm, "float", in_float);
  }
  add_times(table, "forward_dynamics", published_humanoid, "double", 280);
  add_times(table, "inverse_dynamics", published_humanoid, "double", 150);
  for (const char* robot : {published_arm, published_humanoid})
    for (const char* algorithm : {"inverse_dynamics", "mass_matrix", "forward_dynamics"})
      table.add(
          fmt::format("{}, {}, double, AVX2: speedup over generic kernels", named(algorithm), robot), 1.8, larger, "",
          table.times_as_fast(table.ours(algorithm, robot, "double", {.instruction_set = "avx2", .variant = generated}),
                              table.ours(algorithm, robot, "double", {.instruction_set = "avx2", .variant = "-"})));
  for (const char* algorithm : {"inverse_dynamics", "forward_dynamics", "mass_matrix"})
    table.add(
        fmt::format("{}, {}, one state, double: times Pinocchio's generated code", named(algorithm), published_arm),
        1 / 0.6, larger, "",
        table.times_as_fast(table.ours(algorithm, published_arm, "double",
                                       {.instruction_set = own_set(table), .batch = 1, .variant = generated}),
                            table.rival(algorithm, published_arm, "pinocchio_code_generation")));
  add_making(table, published_arm, 50);
  add_making(table, published_humanoid, 300);
  table.finish();
  print_disturbance(lines, file);
}

}  // namespace tandem::bench
