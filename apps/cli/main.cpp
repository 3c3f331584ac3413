// SPDX-License-Identifier: Apache-2.0
/// The command line `tandem`: picks the command, turns every error into one text and an exit code.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>

#include "cli.hpp"
#include "tandem/version.hpp"

namespace tandem::cli {
namespace {

constexpr const char* examples = R"(Examples:
  tandem info arm7
  tandem eval inverse-dynamics arm7 --in states.csv --out torques.csv
  tandem simulate humanoid --time 10 --dt 0.001 --out fall.csv
  tandem generate chain:1000 --seed 1 > chain.urdf
  tandem check my_robot.urdf --floating

Every command has its own help: tandem COMMAND --help.
Exit code: 0 done; 1 the run failed (a check failed, a simulation diverged, output
cannot be written); 2 wrong usage or a bad file.)";

std::vector<std::string> command_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (option->nonpositional()) names.push_back(option->get_name());
  return names;
}

/// What is wrong with the words of a command line, with a guess at what was meant.
std::string usage_error(CLI::App& app, const CLI::ParseError& error, const std::string& first_word) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string name = chosen.empty() ? "tandem" : "tandem " + command.get_name();
  std::string text = error.what();
  if (chosen.empty() && first_word.substr(0, 1) == "-") {
    text = fmt::format("tandem has no option {}{}", first_word, suggestion(first_word, option_names(app)));
  } else if (chosen.empty()) {
    text = fmt::format("there is no command \"{}\"{}", first_word, suggestion(first_word, command_names(app)));
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const std::vector<std::string> extras = app.remaining(true);
    auto extra =
        std::find_if(extras.begin(), extras.end(), [](const std::string& word) { return word.starts_with('-'); });
    if (extra == extras.end()) extra = extras.begin();
    const std::string word = extras.empty() ? "" : extra->substr(0, extra->find('='));
    text = word.substr(0, 1) == "-"
               ? fmt::format("{} has no option {}{}", name, word, suggestion(word, option_names(command)))
               : fmt::format("{} does not expect another argument \"{}\"", name, word);
  }
  return fmt::format("{}\nSee {} --help.", text, name);
}

int say(const std::string& text, int code) {
  std::fflush(stdout);
  fmt::print(stderr, "error: {}\n", text);
  return code;
}

int run(int argc, const char* const* argv) {
  CLI::App app("Tandem: rigid-body dynamics of articulated robots.", "tandem");
  app.require_subcommand(1);
  app.footer(examples);
  app.set_version_flag("--version", std::string("tandem ") + TANDEM_VERSION);
  const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(app.get_formatter());
  formatter->column_width(28);
  formatter->label("SUBCOMMAND", "COMMAND");
  formatter->label("Positionals", "Arguments");
  formatter->label("REQUIRED", "(required)");
  Action action;
  add_info(app, action);
  add_eval(app, action);
  add_simulate(app, action);
  add_generate(app, action);
  add_check(app, action);
  add_list(app, action);
  add_bench(app, action);
  add_compare(app, action);
  add_tune(app, action);
  if (argc == 1) {
    fmt::print(stderr, "{}", app.help());
    return bad_usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return done;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return done;
  } catch (const CLI::ParseError& error) {
    return say(usage_error(app, error, argv[1]), bad_usage);
  }
  return action();
}

/// Runs and sees to it that what was printed has arrived.
int run_and_flush(int argc, const char* const* argv) {
  const int code = run(argc, argv);
  if (std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot write to standard output");
  return code;
}

}  // namespace
}  // namespace tandem::cli

int main(int argc, char** argv) {
  using namespace tandem::cli;
  try {
    return run_and_flush(argc, argv);
  } catch (const RunError& error) {
    return say(error.what(), failed_run);
  } catch (const tandem::Error& error) {
    return say(error.what(), bad_usage);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) return failed_run;  // nobody listens any more
    return say(error.what(), failed_run);
  } catch (const std::bad_alloc&) {
    return say("out of memory", failed_run);
  } catch (const std::exception& error) {
    return say(error.what(), failed_run);
  }
}
