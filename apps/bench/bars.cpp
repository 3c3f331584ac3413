// SPDX-License-Identifier: Apache-2.0
/// What batches are meant to reach, and what they reached in a run.
#include <fmt/format.h>

#include <functional>
#include <optional>

#include "own_rows.hpp"
#include "tables.hpp"

namespace tandem::bench {
namespace {

constexpr const char* algorithms_of_bars[] = {"inverse_dynamics", "mass_matrix", "forward_dynamics"};

/// A measured figure, and what it is made of.
struct Figure {
  double value = 0;
  std::string from = {};
  double undisturbed = 0;  ///< by the fastest repetitions rather than the medians; 0 where that is not known
};
using MaybeFigure = std::optional<Figure>;

class BarTable {
 public:
  BarTable(const Lines& lines, std::FILE* file) : lines_(lines), file_(file) {}

  Key ours(const char* algorithm, const std::string& robot, const char* precision, Key key = {}) const {
    key.algorithm = algorithm;
    key.robot = robot;
    key.precision = precision;
    if (key.library.empty()) key.library = "tandem";
    if (key.instruction_set.empty()) key.instruction_set = default_instruction_set();
    if (key.layout.empty()) key.layout = "batch_row";
    if (key.batch == 0) key.batch = compared;
    if (key.threads == 0) key.threads = 1;
    return key;
  }
  Key rival(const char* algorithm, const std::string& robot, const char* library) const {
    return {.algorithm = algorithm, .robot = robot, .library = library, .batch = compared, .threads = 1};
  }

  /// The line with the best median, or another time; null if there is none.
  const Line* line(const Key& key, const char* by = "median") const { return fastest(lines_, key, by); }

  /// How many times as many states a second as a rival.
  MaybeFigure times_as_fast(const Key& us, const Key& them) const {
    if (!line(us) || !line(them)) return {};
    const auto ratio = [&](const char* by) { return time_of(*line(them, by), by) / time_of(*line(us, by), by); };
    const std::string variant = line(them)->value("variant", "");
    return Figure{ratio("median"),
                  fmt::format("{:.4g} against {:.4g} ns{}", time_of(*line(us)), time_of(*line(them)),
                              variant.empty() ? "" : ", " + variant),
                  ratio("fastest")};
  }

  enum class Better { larger, smaller };
  void add(const std::string& what, double bar, Better better, const char* unit, const MaybeFigure& measured) {
    const bool large = better == Better::larger;
    const std::string wanted = fmt::format("{} {:g}{}", large ? ">=" : "<=", bar, unit);
    ++bars_;
    if (!measured) {
      fmt::print(file_, "| {} | {} | - | | not measured in this run |\n", what, wanted);
      return;
    }
    ++measured_;
    const bool reached = large ? measured->value >= bar : measured->value <= bar;
    reached_ += reached;
    const std::string undisturbed = measured->undisturbed > 0 ? fmt::format(" ({:.3g})", measured->undisturbed) : "";
    fmt::print(file_, "| {} | {} | {:.3g}{}{} | {} | {} |\n", what, wanted, measured->value, unit, undisturbed,
               measured->from, reached ? "ok" : "MISSED");
  }
  void finish() const {
    fmt::print(file_, "\n{} of {} bars reached, {} not measured in this run\n", reached_, bars_, bars_ - measured_);
  }
  const Lines& lines() const { return lines_; }

  /// The one that the library used by itself: that of the rows with other batches than the one compared.
  std::string default_instruction_set() const {
    const Line* line = fastest(lines_, {.library = "tandem", .batch = 16});
    return line ? line->value("instruction_set", "") : "";
  }

