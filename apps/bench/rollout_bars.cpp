// SPDX-License-Identifier: Apache-2.0
/// What rollouts are meant to reach, and what they reached in a run.
#include <fmt/format.h>

#include "bar_table.hpp"
#include "tables.hpp"

namespace tandem::bench {
namespace {

using enum BarTable::Better;

Key of(const char* algorithm, const std::string& robot, const char* precision, int threads, const char* variant) {
  Key key;
  key.algorithm = algorithm;
  key.robot = robot;
  key.library = "tandem";
  key.precision = precision;
  key.threads = threads;
  key.variant = variant;
  return key;
}

void add_against_mujoco(BarTable& table, const std::string& robot, const char* precision, double bar) {
  Key rival;
  rival.algorithm = "rollout";
  rival.robot = robot;
  rival.library = "mujoco_batch";
  rival.threads = 2;
  table.add(fmt::format("rollout, {}, {}, two threads: times MuJoCo's batch (double)", robot, precision), bar, larger,
            "", table.times_as_fast(of("rollout", robot, precision, 2, "-"), rival));
}

void add_against_dynamics(BarTable& table, const std::string& robot, const char* precision) {
  const Line* const step = table.line(of("rollout", robot, precision, 2, "-"));
  const Line* const dynamics = table.line(of("forward_dynamics", robot, precision, 2, "specialise wait"));
  MaybeFigure ratio;
  if (step && dynamics)
    ratio = {time_of(*step) / time_of(*dynamics),
             fmt::format("{:.4g} against {:.4g} ns", time_of(*step), time_of(*dynamics)),
             time_of(*step, "fastest") / time_of(*dynamics, "fastest")};
  table.add(fmt::format("a step of a rollout over forward dynamics of as many states, {}, {}", robot, precision), 1.25,
            smaller, "", ratio);
}

}  // namespace

void print_rollout_bars(const Lines& lines, std::FILE* file) {
  BarTable table(lines, file, 0);
  fmt::print(file,
             "\nSemi-implicit steps with joint torques of every step, without joint limits and losses; nanoseconds per "
             "step; medians "
             "of one run with the rivals, in parentheses by the fastest repetition of each.\n\n"
             "| bar | wanted | measured | from | |\n|---|---|---|---|---|\n");
  add_against_mujoco(table, "arm7", "float", 12);
  add_against_mujoco(table, "arm7", "double", 6);
  add_against_mujoco(table, "humanoid", "double", 6);
  add_against_mujoco(table, "humanoid", "float", 12);
  for (const char* robot : {"arm7", "humanoid"})
    for (const char* precision : {"double", "float"}) add_against_dynamics(table, robot, precision);
  table.finish();
  print_disturbance(lines, file);
}

}  // namespace tandem::bench
