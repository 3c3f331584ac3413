// SPDX-License-Identifier: Apache-2.0
/// Stepping one robot, or many of one model, through time.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tandem/api/functions.hpp"

namespace tandem {

struct BatchPart;
template <class T>
class RobotRows;

/// Where a method of forward dynamics that iterates begins, in a simulation.
enum class FirstGuess : unsigned char {
  zero,   ///< at zero, whatever was before: accelerations are those of forward_dynamics to the last bit
  last,   ///< at the last solution, [Pond] 3.1.3
  linear  ///< on a straight line through the last two, at their times
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
  std::vector<double> values;             ///< of each of its rows
};

/// How robots are simulated.
struct SimulationOptions {
  double dt = 1e-3;                                         ///< s
  Integrator integrator = Integrator::semi_implicit_euler;  ///< how a state is stepped
  PdController controller = {};                             ///< clipped to the joints' effort limits
  /// Whether the gravity_forces of the model, whatever the instances' parameters, are added to the joint forces: those of the
  /// configuration at the start of a step, during all of it.
  bool gravity_compensation = false;
  /// Whether all that drives a joint is clipped to its effort limit: given joint force, compensation and controller together.
  bool effort_limits = false;
  bool losses = true;     ///< whether joint damping and friction act (springs always do)
  Options dynamics = {};  ///< the method of forward dynamics, and what it is told
  bool limits = true;     ///< whether stops act at position limits, see detail/problems/joint_stops.hpp
  Index batch = 1;        ///< instances: robots of the one model, each with a state of its own
  int threads = 0;        ///< 0: all cores; small batches stay on the calling thread
  std::vector<SimulationParameter> parameters = {};  ///< in which instances differ from the model
  /// An instance has diverged when its kinetic energy is above (1 + excess) of all that its start, its fall, its springs
  /// and what drives it can have given it, and a tenth of `excess` of the most that this has been: integrators borrow and give
  /// back a little of what has been turned over. Infinity: energy is not watched.
  double excess = 1;
  /// ... or when a joint is faster than this, rad/s|m/s. Zero: a full turn in a step, and any speed of what slides.
  /// Infinity: speeds are not watched.
  double max_speed = 0;
  FirstGuess first_guess = FirstGuess::zero;      ///< of a method that iterates, from one solution to the next
  Specialise specialise = Specialise::automatic;  ///< whether forward dynamics is assembled for the robot
};

/// What a method of forward dynamics that iterates has done for an instance.
struct Iterated {
  std::int64_t solutions = 0;      ///< of forward dynamics, one a step or more
  std::int64_t steps = 0;          ///< of the iteration, in all of them
  std::int64_t not_converged = 0;  ///< solutions that ended short of their tolerance
  std::int64_t compared = 0;       ///< solutions that were done from zero as well, one in sixteen that had a guess
  std::int64_t gained = 0;         ///< steps that the guess saved in these
  /// Steps that first guesses have saved, as far as those that were compared can tell.
  double saved() const {
    return compared > 0 ? static_cast<double>(gained) * static_cast<double>(solutions) / static_cast<double>(compared)
                        : 0;
  }
};

/// How an instance left reason.
struct Divergence {
  /// What was wrong with it.
  enum Kind : unsigned char {
    not_finite,       ///< a number is NaN or infinite
    too_fast,         ///< a joint is faster than max_speed
    too_much_energy,  ///< its kinetic energy is above what `excess` allows
    loops_open,       ///< loops came apart so far that they were not closed again
    not_converged     ///< the iteration of implicit_midpoint ended short of its tolerance
  };
  Kind kind = not_finite;  ///< what was wrong
  std::int64_t step = 0;   ///< that did, counted from the first, 1
  double time = 0;         ///< s, at its end
  int joint = 0;           ///< that was fastest, or 0 if none was
  double value = 0;        ///< rad/s|m/s, or J
  double bound = 0;        ///< what it was not to exceed
  bool singular = false;   ///< whether the mass matrix had no inverse there
  std::string what;        ///< in words: what went wrong, at which joint
  std::string advice;      ///< what may help, by its cause
};

/// Robots of one model through time: their states and the scratch memory of a step. T is double or float.
///
/// With h = dt, a step of semi_implicit_euler solves
///
///     (M + h D + h^2 K) a = tau - bias - D v - K (q - q_rest) - h K v,   v += h a,   q = q (+) h v
///
/// where D has joint damping, the controller's kd and friction / max(|v|, slip speed), and K has spring stiffness and
/// the controller's kp. Rows in which the controller would have to push harder than the joint's effort limit push
/// with that limit, add nothing to D and K, and the step is solved again.
///
/// Stops at position limits are implicit in both integrators. A joint that comes to its limit too fast loses its speed in
/// an impact, before the step, that changes the velocity of all joints; then the stop's impedance adds to D, and the
/// push so found acts during the whole step, of rk4 too. Stops that would pull let go, and the step is solved again.
/// Velocity limits do not act.
///
/// Energy is accounted for: what damping, friction and stops take (dissipated) and what joint forces, wrenches and the
/// controller give (work) are summed up as the method applies them, so that
///
///     kinetic + potential + dissipated - work
///
/// stays what it was at the start but for the error of the method: rounding for implicit_midpoint; order 4 in dt for rk4; order 1 for semi_implicit_euler,
/// which counts every force at the mean of the old and the new velocity, as the change of kinetic energy does, and whose
/// implicit springs lose a part (omega h)^2 / (1 + (omega h)^2) of an oscillation's energy in a step.
///
/// Loops are closed: a state that was set is led to the nearest one with closed loops before the first step, as close_loops
/// does, or an Error says that it leads to none; then so is the state after every step, which the step left open by its error.
///
/// An instance whose step diverges goes back to the state before it and stays there, see divergence(); the others go on.
template <class T>
class Simulation {
 public:
  /// Starts at rest in the neutral configuration. Throws Error for options that do not fit the model, a method that does
  /// not serve it among them.
  explicit Simulation(Model model, SimulationOptions options = {});

