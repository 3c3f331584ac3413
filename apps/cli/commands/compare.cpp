// SPDX-License-Identifier: Apache-2.0
/// tandem compare: every method on one robot, its error, time and work.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "plot.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "tandem/api/compare.hpp"

namespace tandem::cli {
namespace {

struct CompareOptions {
  RobotOptions robot;
  std::string precision = "double", problem, plot;
  int threads = 1;
  double milliseconds = 100, tolerance = 0;
  int max_iterations = 0;
  bool json = false, near_zero = false;
};

nlohmann::ordered_json json_of(const Model& model, const CompareOptions& options,
                               const std::vector<MethodResult>& results) {
  nlohmann::ordered_json json = {{"robot", model.name()},
                                 {"nv", model.nv()},
                                 {"precision", options.precision},
                                 {"threads", options.threads},
                                 {"instruction_set", instruction_set()},
                                 {"methods", nlohmann::ordered_json::array()}};
  for (const MethodResult& r : results) {
    nlohmann::ordered_json line = {{"problem", r.algorithm}, {"method", r.name}};
    if (!r.refusal.empty()) {
      line["refusal"] = r.refusal;
    } else {
      line["error"] = std::isfinite(r.error) ? nlohmann::ordered_json(r.error) : nlohmann::ordered_json(nullptr);
      line["nanoseconds"] = r.nanoseconds;
      if (r.steps > 0) line.update({{"steps", r.steps}, {"converged", r.status != Status::not_converged}});
      if (r.flops > 0) line.update({{"flops", r.flops}, {"depth", r.depth}});
    }
    json["methods"].push_back(std::move(line));
  }
  return json;
}

std::string time_text(double nanoseconds) {
  if (nanoseconds < 1e3) return fmt::format("{:.0f} ns", nanoseconds);
  if (nanoseconds < 1e6) return fmt::format("{:.3g} us", nanoseconds / 1e3);
  if (nanoseconds < 1e9) return fmt::format("{:.3g} ms", nanoseconds / 1e6);
  return fmt::format("{:.3g} s", nanoseconds / 1e9);
}

std::string steps_text(const MethodResult& r) {
  if (r.steps == 0) return "";
  return fmt::format("{} steps{}", r.steps, r.status == Status::not_converged ? ", not converged" : "");
}

void print_table(const Model& model, const CompareOptions& options, const std::vector<MethodResult>& results) {
  fmt::print("{}: nv {}, {}, {} thread{}, {}\n", model.name(), model.nv(), options.precision, options.threads,
             options.threads == 1 ? "" : "s", instruction_set());
  for (std::size_t k = 0; k < results.size();) {
    const std::string problem = results[k].algorithm;
    fmt::print("\n{}\n", dashed(problem));
    Table table({{"method"},
                 {"error", Table::Align::right},
                 {"time", Table::Align::right},
                 {"to the first", Table::Align::right},
                 {"flops", Table::Align::right},
                 {"depth", Table::Align::right},
                 {""}});
    const double first = results[k].nanoseconds;
    for (; k < results.size() && results[k].algorithm == problem; ++k) {
      const MethodResult& r = results[k];
      if (!r.refusal.empty()) {
        table.add({dashed(r.name), "-", "-", "-", "-", "-", r.refusal});
        continue;
      }
      const auto count = [](std::int64_t n) { return n > 0 ? fmt::format("{:.3g}", static_cast<double>(n)) : "-"; };
      table.add({dashed(r.name), std::isnan(r.error) ? "broke down" : fmt::format("{:.1e}", r.error),
                 r.nanoseconds > 0 ? time_text(r.nanoseconds) : "-",
                 r.nanoseconds > 0 && first > 0 ? fmt::format("{:.2f}", r.nanoseconds / first) : "-", count(r.flops),
                 count(r.depth), steps_text(r)});
    }
    table.print(stdout, results.size());
  }
}

int compare(const CompareOptions& options) {
  const Model model = options.robot.load();
  ComparisonSettings settings;
  settings.in_float = options.precision == "float";
  settings.threads = options.threads;
  settings.seed = options.robot.seed;
  settings.milliseconds = options.milliseconds;
  settings.tolerance = options.tolerance;
  settings.max_iterations = options.max_iterations;
  settings.configuration_near_zero = options.near_zero;
  settings.of_papers = true;
  if (!options.problem.empty()) {
    const Algorithm& algorithm = find_algorithm(options.problem);
    if (!is_compared(algorithm))
      throw Error(fmt::format("{} {}; compare inverse-dynamics, mass-matrix, forward-dynamics or constraint-wrenches",
                              dashed(algorithm.name),
                              methods_of(algorithm).empty()
                                  ? "has one method only"
                                  : "is not supported; its methods are compared by other functions"));
    settings.problem = algorithm.name;
  }
  std::unique_ptr<Progress> progress;
  settings.progress = [&](int finished, int all) {
    if (!progress)
      progress = std::make_unique<Progress>(
          all, [all](std::int64_t k, double) { return fmt::format("{} of {} methods", k, all); });
    progress->update(finished);
  };
  if (!options.plot.empty()) check_plot_name(options.plot);
  const std::vector<MethodResult> results = compare_methods(model, settings);
  progress.reset();
  if (options.json)
    fmt::print("{}\n", json_of(model, options, results).dump(2));
  else
    print_table(model, options, results);
  if (!options.plot.empty()) draw("compare", json_of(model, options, results).dump(), options.plot);
  return done;
}

}  // namespace

void add_compare(Program& program) {
  auto options = std::make_shared<CompareOptions>();
  Command command = program.add_command(
      "compare", "Compare error, time and work of all methods on one robot",
      R"(In one random state. The reference is the serial method in long double on the same numbers. Errors are
relative to the largest number of the result; for mass matrices, to the geometric mean of the two diagonal
entries. Flops are the operations of a call; depth is the longest chain of dependent operations if every part
that may run in parallel has its own processor; for formulations, the longest path through their tasks.
Methods as printed in papers:
  CFA      --method constraint-force --solver odd-even-elimination --right-hand-side bias-torque
  DCA+     --method divide-and-conquer --load-ratio LINKS
  DCAe     --method divide-and-conquer --chunks N
  slides   --method scan --form body --chunk 1 --scan-schedule hillis-steele (or tree)

Examples:
  tandem compare chain:1024
  tandem compare rope:1000 --precision float --threads 2 --plot rope.png)");
  options->robot.add_to(command);
  add_precision(command, options->precision);
  command.option("--problem", options->problem,
                 "inverse-dynamics, mass-matrix, forward-dynamics or constraint-wrenches (all)", {.type = "NAME"});
  command.option("--threads", options->threads, "threads that divide the robot",
                 {.type = "N", .check = whole_number_from(1), .shows_default = true});
  command.option("--milliseconds", options->milliseconds, "time of measurement for each method; 0 measures no times",
                 {.type = "T", .check = number_from_zero(), .shows_default = true});
  command.option("--tolerance", options->tolerance, "tolerance of iterative methods (their default)",
                 {.type = "X", .check = number_above_zero()});
  command.option("--max-iterations", options->max_iterations, "limit of iterations (their default)",
                 {.type = "N", .check = whole_number_from(1)});
  command.flag("--straight", options->near_zero, "use a state near the neutral configuration, as of a hanging rope");
  command.option("--plot", options->plot, "plot of error over time to write (.png, .pdf, .svg)", {.type = "FILE"});
  command.flag("--json", options->json, "print JSON");
  command.does([options] { return compare(*options); });
}

}  // namespace tandem::cli
