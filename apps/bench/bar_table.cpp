// SPDX-License-Identifier: Apache-2.0
#include "bar_table.hpp"

#include <fmt/format.h>

namespace tandem::bench {

Key BarTable::ours(const char* algorithm, const std::string& robot, const char* precision, Key key) const {
  key.algorithm = algorithm;
  key.robot = robot;
  key.precision = precision;
  if (key.library.empty()) key.library = "tandem";
  if (key.instruction_set.empty()) key.instruction_set = default_instruction_set();
  if (key.layout.empty()) key.layout = "batch_row";
  if (key.batch == 0) key.batch = batch_;
  if (key.threads == 0) key.threads = 1;
  return key;
}

Key BarTable::rival(const char* algorithm, const std::string& robot, const char* library) const {
  return {.algorithm = algorithm, .robot = robot, .library = library, .batch = batch_, .threads = 1};
}

MaybeFigure BarTable::times_as_fast(const Key& us, const Key& them) const {
  if (!line(us) || !line(them)) return {};
  const auto ratio = [&](const char* by) { return time_of(*line(them, by), by) / time_of(*line(us, by), by); };
  const std::string variant = line(them)->value("variant", "");
  return Figure{ratio("median"),
                fmt::format("{:.4g} against {:.4g} ns{}", time_of(*line(us)), time_of(*line(them)),
                            variant.empty() ? "" : ", " + variant),
                ratio("fastest")};
}

void BarTable::add(const std::string& what, double bar, Better better, const char* unit, const MaybeFigure& measured) {
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

void BarTable::finish() const {
  fmt::print(file_, "\n{} of {} bars reached, {} not measured in this run\n", reached_, bars_, bars_ - measured_);
}

std::string BarTable::default_instruction_set() const {
  const Line* line = fastest(lines_, {.library = "tandem", .batch = 16});
  return line ? line->value("instruction_set", "") : "";
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

}  // namespace tandem::bench
