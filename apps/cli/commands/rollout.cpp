// SPDX-License-Identifier: Apache-2.0
/// tandem rollout: many instances of a robot through time, into a file from which a run that was stopped goes on.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>

#include "cli.hpp"
#include "contacts.hpp"
#include "device.hpp"
#include "method_options.hpp"
#include "progress.hpp"
#include "rollout/cost_options.hpp"
#include "rollout/file.hpp"
#include "rollout/options.hpp"
#include "signals.hpp"

namespace tandem::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Instructions for the robot alone, if they can be had, from the first step on: those that come later have other signs
/// of zeros. rollout() has none.
template <class T>
Specialise specialised(const RolloutTask& task) {
  if (task.is_for_rollout()) return Specialise::off;
  SimulationOptions options;
  options.dynamics = task.rollout.dynamics;
  options.specialise = Specialise::wait;
  try {
    Simulation<T> trial(task.model, options);
    return Specialise::wait;
  } catch (const Error&) {
    return Specialise::off;
  }
}

/// Instances that go through their steps together: seconds of work, in tens of megabytes.
Index chunk_of(const RolloutCommand& options, const RolloutTask& task, std::size_t number, Index most) {
  constexpr std::int64_t work = 100'000'000, bytes = std::int64_t{1} << 26, most_at_once = 65536;
  const Model& m = task.model;
  const Index n = 2 * m.nv(), width = options.statistics ? Moments(n).size() : m.nq() + m.nv();
  Index numbers = task.kept() * width;
  for (const RolloutArgument* row : task.derivatives.inputs)
    if (is_of_every_step(*row)) numbers += task.rollout.steps * m.nv();
  const Index row = std::max<Index>(1, numbers * (options.statistics ? 8 : static_cast<Index>(number)));
  const Index unit = options.statistics ? members_of_group : 16;
  Index size = options.at_once;
  if (size == 0) {
    size = std::min(work / (task.passes() * task.rollout.steps * std::max(1, m.nv()) + 1),
                    options.statistics ? bytes / row * unit : bytes / row);
    size = std::clamp<Index>(size, 1, most_at_once);
    if (size > unit) size = size / unit * unit;
  }
  if (options.statistics) size = (size + unit - 1) / unit * unit;
  return std::clamp<Index>(size, 1, std::max<Index>(1, options.statistics ? (most + unit - 1) / unit * unit : most));
}

/// What became of a run.
struct RolloutAccount {
  Index before = 0, done = 0, diverged = 0;
  double seconds = 0;
  std::string how;  ///< the first one diverged
  ContactTally contacts;
};

template <class T>
class RolloutRun {
 public:
  RolloutRun(const RolloutRecord& record, Index chunk, bool resume)
      : record_(record),
        task_(record.task),
        path_(record.shard.path(record.path)),
        goes_on_(resume && std::filesystem::exists(path_)),
        file_(record, record.shard, path_, goes_on_ ? RolloutFile<T>::Mode::go_on : RolloutFile<T>::Mode::begin),
        chunk_(task_),
        size_(chunk) {}

  const std::string& path() const { return path_; }
  const RolloutAccount& account() const { return account_; }
  bool is_done() const { return file_.first() + file_.done() == file_.end(); }

  void go() {
    try {
      steps();
      file_.close(is_done() ? "finished" : fmt::format("interrupted by {}", StopBySignal::name()));
    } catch (const std::exception& error) {
      file_.give_up(fmt::format("failed: {}", error.what()));
      throw;
    }
  }

 private:
  void steps() {
    account_.before = account_.done = file_.done();
    const Index left = file_.end() - file_.first() - file_.done();
    const Index passes = task_.passes();
    Progress progress(left * task_.rollout.steps * passes, [&](std::int64_t done, double seconds) {
      return fmt::format("{} of {} instances  {} steps/s", grouped(static_cast<double>(file_.done())),
                         grouped(static_cast<double>(file_.end() - file_.first())),
                         grouped(static_cast<double>(done) / static_cast<double>(passes) / seconds));
    });
    const auto began = Clock::now();
    std::int64_t moved = 0;
    while (!is_done()) {
      const Index first = file_.first() + file_.done(), count = std::min(size_, file_.end() - first);
      file_.begin_chunk(count);
      const bool whole = chunk_.run(
          first, count, [&](Index k, Index moments, const T* q, const T* v) { file_.look(chunk_, k, moments, q, v); },
          [&](std::int64_t step) {
            progress.update(moved + step * count);
            return !StopBySignal::wanted();
          });
      if (!whole) break;
      file_.add(chunk_);
      account_.contacts.add(chunk_.contact_tally());
      moved += count * task_.rollout.steps * passes;
      account_.done = file_.done();
      count_diverged(first);
    }
    account_.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  }

