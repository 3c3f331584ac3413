// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "accuracy.hpp"
#include "command_line/command_line.hpp"
#include "gradient_rows.hpp"
#include "measure.hpp"
#include "own_rows.hpp"
#include "rollout_rows.hpp"
#include "tables.hpp"

namespace tandem::bench {
namespace {

/// A suite: its robots, its rows and its table. Another one is another entry of `suites`.
struct Suite {
  const char* name;
  const char* summary;
  std::vector<std::string> robots;
  Lines (*measured)(const std::vector<std::string>& robots, const Settings&);
  void (*print)(const Lines&, std::FILE*);
};

Lines measure_serial(const std::vector<std::string>& robots, const Settings& settings) {
  Rows rows;
  for (const std::string& name : robots) {
    const RobotPointer robot = load_robot(name);
    add_tandem_rows(rows, robot);
    add_pinocchio_rows(rows, robot->plain);
    add_mujoco_rows(rows, robot->plain);
  }
  return measure(rows, settings);
}

std::vector<Index> batches(bool sweep) {
  if (!sweep) return {1, 16, 256, 4096, 65536};
  std::vector<Index> sizes;
  for (Index size = 1; size <= 1'048'576; size *= 2) sizes.push_back(size);
  return sizes;
}

Lines measure_batches(const std::vector<std::string>& robots, const Settings& settings) {
  const std::vector<Index> sizes = batches(settings.sweep);
  Rows rows;
  Lines lines;
  add_limit_rows(rows);
  for (const std::string& name : robots) {
    const RobotPointer robot = load_robot(name, std::max(sizes.back(), 16 * compared));
    add_tandem_batch_rows(rows, robot, sizes);
    add_pinocchio_batch_rows(rows, robot->plain);
    add_pinocchio_pool_rows(rows, robot->plain);
    add_pinocchio_code_generation_rows(rows, robot->plain);
    add_mujoco_batch_rows(rows, robot->plain);
    lines.push_back(float_accuracy(*robot));
  }
  const Lines times = measure(rows, settings);
  lines.insert(lines.begin(), times.begin(), times.end());
  add_shares(lines);
  return lines;
}

/// Robots of others that are at hand beside the checkout.
std::vector<std::string> with_robots_at_hand(std::vector<std::string> robots) {
  for (const char* robot :
       {"kuka_iiwa14/iiwa14_primitive_collision.urdf", "unitree_g1/g1_29dof_rev_1_0.urdf+floating"}) {
    const std::string path = std::string(TANDEM_BENCH_SOURCE "/../shared/models/urdf/") + robot;
    if (std::filesystem::exists(path.substr(0, path.find('+')))) robots.push_back(path);
  }
  return robots;
}

Lines measure_generated(const std::vector<std::string>& robots, const Settings& settings) {
  Rows rows;
  Lines assembly;
  add_limit_rows(rows);
  for (const std::string& name : robots) {
    const RobotPointer robot = load_robot(name, compared);
    for (Line& line : assembly_of(*robot, settings.repetitions)) assembly.push_back(std::move(line));
    add_generated_rows(rows, robot);
    add_pinocchio_batch_rows(rows, robot->plain);
    add_pinocchio_code_generation_rows(rows, robot->plain);
  }
  Lines lines = measure(rows, settings);
  add_shares(lines);
  lines.insert(lines.end(), assembly.begin(), assembly.end());
  return lines;
}

/// A million links are measured less often.
int links_repetitions(const Row& row, const Settings& settings) {
  return row.robot.ends_with("00000") ? std::max(3, settings.repetitions / 5) : settings.repetitions;
}

Lines measure_links(const std::vector<std::string>& robots, const Settings& settings) {
  const std::vector<Method> compared_methods = {Method::articulated_body, Method::scan};
  Lines accuracy = chain_accuracy({{2, 16, 64, 256, 1024, 4096, 100000}, {"forward_dynamics"}, compared_methods});
  const Lines balls = ball_joint_accuracy(compared_methods);
  accuracy.insert(accuracy.end(), balls.begin(), balls.end());
  Rows rows;
  for (const std::string& name : robots) {
    const RobotPointer robot = load_robot(name);
    if (robot->model.n_links() > 500'000) accuracy.push_back(memory_of_scan(name));
    add_tandem_links_rows(rows, robot);
    Rows rivals;
    if (robot->model.nv() <= 256) add_pinocchio_rows(rivals, robot->plain);
    if (robot->model.nv() >= 256) add_mujoco_rows(rivals, robot->plain);
    std::erase_if(rivals, [](const Row& row) {
      return row.algorithm == "forward_kinematics" || row.variant.starts_with("nle_crba");
    });
    rows.insert(rows.end(), rivals.begin(), rivals.end());
  }
  add_limit_rows(rows);
  Lines lines = measure(rows, settings, [&](const Row& row) { return links_repetitions(row, settings); });
  lines.insert(lines.end(), accuracy.begin(), accuracy.end());
  return lines;
}

/// Calls of seconds are measured less often.
Lines measure_rollouts(const std::vector<std::string>& robots, const Settings& settings) {
  Rows rows;
  add_limit_rows(rows);
  for (const std::string& name : robots) {
    const RolloutSize size = rollout_size(load_robot(name)->model);
    const RobotPointer robot = load_robot(name, size.instances);
    const auto forces = rollout_forces(robot->model, size);
    add_tandem_rollout_rows(rows, robot, size, *forces);
    add_mujoco_rollout_rows(rows, robot->plain, size, forces);
  }
  return measure(rows, settings, [&](const Row& row) {
    return row.library == "mujoco_batch" ? std::max(3, settings.repetitions / 4) : settings.repetitions;
  });
}

Lines measure_derivatives(const std::vector<std::string>& robots, const Settings& settings) {
  Rows rows;
  add_limit_rows(rows);
  for (const std::string& name : robots) {
    const RobotPointer robot = load_robot(name, compared);
    add_derivative_rows(rows, robot);
    Rows rivals;
    add_pinocchio_rows(rivals, robot->plain);
    add_pinocchio_batch_rows(rivals, robot->plain);
    std::erase_if(rivals, [](const Row& row) {
      return !row.algorithm.ends_with("_derivatives") && row.algorithm != "inverse_mass_matrix";
    });
    rows.insert(rows.end(), rivals.begin(), rivals.end());
  }
  Lines lines = measure(rows, settings);
  add_shares(lines);
  return lines;
}

Lines measure_gradients(const std::vector<std::string>& robots, const Settings& settings) {
  Rows rows;
  add_limit_rows(rows);
  for (const std::string& name : robots) add_gradient_rows(rows, load_robot(name, instances_of_gradients));
  return measure(rows, settings);
}

Lines measure_accuracy(const std::vector<std::string>& robots, const Settings&) {
  if (!robots.empty()) throw Error("the suite accuracy makes its own chains; it takes no robots");
  Lines lines = chain_accuracy(
      {{2, 4, 16, 64, 256, 512, 1024, 4096, 16384, 100000}, {"forward_dynamics", "inverse_dynamics", "mass_matrix"}});
  const Lines balls = ball_joint_accuracy();
  lines.insert(lines.end(), balls.begin(), balls.end());
  return lines;
}

const std::vector<Suite>& suites() {
  static const std::vector<Suite> all = {
      {"serial",
       "one state at a time, one core",
       {"arm7", "quadruped", "humanoid", "chain:10", "chain:100", "chain:1000"},
       measure_serial,
       print_serial_table},
      {"batches",
       "batches of states over lanes and threads",
       {"arm7", "arm6", "quadruped", "humanoid"},
       measure_batches,
       print_bars},
      {"generated", "kernels compiled for one robot and generic kernels", with_robots_at_hand({"arm7", "humanoid"}),
       measure_generated, print_generated_bars},
      {"links",
       "one chain at a time, of 16 to a million links",
       {"chain:16", "chain:32", "chain:64", "chain:128", "chain:256", "chain:1000", "chain:1024", "chain:4096",
        "chain:16384", "chain:100000", "chain:1000000"},
       measure_links,
       print_links_bars},
      {"rollouts",
       "many robots, a hundred steps a call, beside MuJoCo's batches",
       {"arm7", "humanoid"},
       measure_rollouts,
       print_rollout_bars},
      {"derivatives", "derivatives of the dynamics, one state and batches, beside Pinocchio's",
       with_robots_at_hand({"arm7", "humanoid", "chain:100", "chain:300"}), measure_derivatives, print_derivative_bars},
      {"gradients",
       "gradients through a hundred steps of 64 robots, beside the rollouts and gradients of MJX and frax",
       {"arm7", "humanoid", "quadruped"},
       measure_gradients,
       print_gradient_bars},
      {"accuracy",
       "errors of every method on chains of four families against long double",
       {},
       measure_accuracy,
       print_accuracy},
  };
  return all;
}

const Suite& suite_named(const std::string& name) {
  std::string names;
  for (const Suite& suite : suites()) {
    if (suite.name == name) return suite;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", suite.name);
  }
  throw Error(fmt::format("no suite is called \"{}\"; there are {}", name, names));
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File opened(const std::string& path, const char* mode) {
  File file(std::fopen(path.c_str(), mode), std::fclose);
  if (!file) throw Error(fmt::format("cannot write {}", path));
  return file;
}

/// Refused now rather than after minutes of measuring.
void check(const Suite& suite, const Settings& settings) {
  if (settings.sweep && suite.name != std::string_view("batches"))
    throw Error(fmt::format("--sweep is for the suite batches, not {}", suite.name));
  for (const std::string* path : {&settings.out, &settings.markdown})
    if (!path->empty()) opened(*path, "a");
}

void print_absent_rivals() {
  if (pinocchio_version().empty()) fmt::print("Pinocchio: not built in; scripts/bench builds it\n");
  if (mujoco_version().empty()) fmt::print("MuJoCo: not built in; scripts/bench builds it\n");
}

}  // namespace

void add_options(cli::Command& command, Settings& settings) {
  std::string known;
  for (const Suite& suite : suites())
    known += fmt::format("{}{} ({})", known.empty() ? "" : "; ", suite.name, suite.summary);
  command.option("ROBOT", settings.robots, "robots as other commands take them; the suite's own if none is given");
  command.option("--suite", settings.suite, known, {.type = "NAME", .shows_default = true});
  command.option("--repetitions", settings.repetitions, "of every row; the table shows medians",
                 {.type = "N", .check = cli::number_above_zero(), .shows_default = true});
  command.option("--min-time", settings.least_milliseconds, "milliseconds that a repetition takes at least",
                 {.type = "MS", .check = cli::number_above_zero(), .shows_default = true});
  command.flag("--sweep", settings.sweep, "batches of 1, 2, 4, 8, ... to a million states (suite batches)");
  command.option("--out", settings.out, "write the results there, a JSON object a line", {.type = "FILE"});
  command.option("--markdown", settings.markdown, "write a table of every row there", {.type = "FILE"});
  command.option("--table", settings.table, "measure nothing: print the table of these results", {.type = "FILE"});
}

void run(const Settings& settings) {
  Lines lines;
  if (!settings.table.empty()) lines = read(settings.table);
  const Suite& suite = suite_named(lines.empty() ? settings.suite : lines.front().value("suite", settings.suite));
  check(suite, settings);
  if (settings.table.empty()) {
    Line head = {{"suite", suite.name}};
    head.update(context());
    lines = suite.measured(settings.robots.empty() ? suite.robots : settings.robots, settings);
    for (Line& line : lines) {
      Line whole = head;
      whole.update(line);
      line = std::move(whole);
    }
    if (!settings.out.empty()) write(settings.out, lines);
    print_absent_rivals();
  }
  print_context(lines, stdout);
  suite.print(lines, stdout);
  if (settings.markdown.empty()) return;
  const File file = opened(settings.markdown, "w");
  print_context(lines, file.get());
  suite.print(lines, file.get());
  print_every_row(lines, file.get());
}

}  // namespace tandem::bench
