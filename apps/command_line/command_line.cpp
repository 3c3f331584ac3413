// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <numeric>
#include <type_traits>
#include <utility>

#include "tandem/error.hpp"

namespace tandem::cli {
namespace {

/// Number of characters to insert, delete or replace.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// The whole text is a number, and a good one.
template <class T>
Check number(const std::function<bool(T)>& good, const std::string& expected) {
  return [good, expected](const std::string& given) {
    T value{};
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
    if (error == std::errc() && end == given.data() + given.size() && good(value)) return std::string();
    return fmt::format("{} given, expected {}", given, expected);
  };
}

/// A variable of the shell that is not set should not pass for an option that is not given.
std::string not_empty(const std::string& given) { return given.empty() ? "is empty, expected a value" : ""; }

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
  const auto commands = command_names(app);
  const bool no_command = chosen.empty() && !commands.empty();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string name = chosen.empty() ? app.get_name() : app.get_name() + " " + command.get_name();
  std::string text = error.what();
  if (no_command && first_word.substr(0, 1) == "-") {
    text = fmt::format("{} has no option {}{}", name, first_word, suggestion(first_word, option_names(app)));
  } else if (no_command) {
    text = fmt::format("unknown command \"{}\"{}", first_word, suggestion(first_word, commands));
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const std::vector<std::string> extras = app.remaining(true);
    auto extra =
        std::find_if(extras.begin(), extras.end(), [](const std::string& word) { return word.starts_with('-'); });
    if (extra == extras.end()) extra = extras.begin();
    const std::string word = extras.empty() ? "" : extra->substr(0, extra->find('='));
    text = word.substr(0, 1) == "-"
               ? fmt::format("{} has no option {}{}", name, word, suggestion(word, option_names(command)))
               : fmt::format("{}: unexpected argument \"{}\"", name, word);
  }
  return fmt::format("{}\nSee {} --help.", text, name);
}

}  // namespace

Check one_of(const std::vector<std::string>& words) {
  return [words](const std::string& given) {
    if (std::find(words.begin(), words.end(), given) != words.end()) return std::string();
    return fmt::format("{} is not valid; expected {}", given, fmt::join(words, " or "));
  };
}

Check whole_number_from(std::int64_t least) {
  return number<std::int64_t>([least](std::int64_t n) { return n >= least; },
                              fmt::format("an integer of {} or more", least));
}

Check number_above_zero() {
  return number<double>([](double x) { return x > 0; }, "a positive number");
}

Check number_from_zero() {
  return number<double>([](double x) { return x >= 0; }, "a non-negative number");
}

template <class T>
void Command::option(const std::string& name, T& value, const std::string& meaning, const Form& form) {
  CLI::Option* option = app_->add_option(name, value, meaning)->type_name(form.type)->required(form.required);
  if constexpr (std::is_same_v<T, std::string>)
    if (!form.may_be_empty) option->check(CLI::Validator(not_empty, ""));
  if (form.check) option->check(CLI::Validator(form.check, ""));
  if (form.shows_default) option->capture_default_str();
  if (form.repeats) option->expected(1)->take_all();
  if (!form.group.empty()) option->group(form.group);
}

template void Command::option(const std::string&, std::string&, const std::string&, const Form&);
template void Command::option(const std::string&, std::vector<std::string>&, const std::string&, const Form&);
template void Command::option(const std::string&, double&, const std::string&, const Form&);
template void Command::option(const std::string&, int&, const std::string&, const Form&);
template void Command::option(const std::string&, std::int64_t&, const std::string&, const Form&);
template void Command::option(const std::string&, std::uint64_t&, const std::string&, const Form&);

void Command::flag(const std::string& name, bool& value, const std::string& meaning, const std::string& group) {
  CLI::Option* option = app_->add_flag(name, value, meaning);
  if (!group.empty()) option->group(group);
}

void Command::allow_extras() { app_->allow_extras(); }

void Command::does(Action action) {
  app_->callback([chosen = chosen_, action = std::move(action)] { *chosen = action; });
}

Program::Program(const std::string& name, const std::string& summary, const std::string& version,
                 const std::string& end_of_help)
    : app_(std::make_unique<CLI::App>(summary, name)) {
  app_->footer(end_of_help);
  app_->set_version_flag("--version", name + " " + version);
  const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(app_->get_formatter());
  formatter->column_width(29);
  formatter->label("SUBCOMMAND", "COMMAND");
  formatter->label("Positionals", "Arguments");
  formatter->label("REQUIRED", "(required)");
}

Program::~Program() = default;

Command Program::add_command(const std::string& name, const std::string& summary, const std::string& end_of_help) {
  app_->require_subcommand(1);
  CLI::App* command = app_->add_subcommand(name, summary);
  command->footer(end_of_help);
  command->group("Commands");
  return {*command, chosen_};
}

Command Program::command() { return {*app_, chosen_}; }

int Program::run(int argc, const char* const* argv) {
  if (argc == 1 && !command_names(*app_).empty()) {
    std::fputs(app_->help().c_str(), stderr);  // which may be closed
    return 2;
  }
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app_->help());
    return 0;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return 0;
  } catch (const CLI::ParseError& error) {
    throw Error(usage_error(*app_, error, argv[1]));
  }
  return chosen_();
}

std::string suggestion(std::string_view typed, const std::vector<std::string>& words) {
  const auto nearest = std::min_element(words.begin(), words.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(typed, a) < edit_distance(typed, b);
  });
  if (nearest == words.end() || edit_distance(typed, *nearest) > std::max<std::size_t>(2, typed.size() / 3)) return "";
  return fmt::format("; did you mean \"{}\"?", *nearest);
}

}  // namespace tandem::cli
