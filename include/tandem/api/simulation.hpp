// SPDX-License-Identifier: Apache-2.0
// Over 400 lines, as the options, results and members of one class are documented in one header.
/// Simulation of one or many robots of one model.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tandem/api/contact_dynamics.hpp"
#include "tandem/api/functions.hpp"

namespace tandem {

struct BatchPart;
template <class T>
struct ContactCall;
template <class T>
class RobotRows;
struct RolloutOptions;

/// Initial guess of iterative methods of forward dynamics in a simulation.
enum class FirstGuess : unsigned char {
  zero,   ///< zero: accelerations are bit-identical to those of forward_dynamics
  last,   ///< the last solution, [Pond] 3.1.3
  linear  ///< linear extrapolation of the last two solutions
};
template <>
struct NamesOf<FirstGuess> {
  static constexpr const char* kind = "first guess";
  static constexpr Named table[] = {{"zero", "zero: accelerations are bit-identical to those of forward_dynamics"},
                                    {"last", "the last solution, [Pond] 3.1.3"},
                                    {"linear", "linear extrapolation of the last two solutions"}};
};

/// tau = kp (q_target - q) - kd v, the difference taken on the configuration manifold. Empty q_target: no controller.
struct PdController {
  std::vector<double> q_target;  ///< [nq], or [batch][nq]
  std::vector<double> kp;        ///< [nv] N m/rad|N/m, none negative, or [batch][nv]
  std::vector<double> kd;        ///< [nv] N m s/rad|N s/m, none negative, or [batch][nv]
};

/// Values of a parameter of the model: its rows for all instances, or [batch][rows].
struct SimulationParameter {
  Parameter parameter = Parameter::mass;  ///< which
  std::vector<double> values;             ///< one per row
};

/// Options of a simulation.
struct SimulationOptions {
  double dt = 1e-3;                                         ///< s
  Integrator integrator = Integrator::semi_implicit_euler;  ///< integrator
  PdController controller = {};                             ///< clipped to the joints' effort limits
  /// Whether gravity_forces of the model, without parameters of instances, are added to the joint torques, evaluated at
  /// every stage of a step.
  bool gravity_compensation = false;
  /// Whether the sum of joint torque, gravity compensation and controller is clipped to the effort limit of each joint.
  bool effort_limits = false;
  bool losses = true;     ///< whether joint damping and friction act (springs always do)
  Options dynamics = {};  ///< method of forward dynamics and its options
  bool limits = true;     ///< whether joint limits act, see detail/problems/joint_stops.hpp
  Index batch = 1;        ///< number of instances, robots of the model
  int threads = 0;        ///< 0: all cores; small batches stay on the calling thread
  std::vector<SimulationParameter> parameters = {};  ///< parameters of instances that differ from the model
  /// An instance has diverged if its kinetic energy exceeds (1 + excess) times the energy of its initial state,
  /// gravity, springs and driving torques, plus a tenth of `excess` of the largest such energy, as integrators are
  /// inexact. Infinity: energy is not checked.
  double excess = 1;
  /// ... or if a joint is faster than this, rad/s|m/s. Zero: a full turn per step, and any speed of prismatic joints.
  /// Infinity: speeds are not checked.
  double max_speed = 0;
  FirstGuess first_guess = FirstGuess::zero;      ///< of iterative methods
  Specialise specialise = Specialise::automatic;  ///< whether forward dynamics is compiled for the robot
  /// Pairs of shapes that can touch. Joint limits and dry friction are then solved together with contacts, with the
  /// options of contact_dynamics.
  std::optional<ContactSet> contacts = {};
  ContactDynamicsOptions contact_dynamics = {};  ///< how contacts are solved; time_step is dt
  /// When joint damping acts; none: `after` if the description's integrator is Euler or implicit(fast), else `within`.
  std::optional<ContactDamping> contact_damping = {};
};

/// Statistics of an iterative method of forward dynamics for an instance.
struct Iterated {
  std::int64_t solutions = 0;      ///< solutions of forward dynamics, one or more per step
  std::int64_t steps = 0;          ///< iterations in all solutions
  std::int64_t not_converged = 0;  ///< solutions that did not converge
  std::int64_t compared = 0;       ///< solutions also computed from zero, one in sixteen of those with a guess
  std::int64_t gained = 0;         ///< iterations saved by the guess in these
  /// Estimated number of iterations saved by guesses.
  double saved() const {
    return compared > 0 ? static_cast<double>(gained) * static_cast<double>(solutions) / static_cast<double>(compared)
                        : 0;
  }
};

/// Divergence of an instance.
struct Divergence {
  /// Causes of divergence.
  enum Kind : unsigned char {
    not_finite,       ///< a number is NaN or infinite
    too_fast,         ///< a joint is faster than max_speed
    too_much_energy,  ///< its kinetic energy exceeds the bound of `excess`
    loops_open,       ///< loops opened and could not be closed
    not_converged     ///< the iteration of implicit_midpoint did not converge
  };
  Kind kind = not_finite;  ///< cause
  std::int64_t step = 0;   ///< step that diverged, counted from 1
  double time = 0;         ///< s, at the end of this step
  int joint = 0;           ///< fastest joint, or 0
  double value = 0;        ///< rad/s|m/s, or J
  double bound = 0;        ///< bound that was exceeded
  bool singular = false;   ///< whether the mass matrix is singular
  std::string what;        ///< description of the cause and joint
  std::string advice;      ///< possible remedies
};

/// Simulated robots of one model: states and scratch memory. T is double or float.
///
/// With h = dt, a step of semi_implicit_euler solves
///
///     (M + h D + h^2 K) a = tau - bias - D v - K (q - q_rest) - h K v,   v += h a,   q = q (+) h v
///
/// where D has joint damping and kd of the controller, and K has spring stiffness and kp of the controller. Rows in
/// which the controller exceeds the effort limit of the joint apply this limit, are excluded from D and K, and the step
/// is solved again. Dry friction slips or sticks, in all integrators: see detail/simulation/dry_friction.hpp.
///
/// Joint limits are implicit in all integrators. A joint that reaches its limit too fast loses its speed in
/// an impact, before the step, that changes the velocity of all joints; then the impedance of the limit is added to D,
/// and the resulting force acts during the whole step, also for rk4. Limits that would pull are released, and the step
/// is solved again. The position of a joint beyond its limit returns with a time constant of 50 ms, at unchanged
/// velocities. Velocity limits do not act.
///
/// Energy balance: losses by damping, friction and joint limits (dissipated), and work of joint torques, wrenches and
/// the controller (work) are summed in the way of the integrator, so that
///
///     kinetic + potential + dissipated - work
///
/// is constant up to the error of the integrator: rounding for implicit_midpoint; order 4 in dt for rk4; order 1 for
/// semi_implicit_euler, which counts every force at the mean of the old and the new velocity, as the change of kinetic
/// energy does, and whose implicit springs lose a part (omega h)^2 / (1 + (omega h)^2) of an oscillation's energy in a
/// step.
///
/// With options.contacts, links have contacts with the base and each other, see docs/algorithms/contact_dynamics.md.
/// Contacts, joint limits and dry friction of the joints are solved together for a, with semi_implicit_euler or in each
/// stage of rk4, in SIMD lanes. The last acceleration is the initial guess of the next solution and part of the state.
/// Energy absorbed by contacts counts as dissipated; soft contacts return part of it.
///
/// Loops are closed: a given state is projected to a nearby one with closed loops before the first step, as by
/// close_loops, or an Error is thrown; the state after every step is projected, too, to remove the error of the step.
///
/// An instance whose step diverges keeps the state before that step, see divergence(); the others continue.
template <class T>
class Simulation {
 public:
  /// Starts at rest in start_configuration of the model; with contacts in its configuration home or qpos0, if it has
  /// them. Throws Error for options that do not match the model, and a
  /// method that does not support it.
  explicit Simulation(Model model, SimulationOptions options = {});

