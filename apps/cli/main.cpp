// SPDX-License-Identifier: Apache-2.0
/// The command line `tandem`: picks the command, turns every error into one text and an exit code.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>

#include "cli.hpp"
#include "signals.hpp"
#include "tandem/version.hpp"

namespace tandem::cli {
namespace {

constexpr const char* examples = R"(Examples:
  tandem info arm7
  tandem eval inverse-dynamics arm7 --in states.csv --out torques.csv
  tandem simulate humanoid --time 10 --dt 0.001 --out fall.csv
  tandem generate chain:1000 --seed 1 > chain.urdf
  tandem check my_robot.urdf --floating

Every command has its own help: tandem COMMAND --help.
Exit code: 0 done; 1 the run failed (a check failed, a simulation diverged, output
cannot be written); 2 wrong usage or a bad file.)";

int say(const std::string& text, int code) {
  std::fflush(stdout);
  tell("error: " + text + "\n");
  return code;
}

int run(int argc, const char* const* argv) {
  Program program("tandem", "Tandem: rigid-body dynamics of articulated robots.", TANDEM_VERSION, examples);
  add_info(program);
  add_eval(program);
  add_simulate(program);
  add_rollout(program);
  add_generate(program);
  add_generate_header(program);
  add_check(program);
  add_list(program);
  add_bench(program);
  add_compare(program);
  add_macroparallel(program);
  add_tune(program);
  add_schedule(program);
  add_view(program);
  return program.run(argc, argv);
}

/// Runs and sees to it that what was printed has arrived.
int run_and_flush(int argc, const char* const* argv) {
  const int code = run(argc, argv);
  if (std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot write to standard output");
  return code;
}

}  // namespace
}  // namespace tandem::cli

int main(int argc, char** argv) {
  using namespace tandem::cli;
  prepare_process();
  try {
    return run_and_flush(argc, argv);
  } catch (const RunError& error) {
    return say(error.what(), failed_run);
  } catch (const tandem::Error& error) {
    return say(error.what(), bad_usage);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) return failed_run;  // nobody listens any more
    return say(error.what(), failed_run);
  } catch (const std::bad_alloc&) {
    return say("out of memory", failed_run);
  } catch (const std::exception& error) {
    return say(error.what(), failed_run);
  }
}
