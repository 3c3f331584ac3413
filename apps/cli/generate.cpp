// SPDX-License-Identifier: Apache-2.0
/// tandem generate: URDF of generated and shipped robots.
#include <algorithm>
#include <memory>

#include "cli.hpp"
#include "output.hpp"

namespace tandem::cli {
namespace {

struct Options {
  std::string spec, out = "-";
  std::uint64_t seed = 1;
};

int generate_file(const Options& options) {
  const std::vector<std::string> shipped = shipped_robots();
  const bool is_shipped = std::find(shipped.begin(), shipped.end(), options.spec) != shipped.end();
  WholeFile out(options.out);
  out.write(is_shipped ? std::string(shipped_robot(options.spec)) : write_urdf(generate(options.spec, options.seed)));
  out.commit();
  return done;
}

}  // namespace

void add_generate(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "generate", "Write URDF of a generated or a shipped robot",
                  R"(The same SPEC and seed give the same file on every machine. URDF has no spherical joints: they are
written as three continuous ones. For the list of generators: tandem list

Examples:
  tandem generate chain:1000 --seed 1 > chain.urdf
  tandem generate arm7 --out my_arm.urdf)");
  command->add_option("SPEC", options->spec, "a generator (chain:20) or a shipped robot's name")
      ->type_name("")
      ->required();
  command->add_option("--seed", options->seed, "of the random numbers")
      ->check(whole_number_from(0))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--out", options->out, "file to write; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  command->callback([options, &action] { action = [options] { return generate_file(*options); }; });
}

}  // namespace tandem::cli