  void count_diverged(Index first) {
    const auto& status = chunk_.status();
    for (std::size_t b = 0; b < status.size(); ++b) {
      if (status[b] == Status::ok) continue;
      if (account_.diverged++ == 0)
        account_.how = fmt::format("instance {} at step {} first", first + static_cast<Index>(b), chunk_.diverged()[b]);
    }
  }

  const RolloutRecord& record_;
  const RolloutTask& task_;
  std::string path_;
  bool goes_on_;
  RolloutFile<T> file_;
  RolloutChunk<T> chunk_;
  Index size_;
  RolloutAccount account_;
};

void print_rollout(const RolloutCommand& options, const RolloutRecord& record, const Choice& choice,
                   const RolloutAccount& a, const std::string& path) {
  const RolloutTask& task = record.task;
  const auto count = [](Index n) { return grouped(static_cast<double>(n)); };
  std::string text;
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "{}: nv {}, {} instances, {} steps of {} s, {}, {}\n", task.model.name(), task.model.nv(),
                 count(task.instances), count(task.rollout.steps), task.rollout.dt, options.integrator,
                 options.precision);
  text += first_warning(task.model, task.rollout.contacts.has_value());
  if (!record.shard.is_all())
    fmt::format_to(to, "  part       {}: instances {} to {}\n", record.shard.name(), record.first(record.shard),
                   record.end(record.shard) - 1);
  if (!options.randomize.empty())
    fmt::format_to(to, "  random     {}; seed {}\n", options.randomize, options.robot.seed);
  fmt::format_to(to, "  controls   {}\n", options.controls);
  if (task.cost.any()) fmt::format_to(to, "  cost       {}\n", options.cost);
  if (task.derivatives.any()) fmt::format_to(to, "  gradient   by {}\n", options.gradient);
  fmt::format_to(to, "  dynamics   {}\n",
                 task.device.kind == Device::cuda ? "one GPU thread per instance"
                 : task.is_for_rollout()          ? "all steps of a group of instances at a time"
                                                  : explained(choice));
  text += task.contacts + summary(a.contacts);
  if (a.before > 0) fmt::format_to(to, "  resumed    after {} instances\n", count(a.before));
  if (a.done > a.before && a.seconds > 0)
    fmt::format_to(to, "  speed      {} steps/s, {:.3g} s\n",
                   grouped(static_cast<double>((a.done - a.before) * task.rollout.steps) / a.seconds), a.seconds);
  if (a.diverged > 0) fmt::format_to(to, "  diverged   {} instances; {}\n", count(a.diverged), a.how);
  if (a.done == 0)  // the file appears with the first instances
    fmt::format_to(to, "  written    nothing\n");
  else
    fmt::format_to(to, "  written    {}, {} instances, {}\n", path, count(a.done),
                   options.statistics ? "as means and covariances"
                   : task.only_last   ? "their last states"
                                      : fmt::format("{} states each", count(task.kept())));
  fmt::print("{}", text);
}

template <class T>
int run_rollout(const RolloutCommand& options, RolloutTask& task) {
  const Choice choice = choose_method<T>(find_algorithm("forward_dynamics"), task.model, task.rollout.dynamics);
  if (task.threads == 0 && task.device.kind == Device::cpu && shard_from(options.shard).beside > 1)
    task.threads =
        std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / shard_from(options.shard).beside);
  task.rollout.specialise = specialised<T>(task);
  const RolloutRecord record{task, texts_of(options, task), options.statistics, options.out, shard_from(options.shard)};
  const auto count = [](Index n) { return grouped(static_cast<double>(n)); };
  if (options.dry_run) {
    fmt::print("{}: nv {}, {} instances, {} steps: the options are valid; nothing was written\n", task.model.name(),
               task.model.nv(), count(task.instances), count(task.rollout.steps));
    return done;
  }
  if (options.resume) {
    if (std::filesystem::exists(options.out) && run_of(record, {}, options.out) == "finished") {
      fmt::print("{} is finished: {} instances\n", options.out, count(task.instances));
      return done;
    }
    if (const Index other = other_count(options.out, record.shard.count); other > 0)
      throw Error(fmt::format("{} was begun in {} parts ({}): resume it with the same number", options.out, other,
                              Shard{1, other, 1}.path(options.out)));
  }
  const std::string path = record.shard.path(options.out);
  if (record.first(record.shard) < record.end(record.shard)) {
    bool is_there = false;
    if (options.resume && std::filesystem::exists(path)) is_there = run_of(record, record.shard, path) == "finished";
    if (!is_there) {
      std::optional<StopBySignal> stop(std::in_place);
      RolloutRun<T> run(record,
                        chunk_of(options, task, sizeof(T), record.end(record.shard) - record.first(record.shard)),
                        options.resume);
      run.go();
      const std::string name = stop->wanted() ? stop->name() : "";
      stop.reset();
      print_rollout(options, record, choice, run.account(), run.path());
      if (!run.is_done())
        throw RunError(fmt::format("interrupted by {}; {}", name,
                                   run.account().done > 0 ? fmt::format("{} has {} instances; continue with --resume",
                                                                        path, count(run.account().done))
                                                          : "no instance was finished"));
    }
  }
  if (record.shard.is_all()) return done;
  std::optional<StopBySignal> stop(std::in_place);
  const std::string left = join_shards<T>(record, options.keep_shards);
  fmt::print("  joined     {}\n",
             left.empty() ? fmt::format("{}, {} instances", options.out, count(task.instances)) : left);
  return done;
}

