// SPDX-License-Identifier: Apache-2.0
/// The benchmarks as a program of their own; `tandem bench` is the same.
#include <fmt/core.h>

#include "bench.hpp"
#include "command_line/command_line.hpp"
#include "tandem/error.hpp"
#include "tandem/version.hpp"

int main(int argc, char** argv) {
  tandem::cli::Program program("tandem_bench", "Benchmarks of Tandem beside its rivals, all rows in turn in one run.",
                               TANDEM_VERSION);
  tandem::bench::Settings settings;
  tandem::cli::Command command = program.command();
  tandem::bench::add_options(command, settings);
  command.does([&settings] {
    tandem::bench::run(settings);
    return 0;
  });
  try {
    return program.run(argc, argv);
  } catch (const tandem::Error& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return 2;
  }
}
