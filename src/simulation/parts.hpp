// SPDX-License-Identifier: Apache-2.0
/// The parts of a simulation, a file each: functions of its state.
#pragma once
#include "backends/cpu/step_robots.hpp"
#include "state.hpp"

namespace tandem::simulation_detail {

/// The arguments of forward dynamics, of the instances of a.part().
template <class T>
struct Columns {
  RobotRows<const T> q, v, tau, diagonal;
  RobotRows<T> a;
};

/// Rows of instances as an argument of a call for a part of them.
template <class T>
Array<T> input(const RobotRows<const T>& rows, const BatchPart& part) {
  return rows ? Array<T>::input(rows.of(part.first), rows.stride()) : Array<T>();
}
template <class T>
Array<T> output(const RobotRows<T>& rows, const BatchPart& part) {
  return Array<T>::output(rows.of(part.first), rows.stride());
}

/// Steps of all instances.
template <class T>
struct Steps {
  SimulationState<T>& s;
  void check_forces(std::span<const T> tau, std::span<const T> f_ext) const;
  void run(Index steps, std::span<const T> tau, std::span<const T> f_ext);
  void run_undriven(Index steps, std::span<const T> tau, std::span<const T> f_ext);
  void step_together(std::span<const T> tau, std::span<const T> f_ext);
  void advance(std::span<const T> tau, std::span<const T> f_ext);
  void evaluate_forward(const Plan<T>& plan, const Columns<T>& columns, bool gravity);
};

/// Steps in SIMD lanes.
template <class T>
struct Lanes {
  SimulationState<T>& s;
  void prepare();
  RolloutOptions options(Index steps) const;
  void run(Index steps, std::span<const T> tau, std::span<const T> f_ext);
};

/// Gravity compensation and the controller.
template <class T>
struct Drive {
  SimulationState<T>& s;
  void prepare();
  void begin();
  void distance_to_target(const T* q);
  double controller_energy(Index instance) const;
  bool compensates_in_stages() const;
  void compensate(const RobotRows<const T>& q, const RobotRows<T>& forces);
  std::span<const T> forces(std::span<const T> tau);

 private:
  void check();
};

/// Actuators of the robot.
template <class T>
struct Actuation {
  SimulationState<T>& s;
  void check() const;
  void run(Index steps, std::span<const T> tau, std::span<const T> f_ext);
  void step_part(std::span<const Index> instances, Index steps, std::span<const T> tau, std::span<const T> f_ext);

 private:
  bool damps() const;
  void actuate_joints(std::span<const T> tau);
  void advance_activations_of(Index instance);
  template <class F>
  void for_each_driven(Index steps, std::span<const T> tau, F&& f);
};

/// Parameters in which instances differ.
template <class T>
struct Parameters {
  SimulationState<T>& s;
  void set(std::vector<SimulationParameter> parameters);
  std::span<T> values(Parameter parameter);
  void begin();

 private:
  void check(Parameter parameter, std::span<const T> values, Index instance) const;
  void check_are_taken() const;
};

/// Steps of some instances.
template <class T>
struct Part {
  SimulationState<T>& s;
  void step(std::span<const Index> instances, std::int64_t after, Index steps, std::span<const T> tau,
            std::span<const T> f_ext);

 private:
  std::unique_ptr<SimulationState<T>> new_part() const;
  void match(const SimulationState<T>& whole, Index n);
  void take(SimulationState<T>& whole, std::size_t from, std::size_t to);
  void carry(std::size_t from, SimulationState<T>& other, std::size_t to) const;
};

/// Accelerations, of methods that iterate from a guess.
template <class T>
struct Iteration {
  SimulationState<T>& s;
  void prepare();
  void solve(const Columns<T>& columns, int stage);

 private:
  void guess();
  void remember();
  void compare_with_zero(std::span<const Array<T>> arguments);
};

/// Contacts.
template <class T>
struct Contacts {
  SimulationState<T>& s;
  void prepare();
  void make_room();
  void take_normals();
  ContactCall<T> call(FoundPushes* found);
  void solve(const Columns<T>& columns, int stage);
  void add_energies();
  void end();
  void forget(Index instance);
  void carry(const InstanceCopy& copy, SimulationState<T>& other) const;
};

/// Closed loops.
template <class T>
struct Loops {
  SimulationState<T>& s;
  void begin();
  void close();
  void begin_energy();
  void end_energy();
  bool is_closed(Index instance) const;

 private:
  bool keeps_energy() const;
};

/// The watch for divergence.
template <class T>
struct Watch {
  SimulationState<T>& s;
  void prepare();
  void begin();
  void end();
  void forget(Index instance);
  void keep(Index first, Index end);
  void measure(const RobotRows<const T>& q, const RobotRows<const T>& v, const RobotRows<T>& kinetic,
               const RobotRows<T>& potential);
  void measure(Index from, Index n);
  static bool is_look(std::int64_t steps) { return steps % 8 == 0; }
  void look_for_new_states(Index first, Index end);
  void begin_watching(Index instance, double controller);
  bool has_too_much_energy(Watched& watched, double squared_speed, double kinetic, double potential) const;

 private:
  bool is_within_reason(Index instance, bool looked);
  void put_back(Index instance);
  void keep(Index instance);
  void look_for_new_state(Index instance);
  double squared_speed(Index instance) const;
  int fastest(const T* v) const;
  int joint_of(int row) const;
  int massless_joint(std::span<const T> q);
  void blame(Index instance, Divergence::Kind kind, int row, double value, double bound);
  void forget_stops(Index instance);
  void respond(const T* q, const T* forces, Index instance);
  double inertia(Index instance, int row, const T* q);
  std::string advice(Index instance, Divergence& found, int row);
};

}  // namespace tandem::simulation_detail