  /// Description of the initial configuration, see start_configuration.
  const std::string& start() const { return start_; }
  std::span<T> q() { return q_; }  ///< [batch][nq], readable and writable
  std::span<T> v() { return v_; }  ///< [batch][nv], readable and writable
  std::span<T> q_target() {
    return q_target_;
  }  ///< [batch][nq] of the controller, readable and writable; empty without a controller
  std::span<T> kp() { return kp_; }  ///< [batch][nv] of the controller, similarly
  std::span<T> kd() { return kd_; }  ///< [batch][nv] of the controller, similarly
  /// A parameter of every instance, [batch][rows], readable and writable: changes apply to the next step. The default
  /// is that of the model. The memory is valid until set_parameters().
  std::span<T> parameter(Parameter parameter);
  /// Controls [batch][actuators] of the robot's actuators, readable and writable; 0 at first. From the first call of
  /// this function on, the forces of actuators (actuator_forces) at the beginning of every step act in it besides tau.
  /// Except for robots from MJCF files with the integrator Euler, the velocity gains of servos on single joints act
  /// at the end of the step, like joint damping, as in MuJoCo's implicitfast; dissipated() counts them. Throws Error
  /// for integrators with stages if the force of an actuator depends on the state.
  std::span<double> ctrl();
  /// Activations [batch][activations] of actuators with dynamics, readable and writable: state that advances with every
  /// step, as by advance_activations.
  std::span<double> act() { return act_; }
  Index batch() const { return batch_; }         ///< number of instances
  std::int64_t steps() const { return steps_; }  ///< since the start
  double time() const { return began_ + static_cast<double>(steps_ - steps_then_) * options_.dt; }  ///< s
  void set_time(double time);                                    ///< s; does not change the number of steps
  const Model& model() const { return given_; }                  ///< of all instances
  const SimulationOptions& options() const { return options_; }  ///< the given options

