// SPDX-License-Identifier: Apache-2.0
/// tandem macroparallel: one chain on a row of processors, stage by stage, as [Pond] chapter 3 has it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "cli.hpp"
#include "start_state.hpp"
#include "table.hpp"
#include "tandem/api/macroparallel.hpp"

namespace tandem::cli {
namespace {

struct MacroparallelCommand {
  RobotOptions robot;
  int processors = 0, repeats = 200;
  double tolerance = 0;
  std::int64_t max_iterations = 0;
  std::string freezing = "none";
  std::string q0 = "random", v0 = "random";
};

/// "1 body", "2 bodies".
std::string counted(Index n, const char* one, const char* many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

/// The least of many runs.
MacroparallelReport timed(Macroparallel& row, const MacroparallelOptions& options, const StartState& s, int repeats,
                          std::vector<double>& a) {
  const std::vector<double> tau(s.v.size(), 0.0);
  row.set_options(options);
  MacroparallelReport best = row.forward_dynamics(s.q, s.v, tau, {}, a);
  for (int k = 1; k < repeats; ++k) {
    const MacroparallelReport r = row.forward_dynamics(s.q, s.v, tau, {}, a);
    if (r.seconds < best.seconds) best = r;
  }
  return best;
}

/// T_v and T_ab: what is gained where they are left out.
struct Timed {
  MacroparallelReport all;
  double velocities = 0, sums = 0;
};
Timed timed_parts(Macroparallel& row, const MacroparallelCommand& c, Index iterations, const StartState& s) {
  std::vector<double> a(s.v.size());
  MacroparallelOptions fixed;
  fixed.fixed_iterations = std::max<Index>(iterations, 1);
  Timed t;
  t.all = timed(row, fixed, s, c.repeats, a);
  fixed.left_out = LeftOut::velocities;
  t.velocities = t.all.seconds - timed(row, fixed, s, c.repeats, a).seconds;
  fixed.left_out = LeftOut::sums;
  t.sums = t.all.seconds - timed(row, fixed, s, c.repeats, a).seconds;
  return t;
}

/// The largest difference to the direct method, as a part of the largest acceleration.
double error_of(const Model& model, const StartState& s, const std::vector<double>& a) {
  std::vector<double> direct(a.size()), tau(a.size(), 0.0);
  Workspace<double> work;
  const auto rows = static_cast<Index>(a.size());
  const Array<double> arguments[] = {Array<double>::input(s.q.data(), model.nq()),
                                     Array<double>::input(s.v.data(), rows),
                                     Array<double>::input(tau.data(), rows),
                                     {},
                                     {},
                                     Array<double>::output(direct.data(), rows)};
  evaluate<double>(find_algorithm("forward_dynamics"), model, arguments, Batch<double>(1, 1), work,
                   {.method = Method::articulated_body});
  double most = 0, off = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    most = std::max(most, std::abs(direct[k]));
    off = std::max(off, std::abs(a[k] - direct[k]));
  }
  return most > 0 ? off / most : off;
}

int run(const MacroparallelCommand& c) {
  const Model model = c.robot.load();
  StartState s = start_state_from(model, c.q0, c.v0, c.robot.seed);
  MacroparallelOptions options;
  options.processors = c.processors;
  options.tolerance = c.tolerance;
  options.max_iterations = c.max_iterations;
  options.freezing = from_name<Freezing>(c.freezing);
  Macroparallel row(model, options), alone(model, {.processors = 1});
  std::vector<double> a(s.v.size());
  const MacroparallelReport done = timed(row, options, s, 1, a);
  fmt::print("{}: {} on {}, {}{}{}, relative error {:.1e}\n\n", model.name(),
             counted(model.n_links() - 1, "body", "bodies"), counted(row.processors(), "processor", "processors"),
             counted(done.iterations, "iteration", "iterations"), done.converged ? "" : " (not converged)",
             options.freezing != Freezing::none
                 ? fmt::format("; {} converged early", counted(done.stopped_early, "processor", "processors"))
                 : "",
             error_of(model, s, a));
  const Timed one = timed_parts(alone, c, done.iterations, s), all = timed_parts(row, c, done.iterations, s);
  Table table({{"microseconds"},
               {"one processor", Table::Align::right},
               {counted(row.processors(), "processor", "processors"), Table::Align::right}});
  const auto line = [&](const char* name, double serial, double parallel) {
    table.add({name, fmt::format("{:.2f}", 1e6 * serial), fmt::format("{:.2f}", 1e6 * parallel)});
  };
  static constexpr const char* stages[] = {"I    joints", "II   velocities", "III  constraint forces", "IV   bodies",
                                           "V    joint accelerations"};
  for (std::size_t k = 0; k < 5; ++k) line(stages[k], one.all.stage[k], all.all.stage[k]);
  line("all", one.all.seconds, all.all.seconds);
  // a part that takes less than the runs scatter may seem to take less than nothing, or nothing as printed
  constexpr double least = 0.5e-8;
  const auto part = [](double seconds) { return seconds > least ? fmt::format("{:.2f}", 1e6 * seconds) : "-"; };
  table.add({"T_v   velocity recursion", part(one.velocities), part(all.velocities)});
  table.add({"T_ab  sums", part(one.sums), part(all.sums)});
  table.print(stdout, 8);
  if (std::min({one.velocities, one.sums, all.velocities, all.sums}) <= least)
    fmt::print("\n- : below the noise of the times\n");
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  if (cores > 0 && row.processors() > cores)
    fmt::print("\n{} threads share {}: their times include waiting\n", row.processors(),
               counted(cores, "core", "cores"));
  fmt::print("\n{} times as fast as one processor; {:.1f} messages per processor\n",
             fmt::format("{:.3g}", one.all.seconds / all.all.seconds), all.all.messages);
  return done.converged ? cli::done : failed_run;
}

constexpr const char* help_of_macroparallel =
    R"(Forward dynamics by conjugate gradients on constraint forces, J-PPCG(2), with one thread per run of bodies
and communication between neighbours only: the macroparallel algorithm of Pond's thesis, chapter 3. Times are
the fastest of --repeats runs, with the iterations that the tolerance needs. Times of stages are means over the
processors and include waiting. T_v and T_ab are the time saved without the velocity recursion, or without the
sums over all bodies, as in the thesis; "-" if that is below the noise.

--freezing stops processors that have converged, as the thesis proposes, which loses accuracy: with values, as
printed, neighbours continue with the last values, which may diverge; with forces, the forces are kept.
Exit code 1 if the iteration did not converge.

Examples:
  tandem macroparallel chain:10
  tandem macroparallel chain:64 --processors 64 --tolerance 1e-6 --freezing forces --repeats 3)";

}  // namespace

