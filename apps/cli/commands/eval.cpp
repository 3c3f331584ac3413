// SPDX-License-Identifier: Apache-2.0
/// tandem eval: one function of a robot over a file of states.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <span>

#include "cli.hpp"
#include "device.hpp"
#include "files/hdf5.hpp"
#include "files/states.hpp"
#include "method_options.hpp"
#include "progress.hpp"

namespace tandem::cli {
namespace {

struct EvalOptions {
  std::string function, in = "-", out = "-", group, precision = "double", reference = "local";
  std::string device = "cpu", specialise = to_string(Specialise::automatic);
  std::vector<std::string> frames, with;
  int threads = 0;
  bool status = false, explain = false;
  RobotOptions robot;
  MethodOptions method;
  StepOptions step;
};

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Frames to write, by --frame: all if there is none.
std::vector<int> chosen_frames(const EvalOptions& options, const Algorithm& algorithm, const Model& model) {
  std::vector<int> frames;
  for (const std::string& name : options.frames) frames.push_back(model.frame_index(name));
  const bool writes_frames = std::any_of(algorithm.arguments.begin(), algorithm.arguments.end(),
                                         [](const Argument& a) { return a.rows == Rows::pose; });
  if (algorithm.reads("frame") && frames.size() != 1) {
    std::string names;
    const int shown = std::min(model.n_frames(), 20);
    for (int k = 0; k < shown; ++k) names += (k ? ", " : "") + std::string(model.frame_name(k));
    if (shown < model.n_frames()) names += fmt::format(" and {} more (tandem info --all)", model.n_frames() - shown);
    throw Error(fmt::format("{} needs {} --frame; {} has {}", dashed(algorithm.name), frames.empty() ? "a" : "one",
                            model.name(), names));
  }
  if (!frames.empty() && !algorithm.reads("frame") && !writes_frames)
    throw Error(fmt::format("{} does not use the option frame", algorithm.name));
  if (frames.empty()) {
    frames.resize(static_cast<std::size_t>(model.n_frames()));
    std::iota(frames.begin(), frames.end(), 0);
  }
  return frames;
}

Options algorithm_options(const EvalOptions& options, const Algorithm& algorithm, const std::vector<int>& frames) {
  Options result;
  if (algorithm.reads("frame")) result.frame = frames[0];
  result.reference = from_name<Reference>(options.reference);
  options.method.read(algorithm, result);
  options.step.read(result);
  if (!algorithm.reads("reference") && result.reference != Reference::local)
    throw Error(fmt::format("{} does not use the option reference", algorithm.name));
  return result;
}

bool is_given(const Task& task, const std::vector<char>& given, std::string_view name) {
  for (std::size_t a = 0; a < given.size(); ++a)
    if (given[a] && task.argument(a).name == name) return true;
  return false;
}

/// --with names optional outputs, whose inputs must be there.
void check_with(const EvalOptions& options, const Task& task, const std::vector<char>& given) {
  const std::string function = dashed(task.algorithm.name);
  std::vector<std::string> names;
  for (const Argument& argument : task.algorithm.arguments)
    if (argument.role == Role::optional_output) names.emplace_back(argument.name);
  for (const std::string& wanted : options.with)
    if (!has(names, wanted))
      throw Error(fmt::format("{} has no optional output {}; it has {}", function, wanted,
                              names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  if (task.model.nv() == 0) return;
  const auto needs = [&](const std::string& output, const std::string& input) {
    if (is_given(task, given, input)) return;
    const std::string what = is_hdf5_file(options.in)
                                 ? fmt::format("dataset {}", input)
                                 : fmt::format("columns {}0..{}{}", input, input, task.model.nv() - 1);
    throw Error(fmt::format("{}: {} needs the {}", function, output, what));
  };
  for (std::size_t a = 0; a < given.size(); ++a) {
    const std::string name = task.argument(a).name;
    if (task.argument(a).role != Role::optional_output || !task.takes_part[a]) continue;
    for (const char input : std::string_view(task.argument(a).needs)) needs(name, std::string(1, input));
  }
}

/// Inputs that the file has; of optional outputs those asked for, velocities if there is a velocity, accelerations if
/// there is an acceleration too.
void choose_arguments(const EvalOptions& options, Task& task, const std::vector<char>& given) {
  task.takes_part.resize(given.size());
  for (std::size_t a = 0; a < given.size(); ++a) {
    const std::string_view name = task.argument(a).name, needs = task.argument(a).needs;
    switch (task.argument(a).role) {
      case Role::input:
      case Role::output: task.takes_part[a] = 1; break;
      case Role::optional_input: task.takes_part[a] = given[a]; break;
      case Role::optional_output:
        task.takes_part[a] =
            has(options.with, name) || (!needs.empty() && is_given(task, given, needs.substr(needs.size() - 1)));
    }
  }
  check_with(options, task, given);
}

template <class T>
Source<T> open_source(const EvalOptions& options, const Task& task) {
  if (is_hdf5_file(options.in)) return hdf5_source<T>(options.in, options.group, task.algorithm, task.model);
  if (!options.group.empty()) throw Error(fmt::format("--group requires an HDF5 file; {} is not one", options.in));
  return csv_source<T>(options.in, task.algorithm, task.model);
}

template <class T>
Sink<T> open_sink(const std::string& path, const Task& task) {
  return is_hdf5_name(path) ? hdf5_sink<T>(path, task) : csv_sink<T>(path, task);
}

/// States by what became of them.
struct Tally {
  std::array<Index, n_statuses> states{};
  std::int32_t fewest = 0, most = 0;  ///< steps of an iteration

  void add(std::span<const Status> statuses, std::span<const std::int32_t> iterations) {
    const auto [low, high] = std::ranges::minmax(iterations);
    fewest = all() == 0 ? low : std::min(fewest, low);
    most = std::max(most, high);
    for (const Status s : statuses) ++states[static_cast<std::size_t>(s)];
  }
  Index all() const { return std::accumulate(states.begin(), states.end(), Index{0}); }
  /// "; 25 to 31 steps", or nothing where nothing iterated.
  std::string steps() const {
    return most == 0        ? ""
           : fewest == most ? fmt::format("; {} steps", most)
                            : fmt::format("; {} to {} steps", fewest, most);
  }
  /// Says on standard error how many states have no good results. States outside of limits have, and count only if
  /// `limits`.
  void report(bool limits) const {
    std::vector<std::string> kinds;
    Index bad = 0;
    for (const Status s : {Status::singular, Status::overflow, Status::underflow, Status::zero_quaternion,
                           Status::non_finite, Status::not_converged, Status::limit}) {
      const Index n = states[static_cast<std::size_t>(s)];
      if (n == 0 || (s == Status::limit && !limits)) continue;
      bad += n;
      kinds.push_back(fmt::format("{} {}", n, s == Status::limit ? "outside limits" : dashed(to_string(s))));
    }
    if (bad > 0) tell(fmt::format("note: {} of {} states: {}\n", bad, all(), fmt::join(kinds, ", ")));
  }
};

/// Reads states, evaluates them a chunk at a time, writes what comes out.
template <class T>
void run(const EvalOptions& options, Task& task) {
  const Source<T> source = open_source<T>(options, task);
  choose_arguments(options, task, source.given);
  Chunk<T> chunk(task, source.shared);
  const Sink<T> sink = open_sink<T>(options.out, task);
  const Device device = device_named(options.device, options.status);
  const Plan<T> plan(task.model, task.algorithm, task.options, device, from_name<Specialise>(options.specialise));
  Workspace<T> work;
  Tally tally;
  std::string explanation;
  Progress progress(source.length, [&](std::int64_t, double seconds) {
    const auto states = static_cast<double>(tally.all());
    return fmt::format("{} states  {} states/s", grouped(states), grouped(states / seconds));
  });
  for (source.read(chunk); chunk.size > 0; source.read(chunk)) {
    Batch<T> batch(chunk.size, task.threads);
    const auto status = std::span(chunk.status).first(static_cast<std::size_t>(chunk.size));
    const auto iterations = std::span(chunk.iterations).first(status.size());
    if (device.kind == Device::cpu) {
      batch.status = status;
      batch.iterations = iterations;
    }
    evaluate<T>(plan, chunk.arrays(), batch, work);
    if (options.explain && explanation.empty())
      explanation = explained(choose_method<T>(task.algorithm, task.model, task.options));
    sink.write(chunk);
    tally.add(status, iterations);
    progress.update(source.position());
  }
  sink.commit();
  progress.finish();
  tally.report(task.writes_status);
  if (!explanation.empty()) tell(fmt::format("{}{}\n", explanation, tally.steps()));
  if (!explanation.empty() && !plan.execution_path().divides) tell(plan.served_by() + "\n");
}

void check_function(const std::string& name) {
  try {
    find_algorithm(name);
  } catch (const Error&) {
    std::vector<std::string> names;
    for (const Algorithm& algorithm : algorithms()) names.push_back(dashed(algorithm.name));
    throw Error(fmt::format("unknown function \"{}\"{}\nSee tandem list.", name, suggestion(dashed(name), names)));
  }
}

int eval(const EvalOptions& options) {
  check_table_name(options.out);
  check_function(options.function);
  const Model model = options.robot.load();
  const Algorithm& algorithm = find_algorithm(options.function);
  const std::vector<int> frames = chosen_frames(options, algorithm, model);
  Task task{model,           algorithm,     algorithm_options(options, algorithm, frames), frames, {},
            options.threads, options.status};
  if (options.precision == "float")
    run<float>(options, task);
  else
    run<double>(options, task);
  return done;
}

constexpr const char* help_of_eval =
    R"(A file is HDF5 if its name ends in .h5 or .hdf5 (an input also if it begins like one), else CSV. If
there is an error, nothing is written. States are read, computed and written a few megabytes at a
time, so that files may be larger than memory.

CSV: a line of column names, then one state per line. Columns of the input, in any
order: the inputs of the function (tandem list) by name and index: q0 q1 ... v0 ... a0 ... tau0 ...;
of difference q0_0 q0_1 ... q1_0 ...; external wrenches, all optional, at the link's origin along its
axes: LINK.fx .fy .fz .tx .ty .tz, their tangents df_ext.LINK.fx ... Other columns are
errors, except q, v, a and tau that the function does not use.
Columns of the output: vectors a0 a1 ..., tau0 ...; matrices by rows M0_0 M0_1 ..., J0_0 ...;
poses FRAME.x .y .z .qx .qy .qz .qw (w >= 0); velocities FRAME.vx .vy .vz .wx .wy .wz and
accelerations FRAME.ax .ay .az .alphax .alphay .alphaz, if the input has v and a; com.x .y .z;
kinetic, potential. Numbers have 17 digits, in float 9. nan and inf are valid numbers.
A robot without joints has a header without columns and an empty line for each state.

HDF5: a dataset for each argument, q [batch, nq], v, a, tau [batch, nv], f_ext [batch, links, 6],
..., of any type of real numbers or integers. One without batch, such as tau [nv], is used for
all states. Other datasets are ignored with a note. The output has datasets M [batch, nv, nv],
J [batch, 6, nv], pose [batch, frames, 3, 4] as rows of [R | p], velocity [batch, frames, 6], kinetic
[batch], ..., in --precision, with units and meaning as attributes, and frame_names.

--status adds a column, or the dataset status of numbers 0 to 7 (attribute values), with the status of each
state: ok; limit, outside of the limits of the robot, the results are valid; non_finite, nan or inf in an input;
singular mass matrix; not_converged, an iteration ended above its --tolerance; overflow, intermediate numbers
are too large; underflow, the numbers of the mass matrix are too small; zero_quaternion. A note at the end
counts states without valid results. With --explain, iterative methods print their number of steps.

Examples:
  tandem eval inverse-dynamics arm7 --in states.csv --out torques.csv
  tandem eval mass-matrix humanoid --in states.h5 --out M.h5 --precision float
  tandem eval forward-dynamics rope:10000 --method scan --explain --in states.h5 --out a.h5
  tandem eval forward-dynamics humanoid --method crba < states.csv > accelerations.csv
  tandem eval jacobian arm7 --frame tool0 --reference world --in q.csv)";

}  // namespace

void add_eval(Program& program) {
  auto options = std::make_shared<EvalOptions>();
  Command command = program.add_command("eval", "Evaluate a function of a robot over a file of states", help_of_eval);
  command.option("FUNCTION", options->function, "function: inverse-dynamics, mass-matrix, ...; see tandem list",
                 {.required = true});
  options->robot.add_to(command);
  command.option("--in", options->in, "file of states, CSV or HDF5 (.h5, .hdf5); - is standard input, CSV",
                 {.type = "FILE", .shows_default = true});
  command.option("--out", options->out, "file to write, CSV or HDF5 (.h5, .hdf5); - is standard output, CSV",
                 {.type = "FILE", .shows_default = true});
  command.option("--group", options->group, "group of the datasets in an HDF5 input (the root group)",
                 {.type = "PATH"});
  add_precision(command, options->precision);
  options->method.add_to(command);
  command.flag("--explain", options->explain, "print the chosen method and the reason", "Method");
  command.option("--specialise", options->specialise,
                 "whether to compile kernels for the robot: " + values_of<Specialise>(),
                 {.type = "NAME", .shows_default = true, .group = "Method"});
  command.option("--frame", options->frames,
                 "frame of a Jacobian; frames to write of forward-kinematics (repeatable; default all)",
                 {.type = "NAME", .repeats = true});
  command.option("--reference", options->reference,
                 "axes and reference point of velocities and Jacobians: " + values_of<Reference>(),
                 {.type = "NAME", .shows_default = true});
  options->step.add_to(command);
  command.option("--with", options->with,
                 "also write this optional output: J of centre-of-mass, A of centroidal-momentum",
                 {.type = "NAME", .repeats = true});
  command.option("--threads", options->threads, "number of threads (default all cores)",
                 {.type = "N", .check = whole_number_from(1)});
  command.flag("--status", options->status, "also write the status of each state: ok, limit, non_finite, ...");
  add_device(command, options->device);
  command.does([options] { return eval(*options); });
}

}  // namespace tandem::cli
