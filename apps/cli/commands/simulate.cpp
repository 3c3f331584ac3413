// SPDX-License-Identifier: Apache-2.0
// Over 400 lines, as a quarter of it is its help.
/// tandem simulate: one robot through time, into a file.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "cli.hpp"
#include "contacts.hpp"
#include "files/hdf5.hpp"
#include "files/recording.hpp"
#include "film.hpp"
#include "method_options.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "start_state.hpp"
#include "table.hpp"

namespace tandem::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct SimulateOptions {
  RobotOptions robot;
  double time = 0, dt = 1e-3;
  std::string integrator = "semi-implicit-euler", out, precision = "double";
  std::string first_guess = "zero", specialise = to_string(Specialise::automatic);
  std::string q0 = "leaning", v0 = "zero", target, kp, kd, ctrl;
  std::vector<std::string> moved;
  std::string contacts = "auto";
  MethodOptions method;
  FilmOptions film;
  std::int64_t every = 1;
  bool lossless = false, no_limits = false;
  double excess = 1, max_speed = 0;
};

/// The default initial configuration: leaning, if no option moves the robot or holds it; with contacts, "home" or
/// "qpos0" of its file.
std::string start_of(const SimulateOptions& options, const Model& model, bool touches) {
  if (options.q0 == "leaning" && touches) return start_name(model, touches, "leaning");
  const bool driven = options.v0 != "zero" || !options.moved.empty() || !options.target.empty() ||
                      !options.kp.empty() || !options.kd.empty() || !options.ctrl.empty();
  return options.q0 == "leaning" && driven ? "neutral" : options.q0;
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What a run has been through.
struct Account {
  std::int64_t steps = 0, lines = 0;
  double stepping = 0;  ///< s of wall time
  Energies start, end;
  double drift = 0, largest_kinetic = 0;  ///< J; of the energy budget, at its largest
  double largest_q = 0, largest_v = 0;
  double stopped = 0;     ///< J, of what was dissipated
  ContactTally contacts;
  Iterated iterated;      ///< where forward dynamics does
  std::string at_limits;  ///< joints that lie against their stops at the end
};

enum class End { on_time, stopped, diverged };

template <class T>
class Run {
 public:
  Run(const SimulateOptions& options, const Model& model, const SimulationOptions& settings, std::int64_t steps,
      const StartState& start, const Driven& driven)
      : options_(options), steps_(steps), simulation_(model, settings), tau_(driven.tau.begin(), driven.tau.end()) {
    if (!driven.ctrl.empty()) std::ranges::copy(driven.ctrl, simulation_.ctrl().begin());
    std::copy(start.q.begin(), start.q.end(), simulation_.q().begin());
    std::copy(start.v.begin(), start.v.end(), simulation_.v().begin());
    if (settings.contacts) touching_ = links_that_touch(*settings.contacts);
    if (!options.out.empty()) out_.emplace(options.out, model, options.robot, steps / options.every + 2, touching_);
    if (options.film.wanted()) film_.emplace(options.film, options.robot, steps, options.time);
  }

  /// The recording says how it ended, by an error, too.
  End go() {
    try {
      return steps();
    } catch (const std::exception& error) {
      if (out_) out_->give_up(fmt::format("failed: {}", error.what()));
      throw;
    }
  }

  /// Draws the film, if there is to be one.
  void draw() {
    if (film_) film_->draw();
  }

  const Account& account() const { return account_; }
  const Divergence* divergence() const { return simulation_.divergence(); }

 private:
  End steps() {
    Progress progress(steps_, [this](std::int64_t done, double seconds) {
      return fmt::format("{:.2f} of {:.4g} s  {} steps/s",
                         options_.time * static_cast<double>(done) / static_cast<double>(steps_), options_.time,
                         grouped(static_cast<double>(done) / seconds));
    });
    look(0);
    account_.start = account_.end;
    End end = End::on_time;
    while (account_.steps < steps_ && end == End::on_time) {
      const std::int64_t until = std::min({steps_, account_.steps / options_.every * options_.every + options_.every,
                                           film_ ? film_->next_step() : steps_});
      const auto began = Clock::now();
      while (account_.steps < until && end == End::on_time) {
        simulation_.step(tau_);
        if (simulation_.divergence()) {
          end = End::diverged;
        } else {
          progress.update(++account_.steps);
          if (StopBySignal::wanted()) end = End::stopped;
        }
      }
      account_.stepping += seconds_since(began);
      // what diverged is back where it was last within reason
      if (end != End::diverged || account_.steps != looked_at_) look(account_.steps, end != End::on_time);
    }
    account_.stopped = simulation_.stopped();
    account_.contacts = simulation_.contact_tally();
    account_.at_limits = joints_at_limits();
    account_.iterated = simulation_.iterated();
    if (out_) out_->close(ending(end, account_.steps));
    return end;
  }

  std::string ending(End end, std::int64_t step) const {
    if (end == End::stopped) return fmt::format("interrupted by {}", StopBySignal::name());
    if (end == End::diverged) return fmt::format("diverged at step {}: {}", step + 1, simulation_.divergence()->what);
    return "finished";
  }

  /// Notes the energies and adds the state to the file and to the film, where it is their turn.
  void look(std::int64_t step, bool last = false) {
    looked_at_ = step;
    T kinetic = 0, potential = 0;
    energy<T>(simulation_.model(), simulation_.q(), simulation_.v(), kinetic, potential, work_);
    account_.end = {kinetic, potential, simulation_.dissipated(), simulation_.work()};
    if (step > 0) account_.drift = std::max(account_.drift, std::abs(account_.end.budget() - account_.start.budget()));
    account_.largest_kinetic = std::max(account_.largest_kinetic, double{kinetic});
    for (const T x : simulation_.q()) account_.largest_q = std::max(account_.largest_q, std::abs(double{x}));
    for (const T x : simulation_.v()) account_.largest_v = std::max(account_.largest_v, std::abs(double{x}));
    const double t = step > 0 ? static_cast<double>(step) / (static_cast<double>(steps_) / options_.time) : 0;
    const Energies& e = account_.end;
    if (film_ && (step == film_->next_step() || last))
      film_->add<T>(t, std::array{e.kinetic, e.potential, e.dissipated, e.work}, simulation_.q());
    if (!out_ || !(step % options_.every == 0 || step == steps_ || last)) return;
    ++account_.lines;
    std::vector<double> forces;
    for (const int link : touching_) {
      const std::array<double, 3> f = simulation_.contact_force(link);
      forces.insert(forces.end(), f.begin(), f.end());
    }
    out_->add(t, simulation_.q(), simulation_.v(), e, forces);
  }

  /// Those that push against a stop, the first few by name.
  std::string joints_at_limits() const {
    constexpr int most = 6;
    const Model& model = simulation_.model();
    std::string text;
    int n = 0;
    for (int joint = 1; joint < model.n_links(); ++joint) {
      const int side = simulation_.at_limit(joint);
      if (side == 0 || ++n > most) continue;
      text += fmt::format("{}{} ({})", n > 1 ? ", " : "", model.joint_name(joint), side > 0 ? "upper" : "lower");
    }
    return n > most ? fmt::format("{} and {} more", text, n - most) : text;
  }

  const SimulateOptions& options_;
  std::int64_t steps_, looked_at_ = 0;
  Simulation<T> simulation_;
  std::vector<T> tau_;  ///< N m|N, given to every step
  std::vector<int> touching_;  ///< links that can touch
  std::optional<Recording<T>> out_;
  std::optional<Film> film_;
  Workspace<T> work_;
  Account account_;
};

std::string started(const SimulateOptions& options, const std::string& q) {
  std::string text = q == "leaning"
                         ? "leaning: joints off neutral by 0.3 rad or 0.03 m, less in long robots or near limits"
                     : q == "neutral" ? "neutral"
                     : q == "random"  ? fmt::format("random, seed {}", options.robot.seed)
                     : q != options.q0 ? fmt::format("configuration {} of the file", q)
                                      : "as given";
  if (!options.moved.empty()) text += ", moved";
  return text + (options.v0 == "zero" ? ", at rest" : options.v0 == "random" ? ", random velocities" : ", in motion");
}

/// Steps of conjugate gradients, what the first guess saved of them, and what did not come to its tolerance.
std::string iterations(const Iterated& i, const std::string& first_guess) {
  if (i.solutions == 0) return "";
  const auto solutions = static_cast<double>(i.solutions);
  std::string text =
      fmt::format("  iterations {} in {} solutions, {:.4g} each; first guess {}", grouped(static_cast<double>(i.steps)),
                  grouped(solutions), static_cast<double>(i.steps) / solutions, first_guess);
  if (i.compared > 0)
    text += fmt::format(", which saved {:.3g} each (compared with {} solutions from zero)", i.saved() / solutions,
                        grouped(static_cast<double>(i.compared)));
  if (i.not_converged > 0)
    text += fmt::format("\n             {} solutions did not converge", grouped(static_cast<double>(i.not_converged)));
  return text + "\n";
}

void print_summary(const SimulateOptions& options, const Model& model, const Choice& choice, const Account& a,
                   const std::string& started_in, const std::string& contacts, const SimulationOptions& settings,
                   double wall) {
  std::string text;
  const auto to = std::back_inserter(text);
  const double dt = settings.dt;
  const double simulated = static_cast<double>(a.steps) * dt;
  fmt::format_to(to, "{}: nv {}, {}, dt {} s, {}\n", model.name(), model.nv(), options.integrator, brief(dt),
                 options.precision);
  text += first_warning(model, settings.contacts.has_value());
  fmt::format_to(to, "  start      {}\n", started(options, started_in));
  fmt::format_to(to, "  dynamics   {}\n", explained(choice));
  fmt::format_to(to, "  steps      {}, {} s of motion\n", grouped(static_cast<double>(a.steps)), brief(simulated));
  text += iterations(a.iterated, options.first_guess);
  text += contacts + summary(a.contacts);
  if (a.steps > 0 && a.stepping > 0)
    fmt::format_to(to, "  speed      {} steps/s, {:.3g} times real time ({:.3g} s of {:.3g} s in steps)\n",
                   grouped(static_cast<double>(a.steps) / a.stepping), simulated / a.stepping, a.stepping, wall);
  fmt::format_to(to, "  energy     {:.6g} J at the start, {:.6g} J at the end\n", a.start.sum(), a.end.sum());
  const double lost = a.end.dissipated - a.stopped - a.contacts.taken;
  if (std::abs(lost) > 1e-12 * (std::abs(a.end.dissipated) + std::abs(a.contacts.taken)))
    fmt::format_to(to, "  losses     {:.6g} J, by damping and friction\n", lost);
  if (a.stopped != 0 || !a.at_limits.empty())
    fmt::format_to(to, "  limits     {:.6g} J, by joint limits{}{}\n", a.stopped,
                   a.at_limits.empty() ? "" : "; active at the end: ", a.at_limits);
  if (a.end.work != 0) fmt::format_to(to, "  work       {:.6g} J, done by {}\n", a.end.work,
                   options.ctrl.empty() ? "the controller" : "the actuators");
  fmt::format_to(to, "  drift      {:.3g} J at most, of energy + losses - work", a.drift);
  if (a.largest_kinetic > 0)
    fmt::format_to(to, "; {:.2g} times the largest kinetic energy, {:.6g} J", a.drift / a.largest_kinetic,
                   a.largest_kinetic);
  fmt::format_to(to, "\n");
  fmt::format_to(to, "  largest    |q| {:.3g}, |v| {:.3g}\n", a.largest_q, a.largest_v);
  if (!options.out.empty() && options.out != "-")
    fmt::format_to(to, "  written    {}, {} states\n", options.out, grouped(static_cast<double>(a.lines)));
  if (options.out == "-")
    tell(text);
  else
    fmt::print("{}", text);
}

/// Ends other than the planned one: how far it got, and where that is.
void check_end(End end, const SimulateOptions& options, const Account& a, double dt, const Divergence* divergence) {
  if (end == End::on_time) return;
  const std::string kept =
      options.out.empty() || options.out == "-" ? "" : fmt::format("; {} has the earlier states", options.out);
  const double t = static_cast<double>(a.steps) * dt;
  if (end == End::stopped)
    throw RunError(
        fmt::format("interrupted at t = {} s (step {}) by {}{}", brief(t), a.steps, StopBySignal::name(), kept));
  throw RunError(fmt::format("the simulation diverged at t = {} s (step {}): {}{}\n{}", brief(t + dt), a.steps + 1,
                             divergence->what, kept, divergence->advice));
}

template <class T>
int simulate(const SimulateOptions& options, const Model& model, const SimulationOptions& settings, std::int64_t steps,
             const StartState& start, const Driven& driven, const std::string& started_in,
             const std::string& contacts) {
  const Choice choice = choose_method<T>(find_algorithm("forward_dynamics"), model, settings.dynamics);
  std::optional<StopBySignal> stop(std::in_place);
  Run<T> run(options, model, settings, steps, start, driven);
  const auto began = Clock::now();
  const End end = run.go();
  stop.reset();
  print_summary(options, model, choice, run.account(), started_in, contacts, settings, seconds_since(began));
  run.draw();
  if (options.film.wanted() && options.out != "-") fmt::print("  drawn      {}\n", options.film.path);
  check_end(end, options, run.account(), settings.dt, run.divergence());
  return done;
}

int simulate(const SimulateOptions& options) {
  const auto check = [](const char* name, double x, bool good, const char* expected) {
    if (!good) throw Error(fmt::format("{} is {}, expected {}", name, brief(x), expected));
  };
  check("--time", options.time, std::isfinite(options.time) && options.time >= 0, "a finite non-negative number");
  check("--dt", options.dt, std::isfinite(options.dt) && options.dt > 0, "a finite positive number");
  check("--excess", options.excess, options.excess >= 0, "0 or more, or inf");
  check("--max-speed", options.max_speed, options.max_speed >= 0, "0 or more, or inf");
  // a whole number of steps ends at the time asked for; a remainder makes all steps a little shorter
  const double exact = options.time / options.dt;
  check("--time / --dt", exact, exact < 1e15, "less than 1e15 steps");
  const auto steps = static_cast<std::int64_t>(std::ceil(exact * (1 - 1e-12)));

  SimulationOptions settings;
  settings.dt = steps > 0 ? options.time / static_cast<double>(steps) : options.dt;
  settings.integrator = from_name<Integrator>(options.integrator);
  settings.losses = !options.lossless;
  settings.limits = !options.no_limits;
  settings.excess = options.excess;
  settings.max_speed = options.max_speed;
  settings.first_guess = from_name<FirstGuess>(options.first_guess);
  settings.specialise = from_name<Specialise>(options.specialise);
  options.method.read(find_algorithm("forward_dynamics"), settings.dynamics);
  check_table_name(options.out);
  options.film.check();
  const Model model = options.robot.load(true, options.contacts != "off");
  if (!options.target.empty() || !options.kp.empty() || !options.kd.empty())
    settings.controller = controller_from(model, options.target, options.kp, options.kd, options.robot.seed);
  const Driven driven = drive_by_actuators(model, options.ctrl, settings);
  const ContactsOfRun contacts = contacts_of(options.contacts, model, settings);
  settings.contacts = contacts.set;
  const std::string started_in = start_of(options, model, contacts.set.has_value());
  StartState start = start_state_from(model, started_in, options.v0, options.robot.seed);
  for (const std::string& moved : options.moved) move_joint(model, start, moved);
  if (!contacts.set) close_start(model, start);
  const auto run = options.precision == "float" ? &simulate<float> : &simulate<double>;
  return run(options, model, settings, steps, start, driven, started_in, contacts.text);
}

constexpr const char* help_of_simulate =
    R"(The default initial state is at rest and leaning: every joint except free joints is off its neutral position by
0.3 rad or 0.03 m, less in long robots and near limits. With --v0, --move or a controller it is neutral, with contacts
the configuration home or qpos0 of the file. Joint damping, friction, springs and joint limits act (see --no-limits).
The robot is driven by nothing, by a PD controller, tau = kp (target - q) - kd v, clipped to effort limits, or by the
actuators of its MJCF file with the constant controls --ctrl: as in MuJoCo, or as a controller with integrators that
have stages. Velocity limits do NOT act.

Links with shapes of an MJCF file touch the base (its floor) and each other, with MuJoCo's soft contact model, in
semi-implicit-euler and rk4. Springs and dampers then hold loop joints and couplers, and joints that follow others by
constraints of the file, which have coordinates of their own. The summary counts pairs and names what is not simulated.
--contacts off ignores contacts; loop joints and mimic joints are then exact.

semi-implicit-euler (order 1) is implicit in damping, friction, springs and the controller, so that stiff ones are
stable; rk4 (order 4) is explicit in all forces. Both integrate quaternions and planes on their manifolds and are
implicit in joint limits. If --time is not a multiple of --dt, the steps are slightly shorter.

The file has a line for every K-th step and the last one: t,q0,...,v0,...,kinetic,potential,energy,
dissipated,work; with contacts also contact_force_LINK_x, _y and _z, the force on each link that can touch, N, along
the axes of the world. Named .h5 or .hdf5 it is HDF5 with the datasets t [steps], q [steps, nq], v [steps, nv],
kinetic, ... [steps], contact_force [steps, links, 3]. Energy + dissipated - work is constant up to the error of the
integrator; the summary prints its drift. Exit code 1 if the run diverged or was ended by Ctrl-C or another signal.

A run has diverged, and ends, if a number is not finite, if the kinetic energy is above (1 + --excess) times
the largest energy that initial state, gravity, springs and controller can give (--excess inf: not checked), or if a
joint makes more than a full turn per step (--max-speed V: is faster than V rad/s or m/s; inf: not checked). The
file ends with the last valid state, and the message names the joint and possible remedies.

A file is valid at all times and at most one second behind: after a run was killed or stopped by a full disk it has
all earlier states, complete. The attribute run of an HDF5 file is running, finished, interrupted by SIGINT, diverged
at step N with the cause, or failed with the reason; if the run was killed, it is running. Some lines of a CSV file
begin with blanks, so that no line crosses a page of 4096 bytes.

--render draws a picture of poses and energies, or a video, with the Python package tandem and Matplotlib
(pip install '.[film]'). The interpreter is python3, or that of TANDEM_PYTHON. Videos in .mp4 need ffmpeg or the
Python package imageio-ffmpeg.

Examples:
  tandem simulate arm7 --time 10 --q0 random --integrator rk4 --out arm7.csv
  tandem simulate humanoid --time 10 --kp 200 --kd 20 --target neutral --every 10 --out stand.csv
  tandem simulate panda.xml --time 1 --q0 home --ctrl home
  tandem simulate rope:1000 --time 9 --dt 5e-4 --integrator rk4 --move ball1=0,1.57,0 --render rope.mp4
  tandem simulate chain:40 --time 3 --dt 5e-4 --method crba --render chain.png
  tandem simulate rope:10 --time 1 --dt 1e-4 --method conjugate-gradient --tolerance 1e-6 --first-guess linear)";

}  // namespace

