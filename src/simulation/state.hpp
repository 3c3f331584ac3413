// SPDX-License-Identifier: Apache-2.0
/// All that a simulation consists of, which its parts (parts.hpp) share.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "rollout/contacts.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace simulation_detail {

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

/// What contacts of all instances are solved with, and what was found in the last step.
template <class T>
struct ContactState {
  StepContacts how;
  std::vector<double> forces;             ///< [batch][slots][6]
  std::vector<T> normals;                 ///< [batch][slots] N of the step before, of the cone disc; else empty
  std::vector<double> pushes;             ///< [batch][slots][3] of shape 1 on shape 2, in the world
  std::vector<std::int32_t> touching;     ///< [batch][1 + slots] how many slots push, and which
  std::vector<std::array<int, 2>> links;  ///< [slots] the links of both shapes
  std::vector<std::vector<FoundContact>> found;  ///< [batch] contacts of pairs that are found
  std::vector<T> limit_forces;            ///< [batch][nv]
  std::vector<T> works;                   ///< [batch][3] of a step: of limits, friction and contacts, J
  std::vector<ContactTally> tallies;      ///< [batch] of a step
  std::vector<T> q_stage, v_stage;        ///< [batch][nq], [batch][nv] last stage of rk4; else empty
  std::vector<T> warm;                    ///< [batch][nv] where the solutions of a step of semi_implicit_euler begin
  std::vector<T> works_of_solution;       ///< [batch][3]
  std::vector<std::int32_t> steps;        ///< [batch] of a solution
  std::vector<std::uint8_t> converged;    ///< [batch] of a solution
};

/// Copies what a vector has of an instance of a batch to an instance of another, if it has any.
struct InstanceCopy {
  std::size_t batch, from, to;
  template <class X>
  void operator()(const std::vector<X>& own, std::vector<X>& theirs) const {
    const std::size_t n = own.size() / batch;
    std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(from * n), n,
                theirs.begin() + static_cast<std::ptrdiff_t>(to * n));
  }
  template <class X>
  void operator()(const Controller<std::vector<X>>& own, Controller<std::vector<X>>& theirs) const {
    for_each_controller_input([this](const Argument&, const auto& a, auto& b) { (*this)(a, b); }, own, theirs);
  }
};

/// Numbers for every instance, or one set for all.
template <class T>
std::size_t stride_of(const char* name, std::span<const T> x, std::size_t rows, Index batch) {
  if (x.empty() || x.size() == rows) return 0;
  if (x.size() == rows * static_cast<std::size_t>(batch)) return rows;
  throw Error(sentence("simulation: ", name, " has ", x.size(), " numbers, expected ", rows,
                       batch > 1 ? sentence(", or ", batch, " times as many") : std::string()));
}

}  // namespace simulation_detail

/// A simulation without its interface.
template <class T>
struct SimulationState {
  static constexpr Index all = Simulation<T>::all;

  SimulationState(Model robot, SimulationOptions how);
  /// Of every instance, for as many as there are.
  void make_room();
  /// Before the first step: the state that resets lead back to.
  void begin() {
    if (!has_begun) store_first();
    has_begun = true;
  }
  void store_first() {
    q_first = q;
    v_first = v;
    act_first = act;
  }

  double time() const { return began + static_cast<double>(steps - steps_then) * options.dt; }  ///< s
  /// Calls f(instance, its first number in q, its first number in v).
  template <class F>
  void for_each_instance(F&& f) const {
    for (Index b = 0; b < batch; ++b) f(b, static_cast<std::size_t>(b) * nq, static_cast<std::size_t>(b) * nv);
  }
  /// Throws Error for an instance that does not exist.
  const SimulationAccount& account(Index instance) const {
    if (instance < 0 || instance >= batch)
      throw Error(sentence("simulation: there is no instance ", instance, ", expected 0 to ", batch - 1));
    return accounts[static_cast<std::size_t>(instance)];
  }
  /// The number by which users know an instance.
  Index number_of(Index instance) const {
    return numbers.empty() ? instance : numbers[static_cast<std::size_t>(instance)];
  }
  /// For messages: which of many.
  std::string of_instance(Index instance) const {
    return batch > 1 || !numbers.empty() ? sentence(" in instance ", number_of(instance)) : std::string();
  }
  /// Numbers of an instance of parameter number p of those given.
  std::size_t rows_of(std::size_t p) const {
    const Argument& kind = tandem::parameters()[static_cast<std::size_t>(options.parameters[p].parameter)];
    return static_cast<std::size_t>(shape(kind.rows, model.view<T>()).count());
  }
  /// Numbers of an instance of an input of the controller.
  std::size_t rows_of(const Argument& input) const { return input.rows == Rows::q ? nq : nv; }
  bool is_shared(std::size_t p) const { return parameters_seen[p].empty() && parameters[p].size() == rows_of(p); }
  /// The model with the joint forces of one instance.
  ModelView<T> view_of(Index instance) const;
  /// Calls f(parameters of the instances from one on, as evaluate() takes them), with gravity among them or not.
  template <class F>
  void with_parameters(Index from, bool gravity, F&& f) const;

