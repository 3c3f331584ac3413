// SPDX-License-Identifier: Apache-2.0
/// The benchmarks as a program of their own; `tandem bench` is the same.
#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "bench.hpp"
#include "tandem/error.hpp"

int main(int argc, char** argv) {
  CLI::App app("Benchmarks of Tandem beside its rivals, all rows in turn in one run.", "tandem_bench");
  tandem::bench::Settings settings;
  tandem::bench::add_options(app, settings);
  CLI11_PARSE(app, argc, argv);
  try {
    tandem::bench::run(settings);
  } catch (const tandem::Error& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return 2;
  }
  return 0;
}