  /// Energy dissipated by damping, friction and joint limits of an instance since the start, J.
  double dissipated(Index instance = 0) const { return at(accounts_, instance).dissipated; }
  /// The part dissipated by joint limits, J.
  double stopped(Index instance = 0) const { return at(accounts_, instance).stopped; }
  /// Work of joint torques, external wrenches and the controller on an instance since the start, J.
  double work(Index instance = 0) const { return at(accounts_, instance).work; }
  /// Number of steps of an instance since its start or reset.
  std::int64_t steps_of(Index instance) const { return at(accounts_, instance).steps; }
  /// Statistics of iterative forward dynamics; zeros for other methods.
  const Iterated& iterated(Index instance = 0) const { return at(accounts_, instance).iterated; }

  /// One step of dt with joint torques tau [nv] (empty: none) in addition to the controller, springs, damping and
  /// friction, and external wrenches f_ext [n_links][6] as in forward dynamics; or [batch] of them.
  void step(std::span<const T> tau = {}, std::span<const T> f_ext = {}) { run(1, tau, f_ext); }
  /// The same for some instances, by index, each once; the others, and the time, do not change. tau and f_ext are as
  /// for a step of all, and constant in all `steps`. An error with a first_guess other than zero.
  void step(std::span<const T> tau, std::span<const T> f_ext, std::span<const Index> instances, Index steps = 1);
  /// As many calls of step with the same forces: bit-identical, and faster for a batch, whose states stay in the cache
  /// of a core for all steps.
  void run(Index steps, std::span<const T> tau = {}, std::span<const T> f_ext = {});

  static constexpr Index all = -1;  ///< all instances
  /// Reset one or all instances to the state before the first step; time, steps and energies begin
  /// at zero.
  void reset(Index instance = all);
  /// Reset to q [nq] and v [nv] (empty: at rest), or [batch] of them.
  void reset(std::span<const T> q, std::span<const T> v, Index instance = all);

  /// Replace all parameters.
  void set_parameters(std::vector<SimulationParameter> parameters);

  /// Null, or the divergence of an instance. The instance continues after its state is set.
  const Divergence* divergence(Index instance = 0) const;
  /// Whether the upper (1) or lower (-1) limit of a joint is active, or none (0).
  int at_limit(int joint, Index instance = 0) const;

  /// Pairs of shapes that can touch. This and the following functions throw Error without contacts.
  const ContactSet& contact_set() const;
  /// [slots][6] N, N m: contact forces in the last step, as ContactAcceleration has them.
  std::span<const double> contact_forces(Index instance = 0) const;
  /// N: sum of the contact forces on a link in the last step, along the axes of the world.
  std::array<double, 3> contact_force(int link, Index instance = 0) const;
  /// Whether a contact force acted on a link in the last step.
  bool touches(int link, Index instance = 0) const;
  /// Configuration [nq] in which the contact forces of the last step of rk4 act, that of its last stage. Throws Error
  /// for other integrators.
  std::span<const T> contact_q(Index instance = 0) const;
  /// The same of the velocity [nv].
  std::span<const T> contact_v(Index instance = 0) const;
  /// Statistics of contact dynamics; zeros without contacts.
  const ContactTally& contact_tally(Index instance = 0) const { return at(accounts_, instance).contacts; }

  /// False if a state has a number that is not finite.
  bool finite() const;

  /// Snapshot of everything that changes between steps.
  std::vector<double> snapshot() const;
  /// Restore a snapshot of a simulation of the same model and options.
  void restore(std::span<const double> snapshot);

