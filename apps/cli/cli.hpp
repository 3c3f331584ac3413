// SPDX-License-Identifier: Apache-2.0
/// What all commands share: how they are added, how they read a robot and numbers, how they end.
#pragma once
#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/tandem.hpp"

namespace tandem::cli {

/// Exit codes that scripts rely on.
enum Exit : int { done = 0, failed_run = 1, bad_usage = 2 };

/// A run that could not be finished: output cannot be written, a simulation diverged. Ends with failed_run; all other
/// errors end with bad_usage.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the chosen command does; gives the exit code.
using Action = std::function<int()>;

/// One function per command: adds it with its options and, once it is chosen, sets the action.
void add_info(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_simulate(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_tune(CLI::App& app, Action& action);

/// Adds a command with an example at the end of its help.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& footer);

/// The argument ROBOT and the options that say how to load it.
struct RobotOptions {
  std::string robot, gravity;
  bool floating = false;
  std::uint64_t seed = 1;

  void add_to(CLI::App* command, bool with_seed = true);
  Model load() const;
};

/// "double" or "float".
void add_precision(CLI::App* command, std::string& precision);

/// Checks of options that do not show up in the help, whose text names what is expected.
CLI::Validator one_of(const std::vector<std::string>& words);
CLI::Validator whole_number_from(std::int64_t least);

/// A number as files and options write it, whatever the locale; false if `text` is anything else. Accepts nan and inf.
bool read_number(std::string_view text, double& number);

/// Numbers separated by commas. `what` names them in the error.
std::vector<double> read_numbers(std::string_view text, const std::string& what);

/// The word nearest to a mistyped one, as `; did you mean "word"?`, or nothing if none is near.
std::string suggestion(std::string_view typed, const std::vector<std::string>& words);

/// Text from a file as an error shows it: short, and nothing that could upset a terminal.
std::string readable(std::string_view text);

/// Underscores become dashes: how the command line spells the names of the library.
std::string dashed(std::string_view name);

}  // namespace tandem::cli
