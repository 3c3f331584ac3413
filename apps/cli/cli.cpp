// SPDX-License-Identifier: Apache-2.0
#include "cli.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tandem::cli {
namespace {

std::string_view without_blanks(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

void RobotOptions::add_to(Command& command, bool with_seed) {
  command.option("ROBOT", robot,
                 "a .urdf or .xml (MJCF) file, a generator (chain:20) or a shipped robot's name; see tandem list",
                 {.required = true});
  add_options_to(command, with_seed);
}

void RobotOptions::add_options_to(Command& command, bool with_seed) {
  command.flag("--floating", floating, "connect the root link to the world by a free joint");
  command.option("--gravity", gravity, "gravity along the axes of the base, m/s^2 (0,0,-9.81)", {.type = "X,Y,Z"});
  if (with_seed)
    command.option("--seed", seed, "seed of generated robots",
                   {.type = "N", .check = seed_number(), .shows_default = true});
}

void RobotOptions::add_packages_to(Command& command) {
  command.option("--packages", packages, "folder in which package:// paths of meshes are searched",
                 {.type = "DIR", .repeats = true});
}

Model RobotOptions::load(bool with_warnings, bool with_contacts) const {
  Model model = tandem::load(robot, {.floating = floating}, seed, {.packages = packages});
  const bool from_mjcf = !contact_settings(model).integrator.empty() && !contact_shapes(model).empty();
  if (with_contacts && from_mjcf && model.view<double>().n_mimic > 0)
    model = tandem::describe(robot, seed).couple_mimic_joints().build({.floating = floating});
  if (with_warnings)
    for (const std::string& warning : model.singular_joints()) tell("warning: " + warning + "\n");
  if (gravity.empty()) return model;
  const std::vector<double> g = read_numbers(gravity, "--gravity");
  if (g.size() != 3) throw Error(fmt::format("--gravity has {} numbers, expected 3: x,y,z", g.size()));
  for (const double x : g)
    if (!std::isfinite(x)) throw Error(fmt::format("--gravity {}: expected finite numbers", gravity));
  return model.with_gravity({g[0], g[1], g[2]});
}

std::string first_warning(const Model& model, bool with_contacts) {
  std::vector<std::string> all = model.warnings();
  // a simulation with contacts has what acts only in such calls
  if (with_contacts)
    std::erase_if(all, [](const std::string& warning) {
      return warning.find(" act only in ") != std::string::npos || warning.find(" acts only in ") != std::string::npos;
    });
  if (all.empty()) return "";
  return fmt::format("  warning    {}{}\n", all.front(),
                     all.size() == 1 ? "" : fmt::format("; {} more: see tandem info", all.size() - 1));
}

Check seed_number() {
  return [](const std::string& given) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), seed);
    if (error == std::errc() && end == given.data() + given.size()) return std::string();
    return fmt::format("{} given, expected an integer from 0 to 2^64 - 1", given);
  };
}

void add_precision(Command& command, std::string& precision) {
  command.option("--precision", precision, "number type: double or float",
                 {.type = "NAME", .check = one_of({"double", "float"}), .shows_default = true});
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

std::string readable(std::string_view text) {
  std::string result(text.substr(0, 40));
  for (char& c : result)
    if (c < ' ' || c > '~') c = '?';
  return text.size() > 40 ? result + "..." : result;
}

void tell(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

std::string dashed(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '_', '-');
  return result;
}

}  // namespace tandem::cli
