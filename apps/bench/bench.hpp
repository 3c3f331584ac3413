// SPDX-License-Identifier: Apache-2.0
/// The benchmarks as the program tandem_bench and the command `tandem bench` call them.
#pragma once
#include <string>
#include <vector>

namespace tandem::cli {
class Command;
}

namespace tandem::bench {

struct Settings {
  std::string suite = "batches";
  std::vector<std::string> robots;  ///< empty: those of the suite
  int repetitions = 31;
  double least_milliseconds = 5;  ///< of one repetition
  bool sweep = false;             ///< batches of 1 to a million rather than a few
  std::string out;                ///< file of JSON lines to write; empty: none
  std::string markdown;           ///< file for the table of every row; empty: none
  std::string table;              ///< print the table of this file instead of measuring
};

/// The options of a benchmark run, the same for both programs.
void add_options(cli::Command& command, Settings& settings);

/// Measures and prints a suite's table on standard output. Throws tandem::Error.
void run(const Settings& settings);

}  // namespace tandem::bench