 private:
  const Lines& lines_;
  std::FILE* file_;
  int bars_ = 0, measured_ = 0, reached_ = 0;
};

std::string named(const char* algorithm) {
  std::string name = algorithm;
  for (char& c : name)
    if (c == '_') c = ' ';
  return name;
}

void add_rates_against_pinocchio(BarTable& table) {
  using enum BarTable::Better;
  const auto add = [&](const char* algorithm, const char* robot, const char* precision, double bar) {
    table.add(fmt::format("{}, {}, {}: times the fastest Pinocchio (double)", named(algorithm), robot, precision), bar,
              larger, "",
              table.times_as_fast(table.ours(algorithm, robot, precision), table.rival(algorithm, robot, "pinocchio")));
  };
  add("forward_dynamics", "arm7", "double", 10);
  table.add("forward dynamics, arm7, double: times the code Pinocchio generates", 3.5, larger, "",
            table.times_as_fast(table.ours("forward_dynamics", "arm7", "double"),
                                table.rival("forward_dynamics", "arm7", "pinocchio_code_generation")));
  add("forward_dynamics", "arm7", "float", 20);
  for (const char* algorithm : {"inverse_dynamics", "mass_matrix"}) {
    add(algorithm, "arm7", "double", 8);
    add(algorithm, "arm7", "float", 16);
  }
  for (const char* algorithm : algorithms_of_bars) {
    add(algorithm, "humanoid", "double", 8);
    add(algorithm, "humanoid", "float", 16);
  }
  for (const char* algorithm : algorithms_of_bars)
    table.add(fmt::format("{}, arm7, double, AVX2 forced: times the fastest Pinocchio", named(algorithm)), 4, larger,
              "",
              table.times_as_fast(table.ours(algorithm, "arm7", "double", {.instruction_set = "avx2"}),
                                  table.rival(algorithm, "arm7", "pinocchio")));
}

void add_limits(BarTable& table) {
  using enum BarTable::Better;
  for (const char* precision : {"double", "float"}) {
    const Line* line = table.line(table.ours("forward_dynamics", "arm7", precision));
    MaybeFigure share;
    if (line && line->contains("share_of_fma_peak"))
      share = {line->at("share_of_fma_peak").get<double>() * 100,
               fmt::format("{:.3g} GFLOP/s counted", line->at("gflops").get<double>())};
    table.add(fmt::format("forward dynamics, arm7, {}: share of the core's FMA peak", precision), 40, larger, " %",
              share);
  }
  for (const Index batch : {compared, 16 * compared})
    table.add(fmt::format("forward dynamics, arm7, double, batch {}: two threads against one", batch), 1.9, larger, "",
              table.times_as_fast(table.ours("forward_dynamics", "arm7", "double", {.batch = batch, .threads = 2}),
                                  table.ours("forward_dynamics", "arm7", "double", {.batch = batch})));
  const Key in_rows = table.ours("forward_dynamics", "arm7", "double");
  const Line* rows = table.line(in_rows);
  const Line* columns = table.line(table.ours("forward_dynamics", "arm7", "double", {.layout = "row_batch"}));
  MaybeFigure cost;
  if (rows && columns)
    cost = {(time_of(*rows) / time_of(*columns) - 1) * 100,
            fmt::format("{:.4g} against {:.4g} ns for [row][batch]", time_of(*rows), time_of(*columns))};
  table.add("forward dynamics, arm7, double: transposing [batch][row] arrays costs", 10, smaller, " %", cost);
  const Key python = table.ours("forward_dynamics", "arm7", "double", {.library = "tandem_python"});
  table.add("forward dynamics, arm7, double, from Python: share of the C++ rate", 0.9, larger, "",
            table.times_as_fast(python, in_rows));
}

void add_accuracy(BarTable& table) {
  const std::pair<const char*, double> robots[] = {{"arm6", 5e-7}, {"arm7", 5e-7}, {"humanoid", 2e-6}};
  for (const auto& [robot, bar] : robots) {
    MaybeFigure error;
    for (const Line& line : table.lines()) {
      if (line.value("kind", "") != "accuracy" || line.value("robot", "") != robot) continue;
      const Line &random = line.at("error_with_random_forces"),
                 &harder = line.at("error_with_forces_of_unit_accelerations");
      error = {random.value("median", 0.0),
               fmt::format("{:.2g} at 90 %; with the forces of accelerations of up to 1: {:.2g}, {:.2g} at 90 %",
                           random.value("p90", 0.0), harder.value("median", 0.0), harder.value("p90", 0.0))};
    }
    table.add(fmt::format("forward dynamics, {}, float: relative error against double, median state", robot), bar,
              BarTable::Better::smaller, "", error);
  }
}

/// A loop that touches no memory takes the same time again and again, unless something else takes the core away.
void print_disturbance(const Lines& lines, std::FILE* file) {
  const Line* loop = fastest(lines, {.algorithm = "fused_multiply_add", .library = "limit"});
  if (!loop) return;
  const double spread = time_of(*loop, "p90") / time_of(*loop, "fastest");
  if (spread > 1.2)
    fmt::print(file,
               "The machine was busy: a loop in registers took {:.2g} times its fastest in a tenth of the repetitions. "
               "Measure again when nothing else runs.\n",
               spread);
}

}  // namespace

void print_bars(const Lines& lines, std::FILE* file) {
  BarTable table(lines, file);
  fmt::print(file,
             "\nBatches of {} states, one core unless said, instruction set {}; medians of one run with the rivals, in "
             "parentheses by the fastest repetition of each.\n\n"
             "| bar | wanted | measured | from | |\n|---|---|---|---|---|\n",
             compared, table.default_instruction_set());
  add_rates_against_pinocchio(table);
  add_limits(table);
  add_accuracy(table);
  table.finish();
  print_disturbance(lines, file);
}

}  // namespace tandem::bench