  Model given;  ///< as it was given
  Model model;  ///< with contacts without loops, which contact dynamics holds
  Model weightless;
  SimulationOptions options;
  std::string start;
  Index batch;
  std::size_t nq, nv;
  Plan<T> dynamics, impulses;
  std::int64_t steps = 0, steps_then = 0;
  double began = 0;
  bool iterates = false, has_begun = false, energy_is_watched = true;
  bool in_lanes = false;                        // whether steps of a batch go in lanes
  std::vector<T> q, v, q_first, v_first;        // _first: what the first step was done from
  Controller<std::vector<T>> controller;        // of every instance
  Controller<std::vector<T>> controller_seen;   // as it was at the last step
  std::vector<T> drive;                         // joint torques with gravity compensation
  std::vector<double> ctrl, act, act_first;     // of actuators, of every instance
  bool is_driven = false;                       // whether actuators act
  std::vector<T> driven_tau, servo_damping;     // joint torques with actuators; damping with servos, or empty
  std::vector<T> error;                         // to the controller's target
  std::vector<T> still, unit, response;         // [nv] zeros, one force, and what forces do
  std::vector<std::vector<T>> parameters;       // values of options.parameters
  std::vector<std::vector<T>> parameters_seen;  // at the last step, of those that may be set at any time
  std::vector<T> stops;                         // [batch][3][nv] as in rollouts
  std::vector<T> energies;                      // [batch][4] in a step
  std::vector<Status> step_status;              // whether iterations of the last step converged
  std::vector<std::int32_t> steps_done;         // in lanes, in the last call
  std::vector<T> most_speed;                    // [nv] of a rollout
  std::vector<ModelView<T>> models;             // of instances that are stepped together
  std::vector<T> scratch;                       // of these
  std::vector<T> q_seen, v_seen;                // the last sound states
  std::vector<T> kinetic, potential;
  std::vector<T> apart;               // how far frames of loop joints are apart
  std::vector<double> energy_before;  // of loops, before a step that keeps it
  std::vector<char> turns;            // which rows of v are in rad/s
  std::vector<SimulationAccount> accounts, accounts_before;
  std::vector<simulation_detail::Watched> watched;
  std::vector<Divergence> divergences;
  std::vector<char> is_diverged;
  std::vector<double> driven, stopped_by;  // J in this step: given by forces, taken by stops
  // of a method that iterates: what became of the last solution; the last two, at which times in steps, how many are
  // known
  std::vector<Status> converged;
  std::vector<std::int32_t> iterations, from_zero;
  std::vector<T> guess, found, found_before;  // [batch][n_links][6]
  std::vector<T> from_zero_a;                 // [batch][nv]
  double stage = 0, found_at = 0, found_before_at = 0;
  std::vector<char> known;
  std::optional<simulation_detail::ContactState<T>> contacts;
  std::unique_ptr<SimulationState> part;  // instances that are stepped without the others
  std::vector<T> part_tau, part_f_ext;
  std::vector<Index> numbers;  // of a part: its instances' numbers in the whole
  Workspace<T> work;
};

template <class T>
template <class F>
void SimulationState<T>::with_parameters(Index from, bool gravity, F&& f) const {
  std::array<BatchedParameter<T>, n_parameters> varied;
  std::size_t n = 0;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Parameter parameter = options.parameters[k].parameter;
    if (parameter == Parameter::gravity && !gravity) continue;
    if (parameter == Parameter::damping && !servo_damping.empty()) continue;
    const auto rows = static_cast<Index>(rows_of(k));
    const Index stride = static_cast<Index>(parameters[k].size()) > rows ? rows : 0;
    varied[n++] = {parameter, Array<T>::input(parameters[k].data() + from * stride, stride)};
  }
  if (!servo_damping.empty()) {
    const auto rows = static_cast<Index>(nv);
    varied[n++] = {Parameter::damping, Array<T>::input(servo_damping.data() + from * rows, rows)};
  }
  f(std::span<const BatchedParameter<T>>(varied.data(), n));
}

}  // namespace tandem