 private:
  struct Account {  ///< J and steps since the start
    double dissipated = 0, stopped = 0, work = 0;
    std::int64_t steps = 0;
    Iterated iterated;
    ContactTally contacts;
    void add(T dissipated_in_step, T stopped_in_step, double work_in_step) {
      dissipated += double{dissipated_in_step};
      stopped += double{stopped_in_step};
      work += work_in_step;
    }
  };
  /// J: energies at the begin of the energy check, energy added by torques since; speed at the last check.
  struct Watched {
    bool is_fresh = true;
    double kinetic = 0, potential = 0, controller = 0, given = 0, speed = 0;
    double most = 0;  ///< largest energy so far
    /// Adds the energy given by torques and joint limits in a step.
    void count(double driven, double stopped) { given += std::max(0.0, driven) + std::max(0.0, -stopped); }
    double had(double now_potential) const {
      return kinetic + std::max(0.0, potential - now_potential) + controller + given;
    }
  };
  class Host;       // what a step asks for
  class LaneWatch;  // of steps in lanes
  struct Columns;   // of forward dynamics
  struct Contacts;  // what contacts are solved with

  // state.hpp
  template <class X>
  static const X& at(const std::vector<X>& of, Index instance);
  template <class F>
  void for_each_instance(F&& f) const;
  template <class F>
  void with_parameters(Index from, bool gravity, F&& f) const;
  template <class Self, class F>
  static void for_each_number(Self& self, F&& f);
  ModelView<T> view_of(Index instance) const;
  Index number_of(Index instance) const;
  std::string of_instance(Index instance) const;
  void begin();

  // simulation.cpp
  void make_room();
  void check_forces(std::span<const T> tau, std::span<const T> f_ext) const;
  void run_steps(Index steps, std::span<const T> tau, std::span<const T> f_ext);
  void step_together(std::span<const T> tau, std::span<const T> f_ext);
  static Array<T> input(const RobotRows<const T>& rows, const BatchPart& part);
  static Array<T> output(const RobotRows<T>& rows, const BatchPart& part);
  void evaluate_forward(const Plan<T>& plan, const Columns& columns, bool gravity);

  // advance.hpp
  void advance(std::span<const T> tau, std::span<const T> f_ext);

  // lanes.hpp
  RolloutOptions rollout_options(Index steps) const;
  void prepare_step();
  void run_in_lanes(Index steps, std::span<const T> tau, std::span<const T> f_ext);

  // drive.hpp
  void distance_to_target(const T* q);
  void prepare_controller();
  void check_controller();
  void begin_controller();
  bool compensates_in_stages() const;
  void compensate(const RobotRows<const T>& q, const RobotRows<T>& forces);
  std::span<const T> drive(std::span<const T> tau);
  double controller_energy(Index instance) const;

  // controls.hpp
  void check_actuators() const;
  bool damps_by_actuators() const;
  void actuate_joints(std::span<const T> tau);
  void advance_activations_of(Index instance);
  template <class F>
  void for_each_driven(Index steps, std::span<const T> tau, F&& f);
  void run_driven(Index steps, std::span<const T> tau, std::span<const T> f_ext);
  void step_part_driven(std::span<const Index> instances, Index steps, std::span<const T> tau,
                        std::span<const T> f_ext);

  // parameters.hpp
  void begin_parameters();
  void check_parameter(Parameter parameter, std::span<const T> values, Index instance) const;
  void check_takes_parameters() const;
  std::size_t rows_of(std::size_t p) const;
  bool is_shared(std::size_t p) const { return parameters_seen_[p].empty() && parameters_[p].size() == rows_of(p); }

  // part.hpp
  void step_part(std::span<const Index> instances, std::int64_t after, Index steps, std::span<const T> tau,
                 std::span<const T> f_ext);
  std::unique_ptr<Simulation> new_part() const;
  void match(const Simulation& whole, Index n);
  void take(const Simulation& whole, std::size_t from, std::size_t to);
  void carry(std::size_t from, Simulation& other, std::size_t to) const;

  // iterate.hpp
  void prepare_guess();
  void solve(const Columns& columns, int stage);
  void guess();
  void remember();
  void compare_with_zero(std::span<const Array<T>> arguments);

  // stops.hpp
  void respond(const T* q, const T* forces, Index instance);
  void forget_stops(Index instance);
  double inertia(Index instance, int row, const T* q);

  // contacts.hpp
  void prepare_contacts();
  void make_room_for_contacts();
  void take_normals();
  ContactCall<T> contact_call();
  void solve_contacts(const Columns& columns, int stage);
  void add_contact_energies();
  void end_contacts();
  void forget_contacts(Index instance);
  void carry_contacts(std::size_t from, Simulation& other, std::size_t to) const;
  std::span<const T> stage_of(std::vector<T> Contacts::* of, Index instance) const;