int run_rollout(const RolloutCommand& options) {
  RolloutTask task = task_of(options);
  return options.precision == "float" ? run_rollout<float>(options, task) : run_rollout<double>(options, task);
}

constexpr const char* help_of_rollout =
    R"(Every instance starts at --q0, --v0 and differs from the others by the random variables of --randomize: a list of
NAME=LAW or NAME@ELEMENT=LAW, separated by commas. Links touch as in
tandem simulate; --contacts off ignores contacts.

  q=uniform             uniform within joint limits, uniform rotations
  q=normal:0.1          --q0 plus normal increments of this standard deviation, rad or m; uniform:R, uniform:A:B
  v@joint2=normal:0.5   velocity of one joint, rad/s or m/s
  mass=uniform:0.8:1.2  a factor for the mass of every link; lognormal:S: exp(S z), z normal
  inertial@link7=...    a factor for mass and inertia of a link; also inertia, armature, damping, friction, stiffness
  com=normal:0.01       increment of the centers of mass, m; gravity, m/s^2

--cost is a list of TERM=WEIGHT or TERM@JOINT=WEIGHT, separated by commas: weighted sums of squares of

  q, v                  displacement from --goal, and velocity, before every step, times dt
  effort                joint torques of --controls in every step, times dt
  final_q, final_v      displacement from --goal, and velocity, at the end

--gradient is the exact gradient of the computed steps (reverse mode). Gradients by configurations have nv rows, in the
tangent space of integrate. tau is the gradient by torques added to --controls, or by those of its file, for every step.
A diverged instance has infinite cost and no gradient (NaN).

Random numbers depend on the seed, the number of the instance and the variable: an instance is the same in any ensemble,
on any number of threads, machines and parts.

The file has one row per instance: q [instances, kept, nq], v, status (0: ok), diverged_at_step, the initial state
and the random parameters; t [kept]; the robot, all options and the seed are attributes. A diverged instance keeps
its last valid state and does not affect the others. --cost adds the cost of every instance, --gradient adds
cost_by_NAME. With --statistics the file has mean_q, mean_v, covariance and count for each stored time instead of
states, over instances that have not diverged.

The file is written in chunks of instances and is valid at all times: after a run was killed, interrupted or stopped
by a full disk it has all completed chunks. --resume continues from there, and the resulting file is byte-identical to
that of an uninterrupted run; it starts a new file if there is none, and rejects a file of another rollout. The
attribute run says how a run ended.

Under mpirun or mpiexec, or with --shard I/N, every process writes its part of the instances to FILE.I-of-N.h5; the
last one to finish joins the parts to FILE.h5, which is byte-identical to that of a single run, and removes them.

An existing file is replaced when the first instances are done; it is an error if another process writes to it.

Exit code 1 if the run was interrupted or the file cannot be written; diverged instances are not an error.

Examples:
  tandem rollout arm7 --instances 10000 --steps 1000 --dt 1e-3 --randomize q=uniform,v=normal:0.1 --every 100 \
    --out arms.h5
  tandem rollout arm7 --instances 1000000 --steps 1000 --dt 1e-3 --controls pd+gravity --kp 100 --kd 10 --final \
    --randomize q=normal:0.3,inertial@link7=uniform:0.5:3 --out loads.h5 --resume
  tandem rollout arm7 --instances 1000 --steps 300 --dt 5e-3 --controls pd --kp 100 --kd 20 --goal 0,0.3,0,0.5,0,0.3,0 \
    --randomize mass=uniform:0.8:1.2 --cost final_q=100,effort=1e-3 --gradient q_target,kp,mass --final --out slopes.h5
  tandem rollout humanoid --instances 4096 --steps 500 --dt 1e-3 --randomize q=normal:0.05 --statistics --out spread.h5
  mpirun -n 4 tandem rollout arm7 --instances 100000 --steps 1000 --dt 1e-3 --randomize q=uniform --final \
    --out arms.h5 --resume)";

}  // namespace