  std::span<T> q() { return q_; }  ///< [batch][nq], to read or to set
  std::span<T> v() { return v_; }  ///< [batch][nv], to read or to set
  std::span<T> q_target() {
    return q_target_;
  }  ///< [batch][nq] of the controller, to read or to set; empty without one
  std::span<T> kp() { return kp_; }  ///< [batch][nv] of the controller, likewise
  std::span<T> kd() { return kd_; }  ///< [batch][nv] of the controller, likewise
  /// A parameter of every instance, [batch][rows], to read or to set: the next step looks at it. The model's where no others
  /// were given. It stays where it is until set_parameters().
  std::span<T> parameter(Parameter parameter);
  Index batch() const { return batch_; }         ///< how many instances there are
  std::int64_t steps() const { return steps_; }  ///< since the start
  double time() const { return began_ + static_cast<double>(steps_ - steps_then_) * options_.dt; }  ///< s
  void set_time(double time);                                    ///< s; steps are counted on
  const Model& model() const { return model_; }                  ///< of all instances
  const SimulationOptions& options() const { return options_; }  ///< as they were given

  /// J since the start that joint damping, friction and stops took from an instance.
  double dissipated(Index instance = 0) const { return at(accounts_, instance).dissipated; }
  /// The part of it that stops took.
  double stopped(Index instance = 0) const { return at(accounts_, instance).stopped; }
  /// J since the start that joint forces, external wrenches and the controller gave an instance.
  double work(Index instance = 0) const { return at(accounts_, instance).work; }
  /// Steps that an instance has made since its start, or since it was reset.
  std::int64_t steps_of(Index instance) const { return at(accounts_, instance).steps; }
  /// What forward dynamics by iteration took; zeros where the method does not iterate.
  const Iterated& iterated(Index instance = 0) const { return at(accounts_, instance).iterated; }

  /// One step of dt under joint forces tau [nv] (empty: none) on top of the controller, springs, damping and friction, and
  /// wrenches f_ext [n_links][6] on the links as in forward dynamics; or [batch] of them.
  void step(std::span<const T> tau = {}, std::span<const T> f_ext = {});
  /// The same of some instances, by number, each once; the others, and the time of all, stay. tau and f_ext are as for a step of
  /// all. Refused with a first_guess other than zero.
  void step(std::span<const T> tau, std::span<const T> f_ext, std::span<const Index> instances);

  static constexpr Index all = -1;  ///< stands for every instance
  /// Back to the state that the first step was done from: one instance, or all, whose time, steps and energies then begin
  /// at zero.
  void reset(Index instance = all);
  /// The same to q [nq] and v [nv] (empty: at rest), or [batch] of them.
  void reset(std::span<const T> q, std::span<const T> v, Index instance = all);

  /// Other values of the parameters, in place of all given before.
  void set_parameters(std::vector<SimulationParameter> parameters);

  /// Null while an instance is sound; else how the step ended that it was last asked for. It goes on once its state is set.
  const Divergence* divergence(Index instance = 0) const;
  /// Whether a joint, by index, pushes against its upper (1) or lower (-1) limit, or none (0).
  int at_limit(int joint, Index instance = 0) const;

  /// False once a state holds a number that is not finite.
  bool finite() const;

  /// All that changes from step to step, for copies.
  std::vector<double> snapshot() const;
  /// Back to a snapshot of a simulation of the same model and options.
  void restore(std::span<const double> snapshot);

 private:
  struct Account {  ///< J and steps since the start
    double dissipated = 0, stopped = 0, work = 0;
    std::int64_t steps = 0;
    Iterated iterated;
  };
  struct
      Watched {  ///< J: energies where watching began, and what drives it has given since; how fast it was last looked at
    bool is_fresh = true;
    double kinetic = 0, potential = 0, controller = 0, given = 0, speed = 0;
    double most = 0;  ///< that it can have had, so far
  };
  class Host;      // what a step asks for
  struct Columns;  // of forward dynamics

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

  // simulation.cpp
  void make_room();
  static Array<T> input(const RobotRows<const T>& rows, const BatchPart& part);
  static Array<T> output(const RobotRows<T>& rows, const BatchPart& part);
  void evaluate_forward(const Plan<T>& plan, const Columns& columns, bool gravity);

