// SPDX-License-Identifier: Apache-2.0
/// tandem tune: measures which method is fastest when, and keeps it for `automatic`; with a GPU, too, from how many
/// states on that is faster, for the device "auto".
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "cli.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "tandem/api/automatic.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cli {
namespace {

struct TuneOptions {
  std::string out;
  int threads = 0;
  double milliseconds = 20;
  bool dry_run = false;
};

constexpr Index lengths[] = {32, 48, 64, 96, 128, 192, 256, 512, 1024, 4096, 16384, 65536};
/// A method replaces what was best for shorter chains only if it gains this much.
constexpr double worthwhile = 0.95;

/// Arrays of a problem in random states.
template <class T>
class Calls {
 public:
  Calls(const Algorithm& algorithm, const Model& model, Index batch)
      : algorithm_(algorithm), model_(model), batch_(batch) {
    const auto& m = model.view<double>();
    const auto q = random_configuration(model, 1);
    for (const Argument& argument : algorithm.arguments) {
      const Index rows = shape(argument.rows, m).count();
      auto& x = memory_.emplace_back(is_optional(argument) ? 0 : static_cast<std::size_t>(rows * batch));
      for (std::size_t k = 0; k < x.size() && argument.role == Role::input; ++k)
        x[k] = argument.rows == Rows::q ? static_cast<T>(q[k % q.size()])
                                        : static_cast<T>(std::sin(0.7 * static_cast<double>(k)));
      arrays_.push_back({x.empty() ? nullptr : x.data(), rows, 1});
    }
  }

  /// The fastest of several calls, ns a state.
  double time(const Options& options, int threads, double milliseconds, const Device& device = {}) {
    using std::chrono::steady_clock;
    double best = INFINITY;
    const auto begin = steady_clock::now();
    for (int calls = 0;
         calls < 3 || steady_clock::now() - begin < std::chrono::duration<double, std::milli>(milliseconds); ++calls) {
      const auto before = steady_clock::now();
      evaluate<T>(algorithm_, model_, arrays_, Batch<T>(batch_, threads), work_, options, device);
      best = std::min(best, std::chrono::duration<double, std::nano>(steady_clock::now() - before).count());
    }
    return best / static_cast<double>(batch_);
  }

 private:
  const Algorithm& algorithm_;
  const Model& model_;
  Index batch_;
  std::vector<std::vector<T>> memory_;
  std::vector<Array<T>> arrays_;
  Workspace<T> work_;
};

/// What may be chosen: the algorithm's own methods, and those that divide a robot without needing a matrix for it or
/// losing digits.
std::vector<Options> candidates(const Algorithm& algorithm) {
  if (algorithm.methods.empty()) return {};
  std::vector<Options> result = {{.method = algorithm.methods[1]}};
  for (const Method method : methods_of(algorithm))
    if ((method == Method::scan || method == Method::composite_scan) && keeps_digits(algorithm, method))
      result.push_back({.method = method});
  return result;
}

/// How a call is timed: on so many threads, and whether all their lanes have states of their own or there is one state.
struct Load {
  int threads;
  bool many_states;
};

/// Of all kinds of calls on `threads` threads at most; a mass matrix of a long robot, or many states of it, take too
/// much memory or time.
std::vector<Load> loads(int threads, Index links, bool matrix) {
  std::vector<Load> all;
  for (const int n : threads > 1 ? std::vector{1, threads} : std::vector{1}) {
    if (!matrix || links <= 1024) all.push_back({n, false});
    if (links <= (matrix ? 256 : 4096)) all.push_back({n, true});
  }
  return all;
}

/// The steps of one row: at every length the method that is fastest in the geometric mean over all loads, as one serves
/// them all; kept while nothing gains on it.
template <class T>
TuningRow tuned(const Algorithm& algorithm, int threads, double milliseconds, const std::function<void()>& tick) {
  TuningRow row = {algorithm.name, std::is_same_v<T, float>, {}};
  const std::vector<Options> options = candidates(algorithm);
  Method chosen = options[0].method;
  for (const Index n : lengths) {
    tick();
    const bool matrix = algorithm.arguments.back().rows == Rows::matrix;
    const Model model = load("chain:" + std::to_string(n));
    std::vector<double> times(options.size(), 1);
    const std::vector<Load> all = loads(threads, n, matrix);
    if (all.empty()) continue;
    for (const Load& load : all) {
      Calls<T> calls(algorithm, model, load.many_states ? load.threads * 64 / static_cast<Index>(sizeof(T)) : 1);
      for (std::size_t k = 0; k < options.size(); ++k)
        times[k] *=
            refusal(algorithm, model, options[k]) ? INFINITY : calls.time(options[k], load.threads, milliseconds);
    }
    for (double& time : times) time = std::pow(time, 1 / static_cast<double>(all.size()));
    const auto now = static_cast<std::size_t>(
        std::find_if(options.begin(), options.end(), [&](const Options& o) { return o.method == chosen; }) -
        options.begin());
    const auto best = static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
    if (times[best] >= worthwhile * times[now]) continue;
    chosen = options[best].method;
    row.steps.push_back({n, best == 0 ? Method::automatic : chosen, 0});
  }
  return row;
}

/// Robots that crossovers are measured with: an arm, a humanoid.
constexpr const char* robots_for_gpu[] = {"arm7", "humanoid"};

template <class T>
CrossoverRow with_gpu(const Algorithm& algorithm, int threads, double milliseconds, const std::function<void()>& tick) {
  constexpr Index most_states = Index{1} << 20, most_bytes = Index{1} << 28;
  CrossoverRow row = {algorithm.name, std::is_same_v<T, float>, {}};
  for (const char* robot : robots_for_gpu) {
    tick();
    const Model model = load(robot);
    Index bytes = sizeof(T);
    for (const Argument& argument : algorithm.arguments)
      if (!is_optional(argument)) bytes += shape(argument.rows, model.view<double>()).count() * Index{sizeof(T)};
    const auto time = [&](Device::Kind kind, Index states) {
      Calls<T> calls(algorithm, model, states);
      return calls.time({}, kind == Device::cpu ? threads : 0, milliseconds, {kind, -1});
    };
    row.steps.push_back({model.n_joints(), crossover(time, std::min(most_states, most_bytes / bytes))});
  }
  return row;
}

void print(const TuningTable& table) {
  Table lines({{"function"}, {"precision"}, {"from number of links"}});
  for (const TuningRow& row : table.rows) {
    std::string steps;
    for (const TuningStep& step : row.steps)
      steps += fmt::format("{}{}: {}", steps.empty() ? "" : ", ", step.links,
                           step.method == Method::automatic ? "default" : dashed(to_string(step.method)));
    lines.add({dashed(row.algorithm), row.in_float ? "float" : "double", steps.empty() ? "default methods" : steps});
  }
  lines.print(stdout, table.rows.size());
  fmt::print("\nMachines for tandem schedule, ns\n\n");
  Table machines({{"machine"},
                  {"operation", Table::Align::right},
                  {"sine or cosine", Table::Align::right},
                  {"task", Table::Align::right},
                  {"message of 3 numbers", Table::Align::right}});
  for (const MachineModel& m : table.machines)
    machines.add({m.name, fmt::format("{:.2f}", 1000 * m.multiplication), fmt::format("{:.1f}", 1000 * m.trigonometric),
                  fmt::format("{:.1f}", 1000 * m.task), fmt::format("{:.0f}", 1000 * m.message(3))});
  machines.print(stdout, table.machines.size());
  if (table.gpu.empty()) {
    fmt::print("\nNo GPU was measured: {}\n", cuda::why_unavailable());
    return;
  }
  fmt::print("\n{}, arrays in host memory: number of states from which it is faster than the CPU\n\n", table.gpu);
  Table columns({{"function"}, {"precision"}, {robots_for_gpu[0]}, {robots_for_gpu[1]}});
  for (const CrossoverRow& row : table.crossovers) {
    const auto states = [&](std::size_t k) {
      return row.steps[k].states > 0 ? fmt::format("{}", row.steps[k].states) : std::string("never");
    };
    columns.add({dashed(row.algorithm), row.in_float ? "float" : "double", states(0), states(1)});
  }
  columns.print(stdout, table.crossovers.size());
}

int tune(const TuneOptions& options) {
  const std::string file = options.out.empty() ? tuning_file() : options.out;
  if (file.empty() && !options.dry_run) throw Error("there is no home folder; give a file with --out");
  const int all =
      options.threads > 0 ? options.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  TuningTable table;
  table.machine = machine_name();
  table.origin = file;
  std::vector<const Algorithm*> tuned_algorithms;
  for (const Algorithm& algorithm : algorithms())
    if (candidates(algorithm).size() > 1) tuned_algorithms.push_back(&algorithm);
  auto total = static_cast<std::int64_t>(std::size(lengths) * tuned_algorithms.size()) * 2;
  if (cuda::is_available()) {
    table.gpu = cuda::device().name;
    total += static_cast<std::int64_t>(algorithms().size() * std::size(robots_for_gpu)) * 2;
  }
  std::int64_t measured = 0;
  Progress progress(total, [&](std::int64_t k, double) { return fmt::format("{} of {} measurements", k, total); });
  const auto tick = [&] { progress.update(measured++); };
  for (const Algorithm* const algorithm : tuned_algorithms) {
    table.rows.push_back(tuned<double>(*algorithm, all, options.milliseconds, tick));
    table.rows.push_back(tuned<float>(*algorithm, all, options.milliseconds, tick));
  }
  for (const Algorithm& algorithm : algorithms()) {
    if (table.gpu.empty()) break;
    table.crossovers.push_back(with_gpu<double>(algorithm, all, options.milliseconds, tick));
    table.crossovers.push_back(with_gpu<float>(algorithm, all, options.milliseconds, tick));
  }
  progress.finish();
  table.machines = measured_machines(options.milliseconds);
  if (!table.gpu.empty()) table.machines.push_back(measured_gpu());
  fmt::print("{}\n\n", table.machine);
  print(table);
  if (options.dry_run) return done;
  write_tuning_table(file, table);
  fmt::print("\nWritten to {}; method automatic uses it.\n", file);
  return done;
}

}  // namespace

void add_tune(Program& program) {
  auto options = std::make_shared<TuneOptions>();
  Command command = program.add_command(
      "tune", "Measure the fastest methods on this machine, for --method automatic",
      R"(Measures random chains of 32 to 65536 links: one method for all calls, with one state or many, on one thread
or all cores, so that a state always has the same result. Takes one or two minutes; run nothing else meanwhile.
Without a table of this machine a built-in one is used. With a GPU it also measures, for every function, from how
many states of an arm and of a humanoid the GPU is faster than all cores with arrays in host memory (device "auto"),
and times of operations and messages in a thread block, for tandem schedule --machine gpu.

Examples:
  tandem tune
  tandem tune --dry-run --milliseconds 5)");
  command.option("--out", options->out, "file to write (TANDEM_TUNING, or tandem/tuning.json in ~/.config)",
                 {.type = "FILE"});
  command.option("--threads", options->threads, "largest number of threads (default all cores)",
                 {.type = "N", .check = whole_number_from(1)});
  command.option("--milliseconds", options->milliseconds, "time of each measurement",
                 {.type = "T", .check = number_above_zero(), .shows_default = true});
  command.flag("--dry-run", options->dry_run, "print the table, write nothing");
  command.does([options] { return tune(*options); });
}

}  // namespace tandem::cli
