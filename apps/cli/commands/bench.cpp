// SPDX-License-Identifier: Apache-2.0
/// tandem bench: speed beside other libraries, where the benchmarks were built.
#include "cli.hpp"

#ifdef TANDEM_CLI_BENCH
#include "bench/bench.hpp"
#endif

namespace tandem::cli {

void add_bench(Program& program) {
  Command command = program.add_command("bench", "Compare the speed of libraries in a table", R"(Examples:
  tandem bench --suite batches --out results.jsonl
  tandem bench --suite serial arm7 chain:100
  tandem bench --table results.jsonl

scripts/bench builds it with Pinocchio and MuJoCo, stores results in
bench/results and plots them.)");
#ifdef TANDEM_CLI_BENCH
  const auto settings = std::make_shared<bench::Settings>();
  bench::add_options(command, *settings);
  command.does([settings] {
    bench::run(*settings);
    return done;
  });
#else
  command.allow_extras();
  command.does([]() -> int {
    throw RunError(
        "this program was built without benchmarks; use scripts/bench or configure with "
        "-DTANDEM_BUILD_BENCH=ON");
  });
#endif
}

}  // namespace tandem::cli
