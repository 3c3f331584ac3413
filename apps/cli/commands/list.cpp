// SPDX-License-Identifier: Apache-2.0
/// tandem list: the names that other commands take.
#include <fmt/format.h>

#include "cli.hpp"
#include "table.hpp"
#include "tandem/api/evaluate.hpp"

namespace tandem::cli {
namespace {

std::string argument_names(const Algorithm& algorithm, bool inputs) {
  std::string names;
  for (const Argument& argument : algorithm.arguments) {
    if (is_input(argument) != inputs) continue;
    if (!names.empty()) names += ' ';
    names += is_optional(argument) ? fmt::format("[{}]", argument.name) : argument.name;
  }
  return names;
}

void print_list() {
  fmt::print("Shipped robots\n ");
  for (const std::string& name : shipped_robots()) fmt::print(" {}", name);
  fmt::print("\n\nGenerators (N links)\n");
  fmt::print(
      "  chain:N         random arm of revolute and prismatic joints\n"
      "  rope:N          uniform segments on spherical joints\n"
      "  rope:N:bending  uniform segments on pairs of crossed revolute joints\n"
      "  tree:N          random tree with every type of joint\n"
      "  snake:N         floating chain of yaw and pitch joints\n");
  fmt::print("\nFunctions of tandem eval ([optional])\n");
  Table table({{"function"}, {"in"}, {"out"}, {"description"}});
  for (const Algorithm& algorithm : algorithms())
    table.add(
        {dashed(algorithm.name), argument_names(algorithm, true), argument_names(algorithm, false), algorithm.summary});
  table.print(stdout, algorithms().size());
  fmt::print("\nMethods (--method)\n");
  Table methods({{"function"}, {"methods"}});
  for (const Algorithm& algorithm : algorithms()) {
    std::vector<std::string> names;
    for (const Method method : methods_of(algorithm)) names.push_back(dashed(to_string(method)));
    if (!names.empty()) methods.add({dashed(algorithm.name), fmt::format("{}", fmt::join(names, " "))});
  }
  methods.print(stdout, algorithms().size());
}

}  // namespace

void add_list(Program& program) {
  Command command = program.add_command("list", "List shipped robots, generators and functions", R"(Example:
  tandem list)");
  command.does([] {
    print_list();
    return done;
  });
}

}  // namespace tandem::cli
