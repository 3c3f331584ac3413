// SPDX-License-Identifier: Apache-2.0
/// Results of a run: JSON lines, each with all that is needed to judge it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rows.hpp"

namespace tandem::bench {

/// One line of results. Times are {"fastest", "p10", "median", "p90"} in nanoseconds a state.
using Line = nlohmann::ordered_json;
using Lines = std::vector<Line>;

/// What was measured where: date, commit, compiler, flags, processor, versions of the rivals.
Line context();

/// A row's line from its times a state, one for each repetition.
Line line_of(const Row& row, std::vector<double> nanoseconds);

/// Adds to each of our lines what it reached of the processor's limits, which are lines of the same run.
void add_shares(Lines& lines);

/// Throws Error that names the file.
void write(const std::string& path, const Lines& lines);
/// Throws Error that names the file and the line.
Lines read(const std::string& path);

/// What lines are looked for: empty and 0 mean any, a variant of "-" none.
struct Key {
  std::string algorithm = {}, robot = {}, library = {}, precision = {}, instruction_set = {}, layout = {};
  std::int64_t batch = 0;
  int threads = 0;
  std::string variant = {};
};
/// The one with the smallest median (or another time) among the lines that fit, or null.
const Line* fastest(const Lines& lines, const Key& key, const char* by = "median");
/// A line's time, "fastest", "p10", "median" or "p90".
double time_of(const Line& line, const char* which = "median");

}  // namespace tandem::bench