void add_rollout(Program& program) {
  auto options = std::make_shared<RolloutCommand>();
  Command command = program.add_command("rollout", "Simulate many instances of a robot", help_of_rollout);
  const auto text = [&](const char* name, std::string& value, const std::string& what, const char* type,
                        bool shown = false) {
    command.option(name, value, what, {.type = type, .shows_default = shown});
  };
  options->robot.add_to(command, false);
  options->robot.add_packages_to(command);
  command.option("--instances", options->instances, "number of instances",
                 {.type = "N", .check = whole_number_from(1), .required = true});
  command.option("--steps", options->steps, "number of steps",
                 {.type = "K", .check = whole_number_from(1), .required = true});
  command.option("--dt", options->dt, "time step, s", {.type = "DT", .required = true});
  command.option("--out", options->out, "file to write (.h5, .hdf5)", {.type = "FILE", .required = true});
  text("--controls", options->controls,
       "joint torques: none; gravity (compensation); pd to --target with --kp and --kd; pd+gravity; or a file, "
       "CSV with "
       "tau0,tau1,... and one line per step, or HDF5 with tau [steps, nv] or [instances, steps, nv]",
       "NAME|FILE", true);
  command.option("--q0", options->q0,
                 "initial configuration: neutral (default; with contacts home or qpos0 of the file), leaning, random, "
                 "nq numbers, or a CSV or HDF5 file (its first state)",
                 {.type = "Q", .may_be_empty = true});
  command.option("--v0", options->v0, "initial velocity: zero, random (-1 to 1), or nv numbers",
                 {.type = "V", .shows_default = true, .may_be_empty = true});
  text("--randomize", options->randomize, "random variables: q=LAW,v=LAW,mass=LAW,... (see below)", "SPEC");
  command.option("--seed", options->robot.seed, "seed of all random numbers and of generated robots",
                 {.type = "N", .check = seed_number(), .shows_default = true});
  command.option("--every", options->every, "store the first, every K-th and the last state",
                 {.type = "K", .check = whole_number_from(1), .shows_default = true});
  command.flag("--final", options->last, "store the last state only");
  command.flag("--statistics", options->statistics, "store means and covariances instead of states");
  command.flag("--resume", options->resume, "continue an interrupted run from its file, or start if there is no file");
  command.option("--integrator", options->integrator, values_of<Integrator>(), {.type = "NAME", .shows_default = true});
  text("--target", options->target, "target of pd: neutral, random, or nq numbers (neutral)", "Q");
  text("--kp", options->kp, "gain: one number for all joints except free joints, or nv numbers (0)", "KP");
  text("--kd", options->kd, "gain, likewise (0)", "KD");
  text("--cost", options->cost, "cost of each instance: final_q=10,effort=1e-3,... (see below)", "SPEC");
  text("--goal", options->goal, "reference of --cost: neutral, random, or nq numbers (--target, else neutral)", "Q");
  text("--gradient", options->gradient,
       fmt::format("write the gradient of the cost by some of: {}", fmt::join(names_of_gradients(), ", ")), "NAME,...");
  command.flag("--lossless", options->lossless, "ignore joint damping and friction");
  command.flag("--no-limits", options->no_limits, "ignore joint limits");
  add_contacts(command, options->contacts);
  command.option(
      "--max-speed", options->max_speed,
      "speed of any joint, rad/s or m/s, at which an instance has diverged; inf: no limit; 0: a full turn per step",
      {.type = "V", .shows_default = true});
  add_precision(command, options->precision);
  command.option("--threads", options->threads, "number of threads; 0: all cores, divided among processes of mpirun",
                 {.type = "N", .check = whole_number_from(0), .shows_default = true});
  add_device(command, options->device);
  command.option("--at-once", options->at_once, "instances computed and written together; 0: some seconds of work",
                 {.type = "N", .check = whole_number_from(0), .shows_default = true});
  text("--shard", options->shard, "compute part I of N, e.g. 2/4 (rank and size of mpirun)", "I/N");
  command.flag("--dry-run", options->dry_run, "check all options, write nothing");
  command.flag("--keep-shards", options->keep_shards, "keep the files of parts after joining them");
  options->method.add_to(command);
  command.does([options] { return run_rollout(*options); });
}

}  // namespace tandem::cli