void add_macroparallel(Program& program) {
  auto options = std::make_shared<MacroparallelCommand>();
  Command command = program.add_command("macroparallel", "Time a chain on a row of processors, stage by stage",
                                        help_of_macroparallel);
  options->robot.add_to(command);
  command.option("--processors", options->processors, "number of threads, each with a run of bodies; 0: all cores",
                 {.type = "P", .check = whole_number_from(0), .shows_default = true});
  command.option("--tolerance", options->tolerance, "tolerance of the iteration; 0: 1e-12",
                 {.type = "X", .shows_default = true});
  command.option("--max-iterations", options->max_iterations, "limit of iterations; 0: the method's default",
                 {.type = "N", .check = whole_number_from(0), .shows_default = true});
  command.option("--freezing", options->freezing, "treatment of converged processors: none, values or forces",
                 {.type = "NAME", .check = one_of({"none", "values", "forces"}), .shows_default = true});
  command.option("--q0", options->q0, "configuration: random, neutral, leaning, or nq numbers",
                 {.type = "Q", .shows_default = true});
  command.option("--v0", options->v0, "velocity: random, zero, or nv numbers", {.type = "V", .shows_default = true});
  command.option("--repeats", options->repeats, "number of runs; the fastest is reported",
                 {.type = "N", .check = whole_number_from(1), .shows_default = true});
  command.does([options] { return run(*options); });
}

}  // namespace tandem::cli
