// SPDX-License-Identifier: Apache-2.0
/// How a program declares its commands and their options. CLI11 reads the words and writes the help; command_line.cpp
/// alone includes it, as every file that does takes seconds longer to compile.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tandem::cli {

/// Says what is wrong with the text given for an option; "" if nothing is.
using Check = std::function<std::string(const std::string&)>;
Check one_of(const std::vector<std::string>& words);
Check whole_number_from(std::int64_t least);
Check number_above_zero();
Check number_from_zero();

/// How the help shows an option, and what it takes.
struct Form {
  std::string type = "";       ///< stands for the value in the help
  Check check = nullptr;       ///< besides that the text is of the value's type
  bool shows_default = false;  ///< in the help: the value before the words are read
  bool required = false;
  bool may_be_empty = false;  ///< of a text
  bool repeats = false;       ///< given once for each value of a list
  std::string group = "";
};

/// What the chosen command does; gives the program's exit code.
using Action = std::function<int()>;

/// A handle on a command of a program, or on the whole of a program that has no commands. The values that options are
/// written to must live as long as the program.
class Command {
 public:
  /// Arguments have a name in capitals, --options do not. T: std::string, double, a whole number, a list of strings.
  template <class T>
  void option(const std::string& name, T& value, const std::string& meaning, const Form& form = {});
  void flag(const std::string& name, bool& value, const std::string& meaning, const std::string& group = "");
  /// Takes words that it does not know.
  void allow_extras();
  /// What it does, once it is chosen and its options are read.
  void does(Action action);

 private:
  friend class Program;
  Command(CLI::App& app, Action& chosen) : app_(&app), chosen_(&chosen) {}
  CLI::App* app_;
  Action* chosen_;
};

class Program {
 public:
  /// `end_of_help` has examples.
  Program(const std::string& name, const std::string& summary, const std::string& version,
          const std::string& end_of_help = "");
  ~Program();

  Command add_command(const std::string& name, const std::string& summary, const std::string& end_of_help);
  /// The program itself, where it has no commands.
  Command command();

  /// Reads the words and does what they ask for; gives the action's exit code. Prints help and version where they are
  /// asked for (exit code 0); a program with commands prints its help where there are no words (exit code 2). Throws
  /// Error, with a guess at what was meant, on words that it cannot take.
  int run(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
  Action chosen_;
};

/// The word nearest to a mistyped one, as `; did you mean "word"?`, or nothing if none is near.
std::string suggestion(std::string_view typed, const std::vector<std::string>& words);

}  // namespace tandem::cli
