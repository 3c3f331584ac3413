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
#include "device.hpp"
#include "method_options.hpp"
#include "progress.hpp"
#include "rollout/file.hpp"
#include "rollout/options.hpp"
#include "signals.hpp"

namespace tandem::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Instructions for the robot alone, if they can be had, from the first step on: those that come later have other signs of zeros.
/// rollout() has none.
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
  if (task.derivatives.tau) numbers += task.rollout.steps * m.nv();
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
  if (!record.shard.is_all())
    fmt::format_to(to, "  part       {}: instances {} to {}\n", record.shard.name(), record.first(record.shard),
                   record.end(record.shard) - 1);
  if (!options.randomize.empty())
    fmt::format_to(to, "  random     {}; seed {}\n", options.randomize, options.robot.seed);
  fmt::format_to(to, "  controls   {}\n", options.controls);
  if (task.cost.any()) fmt::format_to(to, "  cost       {}\n", options.cost);
  if (task.derivatives.any()) fmt::format_to(to, "  gradient   by {}\n", options.gradient);
  fmt::format_to(to, "  dynamics   {}\n",
                 task.device.kind == Device::cuda ? "a thread of the GPU for each instance"
                 : task.is_for_rollout()          ? "all steps of some instances side by side, then the next"
                                                  : explained(choice));
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
    fmt::print("{}: nv {}, {} instances, {} steps: nothing is wrong with the options; nothing written\n",
               task.model.name(), task.model.nv(), count(task.instances), count(task.rollout.steps));
    return done;
  }
  if (options.resume) {
    if (std::filesystem::exists(options.out) && run_of(record, {}, options.out) == "finished") {
      fmt::print("{} is finished: {} instances\n", options.out, count(task.instances));
      return done;
    }
    if (const Index other = other_count(options.out, record.shard.count); other > 0)
      throw Error(fmt::format("{} was begun in {} parts ({}): resume it in as many", options.out, other,
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
        throw RunError(fmt::format(
            "interrupted by {}; {}", name,
            run.account().done > 0
                ? fmt::format("{} holds {} instances, and --resume goes on from there", path, count(run.account().done))
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
    R"(Every instance begins in the state --q0, --v0 and differs from the others in what --randomize says. Words of it are
NAME=LAW or NAME@ELEMENT=LAW, separated by commas:

  q=uniform             anywhere within position limits, rotations uniform
  q=normal:0.1          moved from --q0 by normal numbers of that standard deviation, rad or m; uniform:R, uniform:A:B
  v@joint2=normal:0.5   the velocity of one joint, rad/s or m/s, likewise
  mass=uniform:0.8:1.2  every link's mass times a number of its own; lognormal:S: times exp(S z), z normal
  inertial@link7=...    mass and inertia of a link times one number; also inertia, armature, damping, friction, stiffness
  com=normal:0.01       what is added to centres of mass, m; gravity, m/s^2

Words of --cost are TERM=WEIGHT or TERM@JOINT=WEIGHT, separated by commas: squares, with these weights, of

  q, v                  the way from --goal and the velocity before every step, times dt
  effort                joint forces of --controls in every step, times dt
  final_q, final_v      the way from --goal and the velocity in the end

--gradient goes back through all steps, exactly for the steps as they were taken. Rows of configurations are nv: how the cost
changes as q moves by integrate. tau is by joint forces besides --controls, or by those of its file, step by step. An instance
that diverged costs infinity and has no gradient (NaN).

Random numbers belong to the seed, the number of the instance and what is drawn: an instance is the same in any ensemble,
on any number of threads, machines and parts.

The file has a row for every instance: q [instances, kept, nq], v, status (0: sound), diverged_at_step, what it began with
and its random parameters; t [kept]; as attributes the robot, all options and the seed. An instance that diverges stays where
it was last within reason and touches no other. With --cost it has the cost of every instance, with --gradient derivatives
of that, cost_by_NAME. With --statistics it has mean_q, mean_v, covariance and count of
each kept moment instead of states, of those that have not diverged.

It grows a chunk of instances at a time and is whole at every moment: what a run that was killed, interrupted or met
a full disk leaves has all chunks before that. --resume goes on from there, and the file comes to the bytes that it would
have had; it begins anew if there is no file, and refuses one of another rollout. The attribute run says how a run ended.

Under mpirun or mpiexec, or with --shard I/N, every process does its part of the instances into FILE.I-of-N.h5; the last one
to finish joins the parts to FILE.h5, which has the bits of a single run, and removes them.

A file that is there is replaced when the first instances are done, and refused while another process writes to it.

Exit code 1 if the run was interrupted or the file cannot be written; instances that diverge are a result.

Examples:
  tandem rollout arm7 --instances 10000 --steps 1000 --dt 1e-3 --randomize q=uniform,v=normal:0.1 --every 100 --out arms.h5
  tandem rollout arm7 --instances 1000000 --steps 1000 --dt 1e-3 --controls pd+gravity --kp 100 --kd 10 --final \
    --randomize q=normal:0.3,inertial@link7=uniform:0.5:3 --out loads.h5 --resume
  tandem rollout arm7 --instances 1000 --steps 300 --dt 5e-3 --controls pd --kp 100 --kd 20 --goal 0,0.3,0,0.5,0,0.3,0 \
    --randomize mass=uniform:0.8:1.2 --cost final_q=100,effort=1e-3 --gradient q_target,kp,mass --final --out slopes.h5
  tandem rollout humanoid --instances 4096 --steps 500 --dt 1e-3 --randomize q=normal:0.05 --statistics --out spread.h5
  mpirun -n 4 tandem rollout arm7 --instances 100000 --steps 1000 --dt 1e-3 --randomize q=uniform --final --out arms.h5 --resume)";

}  // namespace

void add_rollout(Program& program) {
  auto options = std::make_shared<RolloutCommand>();
  Command command = program.add_command("rollout", "Move many instances of a robot through time", help_of_rollout);
  const auto text = [&](const char* name, std::string& value, const char* what, const char* type, bool shown = false) {
    command.option(name, value, what, {.type = type, .shows_default = shown});
  };
  options->robot.add_to(command, false);
  command.option("--instances", options->instances, "how many robots",
                 {.type = "N", .check = whole_number_from(1), .required = true});
  command.option("--steps", options->steps, "how many steps of each",
                 {.type = "K", .check = whole_number_from(1), .required = true});
  command.option("--dt", options->dt, "time step, s", {.type = "DT", .required = true});
  command.option("--out", options->out, "file to write (.h5, .hdf5)", {.type = "FILE", .required = true});
  text("--controls", options->controls,
       "joint forces: none; gravity, which hold the weight; pd, to --target by --kp and --kd; pd+gravity; or a file, "
       "CSV with "
       "tau0,tau1,... and a line a step, or HDF5 with tau [steps, nv] or [instances, steps, nv]",
       "NAME|FILE", true);
  command.option("--q0", options->q0,
                 "start: neutral, leaning, random, nq numbers, or a CSV or HDF5 file (its first state)",
                 {.type = "Q", .shows_default = true, .may_be_empty = true});
  command.option("--v0", options->v0, "start: zero, random (-1 to 1), or nv numbers",
                 {.type = "V", .shows_default = true, .may_be_empty = true});
  text("--randomize", options->randomize, "in what instances differ: q=LAW,v=LAW,mass=LAW,... (see below)", "SPEC");
  command.option("--seed", options->robot.seed, "of all that is random, and of generated robots",
                 {.type = "N", .check = seed_number(), .shows_default = true});
  command.option("--every", options->every, "keep the first, every K-th and the last state",
                 {.type = "K", .check = whole_number_from(1), .shows_default = true});
  command.flag("--final", options->last, "keep the last state only");
  command.flag("--statistics", options->statistics, "keep means and covariances instead of states");
  command.flag("--resume", options->resume, "go on with the file of a run that was stopped; begin where there is none");
  command.option("--integrator", options->integrator, values_of<Integrator>(), {.type = "NAME", .shows_default = true});
  text("--target", options->target, "of pd: neutral, random, or nq numbers (neutral)", "Q");
  text("--kp", options->kp, "gain: one number for all joints but free ones, or nv numbers (0)", "KP");
  text("--kd", options->kd, "gain, likewise (0)", "KD");
  text("--cost", options->cost, "of what instances do: final_q=10,effort=1e-3,... (see below)", "SPEC");
  text("--goal", options->goal, "of --cost: neutral, random, or nq numbers (--target; without one neutral)", "Q");
  text("--gradient", options->gradient,
       "write how the cost changes with some of: q0, v0, tau, q_target, kp, kd, mass, com, inertia, armature, damping, "
       "friction, stiffness, gravity",
       "NAME,...");
  command.flag("--lossless", options->lossless, "leave out joint damping and friction");
  command.flag("--no-limits", options->no_limits, "leave out the stops at position limits");
  command.option("--max-speed", options->max_speed,
                 "of any joint, rad/s or m/s, with which an instance has diverged; inf: none; 0: a full turn in a step",
                 {.type = "V", .shows_default = true});
  add_precision(command, options->precision);
  command.option("--threads", options->threads, "how many; 0: all cores, shared with other processes of mpirun",
                 {.type = "N", .check = whole_number_from(0), .shows_default = true});
  add_device(command, options->device);
  command.option("--at-once", options->at_once, "instances that are computed and written together; 0: seconds of work",
                 {.type = "N", .check = whole_number_from(0), .shows_default = true});
  text("--shard", options->shard, "part I of N, 2/4; what mpirun says unless given", "I/N");
  command.flag("--dry-run", options->dry_run, "check all options and end; write nothing");
  command.flag("--keep-shards", options->keep_shards, "leave the files of parts when they are joined");
  options->method.add_to(command);
  command.does([options] { return run_rollout(*options); });
}

}  // namespace tandem::cli
