// SPDX-License-Identifier: Apache-2.0
/// tandem check: the laws of mechanics, tried on random states of a robot.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "table.hpp"
#include "tandem/api/check.hpp"

namespace tandem::cli {
namespace {

struct CheckOptions {
  RobotOptions robot;
  std::string precision = "double";
  int states = 10;
  bool json = false;
};

const char* word_for(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed: return "ok";
    case Outcome::failed: return "FAILED";
    case Outcome::not_applicable: return "not applicable";
  }
  return "";
}

void print_json(const Model& model, const std::vector<PropertyResult>& results) {
  nlohmann::ordered_json json = {{"robot", model.name()}, {"properties", nlohmann::ordered_json::array()}};
  for (const PropertyResult& r : results) {
    const bool applies = r.outcome != Outcome::not_applicable;
    json["properties"].push_back(
        {{"name", r.name},
         {"outcome", word_for(r.outcome)},
         {"error", applies ? nlohmann::ordered_json(r.error) : nlohmann::ordered_json(nullptr)},
         {"tolerance", applies ? nlohmann::ordered_json(r.tolerance) : nlohmann::ordered_json(nullptr)},
         {"note", r.note}});
  }
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_table(const Model& model, const CheckOptions& options, const std::vector<PropertyResult>& results) {
  fmt::print("{}: nv {}, {} random states, seed {}, {}\n\n", model.name(), model.nv(), options.states,
             options.robot.seed, options.precision);
  Table table({{"property"}, {"worst error", Table::Align::right}, {"tolerance", Table::Align::right}, {""}});
  std::size_t passed = 0, failed = 0;
  for (const PropertyResult& r : results) {
    const bool applies = r.outcome != Outcome::not_applicable;
    passed += r.outcome == Outcome::passed;
    failed += r.outcome == Outcome::failed;
    std::string verdict = word_for(r.outcome);
    if (!r.note.empty()) verdict += ": " + r.note;
    table.add({r.name, applies ? fmt::format("{:.1e}", r.error) : "-",
               applies ? fmt::format("{:.1e}", r.tolerance) : "-", verdict});
  }
  table.print(stdout, results.size());
  if (failed == 0)
    fmt::print("\nAll {} properties that apply hold.\n", passed);
  else
    fmt::print("\n{} of {} properties that apply FAILED.\n", failed, passed + failed);
}

int check(const CheckOptions& options) {
  const Model model = options.robot.load();
  const std::vector<PropertyResult> results = check_model(
      model, {.states = options.states, .seed = options.robot.seed, .in_float = options.precision == "float"});
  if (options.json)
    print_json(model, results);
  else
    print_table(model, options, results);
  const bool failed =
      std::any_of(results.begin(), results.end(), [](const auto& r) { return r.outcome == Outcome::failed; });
  return failed ? failed_run : done;
}

}  // namespace

void add_check(Program& program) {
  auto options = std::make_shared<CheckOptions>();
  Command command = program.add_command(
      "check", "Check invariants of mechanics on random states of a robot",
      R"(Errors and tolerances are relative to the largest number of the compared quantity. Tolerances
follow from the precision, the size of the terms summed and the condition of the mass matrix.
Exit code 1 if a property fails.

Example:
  tandem check my_robot.urdf --floating --states 100)");
  options->robot.add_to(command, false);
  options->robot.add_packages_to(command);
  command.option("--states", options->states, "number of random states",
                 {.type = "N", .check = whole_number_from(1), .shows_default = true});
  command.option("--seed", options->robot.seed, "seed of the states and of generated robots",
                 {.type = "N", .check = seed_number(), .shows_default = true});
  add_precision(command, options->precision);
  command.flag("--json", options->json, "print JSON");
  command.does([options] { return check(*options); });
}

}  // namespace tandem::cli