  // advance.hpp
  void prepare_step();
  void advance(std::span<const T> tau, std::span<const T> f_ext);
  void advance_in_lanes(std::span<const T> tau, std::span<const T> f_ext);
  void advance_together(std::span<const T> tau, std::span<const T> f_ext);

  // drive.hpp
  void distance_to_target(const T* q);
  void prepare_controller();
  void check_controller();
  void begin_controller();
  std::span<const T> drive(std::span<const T> tau);
  double controller_energy(Index instance) const;

  // parameters.hpp
  void begin_parameters();
  void check_parameter(Parameter parameter, std::span<const T> values, Index instance) const;
  void check_takes_parameters() const;
  std::size_t rows_of(std::size_t p) const;
  bool is_shared(std::size_t p) const { return parameters_seen_[p].empty() && parameters_[p].size() == rows_of(p); }

  // part.hpp
  std::unique_ptr<Simulation> new_part() const;
  void match(const Simulation& whole, Index n);
  void take(const Simulation& whole, std::size_t from, std::size_t to);
  void carry(std::size_t from, Simulation& other, std::size_t to) const;

  // iterate.hpp
  void prepare_guess();
  void solve(const Columns& columns);
  void guess();
  void remember();
  void compare_with_zero(std::span<const Array<T>> arguments);

  // stops.hpp
  void respond(const T* q, const T* forces, Index instance);
  void forget_stops(Index instance);
  double inertia(Index instance, int row, const T* q);

  // loops.hpp
  void close_loops();
  bool is_closed(Index instance) const;
  void begin_loops();

  // watch.hpp
  void prepare_watch();
  void forget(Index instance);
  void measure(Index from, Index n);
  void measure(const RobotRows<const T>& q, const RobotRows<const T>& v, const RobotRows<T>& kinetic,
               const RobotRows<T>& potential);
  void begin_watch();
  void end_watch();
  bool is_within_reason(Index instance, bool looked);
  void keep(Index instance);
  void put_back(Index instance);
  double squared_speed(Index instance) const;
  int fastest(const T* v) const;
  int joint_of(int row) const;
  int massless_joint(std::span<const T> q);
  void blame(Index instance, Divergence::Kind kind, int row, double value, double bound);
  std::string advice(Index instance, Divergence& found, int row);

  Model model_, weightless_;
  SimulationOptions options_;
  Index batch_;
  std::size_t nq_, nv_;
  Plan<T> dynamics_, impulses_;
  std::int64_t steps_ = 0, steps_then_ = 0;
  double began_ = 0;
  bool iterates_ = false, has_begun_ = false, energy_is_watched_ = true;
  std::vector<T> q_, v_, q_first_, v_first_;          // _first: what the first step was done from
  std::vector<T> q_target_, kp_, kd_;                 // of the controller, of every instance
  std::vector<T> q_target_seen_, kp_seen_, kd_seen_;  // as they were at the last step
  std::vector<T> drive_;                              // joint forces with what compensates gravity
  std::vector<T> error_;                              // to the controller's target
  std::vector<T> still_, unit_, response_;            // [nv] zeros, one force, and what forces do
  std::vector<std::vector<T>> parameters_;            // values of options_.parameters
  std::vector<std::vector<T>> parameters_seen_;       // at the last step, of those that may be set at any time
  std::vector<T> stops_, energies_;                   // [batch][nv][3], [batch][4], as the algorithm `step` has them
  std::vector<Status> step_status_;                   // whether iterations of the last step converged
  std::optional<Plan<T>> in_lanes_;                   // of `step`, where it serves
  Options step_options_;                              // of `step`, without a method
  std::vector<ModelView<T>> models_;                  // of instances that are stepped together
  std::vector<T> scratch_;                            // of these
  std::vector<T> q_seen_, v_seen_;                    // the last sound states
  std::vector<T> kinetic_, potential_;
  std::vector<T> apart_;     // how far frames of loop joints are apart
  std::vector<char> turns_;  // which rows of v are in rad/s
  std::vector<Account> accounts_, accounts_before_;
  std::vector<Watched> watched_;
  std::vector<Divergence> divergences_;
  std::vector<char> is_diverged_;
  std::vector<double> driven_, stopped_by_;  // J in this step: given by forces, taken by stops
  // of a method that iterates: what became of the last solution; the last two, at which times in steps, how many are known
  std::vector<Status> converged_;
  std::vector<std::int32_t> iterations_, from_zero_;
  std::vector<T> guess_, found_, found_before_;  // [batch][n_links][6]
  std::vector<T> from_zero_a_;                   // [batch][nv]
  double stage_ = 0, found_at_ = 0, found_before_at_ = 0;
  std::vector<char> known_;
  std::unique_ptr<Simulation> part_;  // instances that are stepped without the others
  std::vector<T> part_tau_, part_f_ext_;
  std::vector<Index> numbers_;  // of a part: its instances' numbers in the whole
  Workspace<T> work_;
};

}  // namespace tandem
