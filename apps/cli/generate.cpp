// SPDX-License-Identifier: Apache-2.0
/// tandem generate: URDF of generated and shipped robots.
#include <algorithm>
#include <memory>

#include "cli.hpp"
#include "output.hpp"

namespace tandem::cli {
namespace {

struct GenerateOptions {
  std::string spec, out = "-";
  std::uint64_t seed = 1;
};

int generate_file(const GenerateOptions& options) {
  const std::vector<std::string> shipped = shipped_robots();
  const bool is_shipped = std::find(shipped.begin(), shipped.end(), options.spec) != shipped.end();
  WholeFile out(options.out);
  out.write(is_shipped ? std::string(shipped_robot(options.spec)) : write_urdf(generate(options.spec, options.seed)));
  out.commit();
  return done;
}

}  // namespace

void add_generate(Program& program) {
  auto options = std::make_shared<GenerateOptions>();
  Command command = program.add_command(
      "generate", "Write URDF of a generated or a shipped robot",
      R"(The same SPEC and seed give the same file on every machine. URDF has no spherical joints: they are
written as three continuous ones. For the list of generators: tandem list

Examples:
  tandem generate chain:1000 --seed 1 > chain.urdf
  tandem generate arm7 --out my_arm.urdf)");
  command.option("SPEC", options->spec, "a generator (chain:20) or a shipped robot's name", {.required = true});
  command.option("--seed", options->seed, "of the random numbers",
                 {.type = "N", .check = seed_number(), .shows_default = true});
  command.option("--out", options->out, "file to write; - is standard output", {.type = "FILE", .shows_default = true});
  command.does([options] { return generate_file(*options); });
}

}  // namespace tandem::cli
