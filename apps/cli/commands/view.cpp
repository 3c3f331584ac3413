// SPDX-License-Identifier: Apache-2.0
/// tandem view: a robot or a recorded motion in a browser, by the Python package tandem.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "cli.hpp"
#include "program.hpp"

namespace tandem::cli {
namespace {

struct ViewOptions {
  RobotOptions robot;
  std::string trajectory, instances, host = "127.0.0.1";
  bool ghosts = false, no_open = false;
  std::int64_t port = 8080;
};

std::vector<std::string> words_of(const ViewOptions& options) {
  std::vector<std::string> words = {python_interpreter(), "-m", "tandem._view.command", options.robot.robot};
  if (!options.trajectory.empty()) words.push_back(options.trajectory);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.push_back(fmt::format("{}={}", option, value));
  };
  if (options.robot.floating) words.emplace_back("--floating");
  add("--gravity", options.robot.gravity);
  if (options.robot.seed != RobotOptions().seed) add("--seed", std::to_string(options.robot.seed));
  add("--instances", options.instances);
  for (const std::string& folder : options.robot.packages) add("--packages", folder);
  if (options.ghosts) words.emplace_back("--ghosts");
  if (options.no_open) words.emplace_back("--no-open");
  add("--host", options.host);
  add("--port", std::to_string(options.port));
  return words;
}

/// Python takes the place of this program: Ctrl-C and other signals are its own.
int view(const ViewOptions& options) {
  const std::vector<std::string> words = words_of(options);
  check_python_package({words[0], "-m", words[2], "--check"}, "tandem view", "robots are shown", "view");
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::fflush(stdout);
  ::execvp(arguments[0], arguments.data());
  throw RunError(fmt::format("{} cannot be run: {}", words[0], std::strerror(errno)));
}

constexpr const char* help_of_view =
    R"(Shows links, joints, inertias and the shapes of the robot's file. Joints have sliders; a motion is played with
its energies; without a motion, the robot can be simulated. The page is at http://127.0.0.1:8080 and can be reached from
this machine only, unless --host is given. If the port is in use, the next free one is used and printed.

Needs the Python package tandem with viser (pip install '.[view]'). The interpreter is python3, or that of
TANDEM_PYTHON.

Examples:
  tandem view arm7
  tandem view my_robot.urdf --packages ~/ros/src
  tandem simulate humanoid --time 3 --out fall.h5 && tandem view fall.h5
  tandem view rope:100 swing.csv --no-open)";

}  // namespace

void add_view(Program& program) {
  Command command = program.add_command("view", "Show a robot or a motion in a browser", help_of_view);
  auto options = std::make_shared<ViewOptions>();
  command.option("ROBOT", options->robot.robot,
                 "as for other commands; or a file of states (.h5, .hdf5) that names its robot", {.required = true});
  command.option("TRAJECTORY", options->trajectory,
                 "file of states of tandem simulate or tandem rollout: .csv, .h5 or .hdf5");
  options->robot.add_options_to(command);
  command.option("--instances", options->instances,
                 "instances to show: the number of first ones, or their indices, 0,5,7 (at most the first 16)",
                 {.type = "N|LIST"});
  command.flag("--ghosts", options->ghosts, "show instances pale in one place, not side by side");
  options->robot.add_packages_to(command);
  command.option("--host", options->host, "address of the server; 0.0.0.0 for all addresses of this machine",
                 {.type = "ADDRESS", .shows_default = true});
  command.option("--port", options->port, "port of the server; if in use, the next free port",
                 {.type = "N", .check = whole_number_from(1), .shows_default = true});
  command.flag("--no-open", options->no_open, "print the address, open no browser");
  command.does([options] { return view(*options); });
}

}  // namespace tandem::cli
