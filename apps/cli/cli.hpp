// SPDX-License-Identifier: Apache-2.0
/// What all commands share: how they are added, how they read a robot and numbers, how they end.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/command_line.hpp"
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

/// One function per command: adds it with its options.
void add_info(Program& program);
void add_eval(Program& program);
void add_simulate(Program& program);
void add_rollout(Program& program);
void add_generate(Program& program);
void add_generate_header(Program& program);
void add_check(Program& program);
void add_list(Program& program);
void add_bench(Program& program);
void add_compare(Program& program);
void add_macroparallel(Program& program);
void add_tune(Program& program);
void add_schedule(Program& program);
void add_view(Program& program);

/// The argument ROBOT and the options that say how to load it.
struct RobotOptions {
  std::string robot, gravity;
  std::vector<std::string> packages;
  bool floating = false;
  std::uint64_t seed = 1;

  void add_to(Command& command, bool with_seed = true);
  /// The options alone.
  void add_options_to(Command& command, bool with_seed = true);
  /// Where commands that compute contacts, or draw meshes, look for those of URDF.
  void add_packages_to(Command& command);
  /// Warns of joints for which forward dynamics has no result. `with_contacts`: joint constraints of an MJCF file with
  /// shapes are couplers, not mimic joints.
  Model load(bool with_warnings = true, bool with_contacts = false) const;
};

/// A line of a summary: the first warning about the description, and the number of others; empty if there is none.
/// `with_contacts`: without remarks that contacts and tendons act only in calls with contacts.
std::string first_warning(const Model& model, bool with_contacts = false);

/// Any seed of 64 bits.
Check seed_number();

/// "double" or "float".
void add_precision(Command& command, std::string& precision);

/// A number as files and options write it, whatever the locale; false if `text` is anything else. Accepts nan and inf.
bool read_number(std::string_view text, double& number);

/// Numbers separated by commas. `what` names them in the error.
std::vector<double> read_numbers(std::string_view text, const std::string& what);

/// Text from a file as an error shows it: short, and nothing that could upset a terminal.
std::string readable(std::string_view text);

/// To standard error, which may be closed or full.
void tell(const std::string& text);

/// Underscores become dashes: how the command line spells the names of the library.
std::string dashed(std::string_view name);

/// "body, jet, world-orientation": the names of a table's rows other than `automatic`.
template <class Rows>
std::string listed(const Rows& rows) {
  std::string names;
  for (const auto& row : rows)
    if (std::string_view(row.name) != "automatic") names += (names.empty() ? "" : ", ") + dashed(row.name);
  return names;
}
/// Those of an enumeration; of many, where they are listed.
template <HasNames E>
std::string values_of() {
  constexpr auto& rows = NamesOf<E>::table;
  if (std::size(rows) > 6) return "see tandem list";
  return listed(rows);
}

}  // namespace tandem::cli