  // loops.hpp
  void close_loops();
  bool keeps_energy_of_loops() const;
  void begin_energy();
  void end_energy();
  bool is_closed(Index instance) const;
  void begin_loops();

  // watch.hpp
  void prepare_watch();
  void forget(Index instance);
  void measure(Index from, Index n);
  void measure(const RobotRows<const T>& q, const RobotRows<const T>& v, const RobotRows<T>& kinetic,
               const RobotRows<T>& potential);
  static bool is_look(std::int64_t steps) { return steps % 8 == 0; }
  void look_for_new_state(Index instance);
  void begin_watching(Index instance, double controller);
  void begin_watch();
  void end_watch();
  bool has_too_much_energy(Watched& watched, double squared_speed, double kinetic, double potential) const;
  bool is_within_reason(Index instance, bool looked);
  void keep(Index instance);
  void put_back(Index instance);
  double squared_speed(Index instance) const;
  int fastest(const T* v) const;
  int joint_of(int row) const;
  int massless_joint(std::span<const T> q);
  void blame(Index instance, Divergence::Kind kind, int row, double value, double bound);
  std::string advice(Index instance, Divergence& found, int row);

  Model given_;   ///< as it was given
  Model model_;   ///< with contacts without loops, which contact dynamics holds
  Model weightless_;
  SimulationOptions options_;
  std::string start_;
  Index batch_;
  std::size_t nq_, nv_;
  Plan<T> dynamics_, impulses_;
  std::int64_t steps_ = 0, steps_then_ = 0;
  double began_ = 0;
  bool iterates_ = false, has_begun_ = false, energy_is_watched_ = true;
  bool in_lanes_ = false;                             // whether steps of a batch go in lanes
  std::vector<T> q_, v_, q_first_, v_first_;          // _first: what the first step was done from
  std::vector<T> q_target_, kp_, kd_;                 // of the controller, of every instance
  std::vector<T> q_target_seen_, kp_seen_, kd_seen_;  // as they were at the last step
  std::vector<T> drive_;                              // joint torques with gravity compensation
  std::vector<double> ctrl_, act_, act_first_;        // of actuators, of every instance
  bool is_driven_ = false;                            // whether actuators act
  std::vector<T> driven_tau_, servo_damping_;         // joint torques with actuators; damping with servos, or empty
  std::vector<T> error_;                              // to the controller's target
  std::vector<T> still_, unit_, response_;            // [nv] zeros, one force, and what forces do
  std::vector<std::vector<T>> parameters_;            // values of options_.parameters
  std::vector<std::vector<T>> parameters_seen_;       // at the last step, of those that may be set at any time
  std::vector<T> stops_;                              // [batch][3][nv] as in rollouts
  std::vector<T> energies_;                           // [batch][4] in a step
  std::vector<Status> step_status_;                   // whether iterations of the last step converged
  std::vector<std::int32_t> steps_done_;              // in lanes, in the last call
  std::vector<T> most_speed_;                         // [nv] of a rollout
  std::vector<ModelView<T>> models_;                  // of instances that are stepped together
  std::vector<T> scratch_;                            // of these
  std::vector<T> q_seen_, v_seen_;                    // the last sound states
  std::vector<T> kinetic_, potential_;
  std::vector<T> apart_;               // how far frames of loop joints are apart
  std::vector<double> energy_before_;  // of loops, before a step that keeps it
  std::vector<char> turns_;            // which rows of v are in rad/s
  std::vector<Account> accounts_, accounts_before_;
  std::vector<Watched> watched_;
  std::vector<Divergence> divergences_;
  std::vector<char> is_diverged_;
  std::vector<double> driven_, stopped_by_;  // J in this step: given by forces, taken by stops
  // of a method that iterates: what became of the last solution; the last two, at which times in steps, how many are
  // known
  std::vector<Status> converged_;
  std::vector<std::int32_t> iterations_, from_zero_;
  std::vector<T> guess_, found_, found_before_;  // [batch][n_links][6]
  std::vector<T> from_zero_a_;                   // [batch][nv]
  double stage_ = 0, found_at_ = 0, found_before_at_ = 0;
  std::vector<char> known_;
  std::shared_ptr<Contacts> contacts_;  // null: none
  std::unique_ptr<Simulation> part_;  // instances that are stepped without the others
  std::vector<T> part_tau_, part_f_ext_;
  std::vector<Index> numbers_;  // of a part: its instances' numbers in the whole
  Workspace<T> work_;
};

}  // namespace tandem