void add_simulate(Program& program) {
  auto options = std::make_shared<SimulateOptions>();
  Command command = program.add_command("simulate", "Simulate a robot", help_of_simulate);
  const auto text = [&](const char* name, std::string& value, const char* what, const char* type) {
    command.option(name, value, what, {.type = type});
  };
  options->robot.add_to(command, false);
  options->robot.add_packages_to(command);
  command.option("--time", options->time, "duration, s", {.type = "T", .required = true});
  command.option("--dt", options->dt, "time step, s", {.type = "DT", .shows_default = true});
  command.option(
      "--integrator", options->integrator, "semi-implicit-euler, rk4 or implicit-midpoint (which conserves energy)",
      {.type = "NAME", .check = one_of({"semi-implicit-euler", "rk4", "implicit-midpoint"}), .shows_default = true});
  text("--out", options->out,
       "file to write, CSV or HDF5 (.h5, .hdf5); - is standard output (the summary then goes to standard error)",
       "FILE");
  command.option("--every", options->every, "write every K-th step",
                 {.type = "K", .check = whole_number_from(1), .shows_default = true});
  // a robot without joints has states without numbers
  command.option("--q0", options->q0,
                 "initial configuration: leaning (if nothing else moves the robot), neutral, random, the name of a "
                 "configuration (tandem info), nq numbers q0,q1,..., or a CSV or "
                 "HDF5 file (its first state)",
                 {.type = "Q", .may_be_empty = true});
  command.option("--v0", options->v0, "initial velocity: zero, random (-1 to 1), or nv numbers v0,v1,...",
                 {.type = "V", .may_be_empty = true});
  command.option("--move", options->moved,
                 "move one joint of the initial configuration by rad or m, e.g. ball1=0,1.57,0 (repeatable)",
                 {.type = "JOINT=U,...", .repeats = true});
  text("--target", options->target,
       "target of the controller: neutral, random, the name of a configuration, or nq numbers (neutral)", "Q");
  text("--kp", options->kp, "gain: one number for all joints except free joints, or nv numbers (0)", "KP");
  text("--kd", options->kd, "gain, likewise (0)", "KD");
  text("--ctrl", options->ctrl,
       "controls of the actuators (tandem info): the name of a configuration, or a number for each", "U");
  command.flag("--lossless", options->lossless, "ignore joint damping and friction");
  command.flag("--no-limits", options->no_limits, "ignore joint limits");
  add_contacts(command, options->contacts);
  command.option("--excess", options->excess, "excess of kinetic energy that ends a run; inf: no limit",
                 {.type = "X", .shows_default = true});
  command.option("--max-speed", options->max_speed,
                 "speed of any joint, rad/s or m/s, that ends a run; inf: no limit; 0: a full turn per step",
                 {.type = "V", .shows_default = true});
  command.option("--first-guess", options->first_guess,
                 "initial guess of iterative methods: zero, last (solution) or linear (extrapolation of the last two)",
                 {.type = "NAME", .check = one_of({"zero", "last", "linear"}), .shows_default = true});
  command.option("--seed", options->robot.seed, "seed of random states and of generated robots",
                 {.type = "N", .check = seed_number(), .shows_default = true});
  add_precision(command, options->precision);
  options->film.add_to(command);
  options->method.add_to(command);
  command.option("--specialise", options->specialise,
                 "whether to compile kernels for the robot: " + values_of<Specialise>(),
                 {.type = "NAME", .shows_default = true, .group = "Method"});
  command.does([options] { return simulate(*options); });
}

}  // namespace tandem::cli
