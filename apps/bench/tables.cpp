// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tandem::bench {
namespace {

std::string with_blanks(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string text(const Line& line, const char* field) { return line.value(field, ""); }

/// A field in the digits asked for, or a dash.
std::string number(const Line& line, const char* field, double scale = 1, int digits = 3) {
  return line.contains(field) ? fmt::format("{:.{}g}", line[field].get<double>() * scale, digits) : "-";
}
std::string percent(const Line& line, const char* field) {
  return line.contains(field) ? fmt::format("{:.0f} %", line[field].get<double>() * 100) : "-";
}

/// Best and median in microseconds.
std::string cell(const Line* line) {
  return line ? fmt::format("{:.3g} ({:.3g})", time_of(*line, "fastest") / 1e3, time_of(*line) / 1e3) : "-";
}
std::string ratio(const Line* ours, const Line* rival) {
  return ours && rival ? fmt::format("{:.2g}", time_of(*ours, "fastest") / time_of(*rival, "fastest")) : "-";
}

/// Robots of the rows of an algorithm in the order in which they were measured.
std::vector<std::string> robots_of(const Lines& lines, const std::string& algorithm) {
  std::vector<std::string> robots;
  for (const Line& line : lines)
    if (text(line, "algorithm") == algorithm &&
        std::find(robots.begin(), robots.end(), text(line, "robot")) == robots.end())
      robots.push_back(text(line, "robot"));
  return robots;
}

}  // namespace

void print_context(const Lines& lines, std::FILE* file) {
  std::set<std::string> told;
  for (const Line& line : lines) {
    const auto or_dash = [&](const char* field) { return text(line, field).empty() ? "-" : text(line, field); };
    const std::string sentence = fmt::format(
        "{}; {}, {}; Pinocchio {}, MuJoCo {}; commit {}, {}\n", or_dash("processor"), or_dash("compiler"),
        or_dash("flags"), or_dash("pinocchio"), or_dash("mujoco"), or_dash("commit"), text(line, "date").substr(0, 10));
    if (told.insert(sentence).second) fmt::print(file, "{}", sentence);
  }
}

void print_serial_table(const Lines& lines, std::FILE* file) {
  fmt::print(
      file,
      "\nOne state at a time, one core, double; microseconds a call, best (median). A ratio is our best over the "
      "rival's fastest convention: below 1 is faster.\n\n"
      "| function | robot | Tandem | Pinocchio | its fastest convention | ratio | MuJoCo | ratio |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const char* algorithm : {"inverse_dynamics", "mass_matrix", "forward_dynamics", "forward_kinematics"})
    for (const std::string& robot : robots_of(lines, algorithm)) {
      const auto best = [&](const char* library) {
        return fastest(lines, {.algorithm = algorithm, .robot = robot, .library = library, .batch = 1}, "fastest");
      };
      const Line *ours = best("tandem"), *pinocchio = best("pinocchio"), *mujoco = best("mujoco");
      fmt::print(file, "| {} | {} | {} | {} | {} | {} | {} | {} |\n", with_blanks(algorithm), robot, cell(ours),
                 cell(pinocchio), pinocchio ? text(*pinocchio, "variant") : "-", ratio(ours, pinocchio), cell(mujoco),
                 ratio(ours, mujoco));
    }
}

void print_every_row(const Lines& lines, std::FILE* file) {
  if (std::none_of(lines.begin(), lines.end(), [](const Line& line) { return text(line, "kind") == "time"; })) return;
  fmt::print(
      file,
      "\n| algorithm | robot | batch | precision | instructions | layout | threads | library | ns a state | p10 to "
      "p90 | million states/s | GFLOP/s | share of FMA peak | GB/s | share of bandwidth |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Line& line : lines) {
    if (text(line, "kind") != "time") continue;
    const std::string variant = text(line, "variant");
    fmt::print(file, "| {} | {} | {} | {} | {} | {} | {} | {} | {:.4g} | {:.4g} to {:.4g} | {} | {} | {} | {} | {} |\n",
               with_blanks(text(line, "algorithm")), text(line, "robot"), line.value("batch", std::int64_t{1}),
               text(line, "precision"), text(line, "instruction_set"),
               text(line, "layout") == "row_batch" ? "[row][batch]" : "[batch][row]", line.value("threads", 1),
               with_blanks(text(line, "library")) + (variant.empty() ? "" : ", " + with_blanks(variant)), time_of(line),
               time_of(line, "p10"), time_of(line, "p90"), number(line, "states_per_second", 1e-6),
               number(line, "gflops"), percent(line, "share_of_fma_peak"), number(line, "gbytes_per_second"),
               percent(line, "share_of_bandwidth"));
  }
  for (const Line& line : lines) {
    if (text(line, "kind") != "accuracy") continue;
    for (const char* forces : {"error_with_random_forces", "error_with_forces_of_unit_accelerations"}) {
      const Line& error = line.at(forces);
      fmt::print(file,
                 "\nForward dynamics of {} in float against double, {} states, {}: {:.1e} at the median, {:.1e} at "
                 "90 %, {:.1e} at worst.\n",
                 text(line, "robot"), line.value("states", 0), with_blanks(forces), error.value("median", 0.0),
                 error.value("p90", 0.0), error.value("largest", 0.0));
    }
  }
}

}  // namespace tandem::bench
