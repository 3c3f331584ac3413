// SPDX-License-Identifier: Apache-2.0
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
#include "tandem/controller.hpp"

namespace tandem {

template <class T>
struct SimulationState;

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

/// tau = kp (q_target - q) - kd v, the difference taken on the configuration manifold: numbers of one robot, or of all
/// [batch]. Empty q_target: no controller.
using PdController = Controller<std::vector<double>>;

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
  bool losses = true;                                ///< whether joint damping and friction act (springs always do)
  Options dynamics = {};                             ///< method of forward dynamics and its options
  bool limits = true;                                ///< whether joint limits act, see detail/problems/joint_stops.hpp
  Index batch = 1;                                   ///< number of instances, robots of the model
  int threads = 0;                                   ///< 0: all cores; small batches stay on the calling thread
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

/// Account of an instance since its start or reset.
struct SimulationAccount {
  double dissipated = 0;   ///< J, by damping, friction, joint limits and contacts
  double stopped = 0;      ///< J, the part of it by joint limits
  double work = 0;         ///< J, of joint torques, external wrenches and the controller
  std::int64_t steps = 0;  ///< number of steps
  Iterated iterated;       ///< of iterative forward dynamics
  ContactTally contacts;   ///< of contact dynamics
  /// Adds the energies of a step.
  void add(double dissipated_in_step, double stopped_in_step, double work_in_step) {
    dissipated += dissipated_in_step;
    stopped += stopped_in_step;
    work += work_in_step;
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

  Simulation(Simulation&&) noexcept;             ///< the other can only be assigned to afterwards
  Simulation& operator=(Simulation&&) noexcept;  ///< likewise
  ~Simulation();

  /// Description of the initial configuration, see start_configuration.
  const std::string& start() const;
  std::span<T> q();         ///< [batch][nq], readable and writable
  std::span<T> v();         ///< [batch][nv], readable and writable
  std::span<T> q_target();  ///< [batch][nq] of the controller, readable and writable; empty without a controller
  std::span<T> kp();        ///< [batch][nv] of the controller, similarly
  std::span<T> kd();        ///< [batch][nv] of the controller, similarly
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
  std::span<double> act();
  Index batch() const { return options().batch; }  ///< number of instances
  std::int64_t steps() const;                      ///< since the start
  double time() const;                             ///< s
  void set_time(double time);                      ///< s; does not change the number of steps
  const Model& model() const;                      ///< of all instances
  const SimulationOptions& options() const;        ///< the given options

  /// Energies, number of steps and statistics of an instance.
  const SimulationAccount& account(Index instance = 0) const;
  /// Energy dissipated by damping, friction and joint limits of an instance since the start, J.
  double dissipated(Index instance = 0) const { return account(instance).dissipated; }
  /// The part dissipated by joint limits, J.
  double stopped(Index instance = 0) const { return account(instance).stopped; }
  /// Work of joint torques, external wrenches and the controller on an instance since the start, J.
  double work(Index instance = 0) const { return account(instance).work; }
  /// Number of steps of an instance since its start or reset.
  std::int64_t steps_of(Index instance) const { return account(instance).steps; }
  /// Statistics of iterative forward dynamics; zeros for other methods.
  const Iterated& iterated(Index instance = 0) const { return account(instance).iterated; }

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
  /// Contacts of pairs that the set finds, and their forces, in the last step. Snapshots do not have them: after
  /// restore() there are none until the next step.
  std::span<const FoundContact> found_contacts(Index instance = 0) const;
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
  const ContactTally& contact_tally(Index instance = 0) const { return account(instance).contacts; }

  /// False if a state has a number that is not finite.
  bool finite() const;

  /// Snapshot of everything that changes between steps.
  std::vector<double> snapshot() const;
  /// Restore a snapshot of a simulation of the same model and options.
  void restore(std::span<const double> snapshot);

 private:
  SimulationState<T>& state() const;  // throws Error if it was moved from
  std::unique_ptr<SimulationState<T>> state_;
};

}  // namespace tandem
