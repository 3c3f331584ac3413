// SPDX-License-Identifier: Apache-2.0
#include "cli.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace tandem::cli {
namespace {

std::string_view without_blanks(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

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

}  // namespace

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& footer) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer(footer);
  command->group("Commands");
  return command;
}

void RobotOptions::add_to(CLI::App* command, bool with_seed) {
  command->add_option("ROBOT", robot, "a .urdf file, a generator (chain:20) or a shipped robot's name; see tandem list")
      ->type_name("")
      ->required();
  command->add_flag("--floating", floating, "hang the root link from the world by a free joint");
  command->add_option("--gravity", gravity, "acceleration of free fall along the base's axes, m/s^2 (0,0,-9.81)")
      ->type_name("X,Y,Z");
  if (with_seed)
    command->add_option("--seed", seed, "of generated robots")
        ->check(whole_number_from(0))
        ->type_name("N")
        ->capture_default_str();
}

Model RobotOptions::load() const {
  Model model = tandem::load(robot, {.floating = floating}, seed);
  if (gravity.empty()) return model;
  const std::vector<double> g = read_numbers(gravity, "--gravity");
  if (g.size() != 3) throw Error(fmt::format("--gravity has {} numbers, expected 3: x,y,z", g.size()));
  for (const double x : g)
    if (!std::isfinite(x)) throw Error(fmt::format("--gravity {}: expected finite numbers", gravity));
  return model.with_gravity({g[0], g[1], g[2]});
}

void add_precision(CLI::App* command, std::string& precision) {
  command->add_option("--precision", precision, "numbers to compute with: double or float")
      ->check(one_of({"double", "float"}))
      ->type_name("NAME")
      ->capture_default_str();
}

bool read_number(std::string_view text, double& number) {
  text = without_blanks(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size()) {
    number = std::strtod(std::string(text).c_str(), nullptr);  // the locale is C; too small a number is zero
    return std::abs(number) < 1;
  }
  return error == std::errc() && end == text.data() + text.size();
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& given) {
    if (std::find(words.begin(), words.end(), given) != words.end()) return std::string();
    return fmt::format("{} is not known; expected {}", given, fmt::join(words, " or "));
  };
  return CLI::Validator(check, "");
}

CLI::Validator whole_number_from(std::int64_t least) {
  const auto check = [least](const std::string& given) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
    const bool good = error == std::errc() && end == given.data() + given.size() && number >= least;
    return good ? std::string() : fmt::format("{} given, expected a whole number of {} or more", given, least);
  };
  return CLI::Validator(check, "");
}

std::vector<double> read_numbers(std::string_view text, const std::string& what) {
  std::vector<double> numbers;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view field = text.substr(0, comma);
    double number = 0;
    if (!read_number(field, number))
      throw Error(
          fmt::format("{}: \"{}\" is not a number; expected numbers separated by commas", what, readable(field)));
    numbers.push_back(number);
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

std::string suggestion(std::string_view typed, const std::vector<std::string>& words) {
  const auto nearest = std::min_element(words.begin(), words.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(typed, a) < edit_distance(typed, b);
  });
  if (nearest == words.end() || edit_distance(typed, *nearest) > std::max<std::size_t>(2, typed.size() / 3)) return "";
  return fmt::format("; did you mean \"{}\"?", *nearest);
}

std::string readable(std::string_view text) {
  std::string result(text.substr(0, 40));
  for (char& c : result)
    if (c < ' ' || c > '~') c = '?';
  return text.size() > 40 ? result + "..." : result;
}

std::string dashed(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '_', '-');
  return result;
}

}  // namespace tandem::cli
