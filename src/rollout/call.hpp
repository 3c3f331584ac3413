// SPDX-License-Identifier: Apache-2.0
/// What rollouts and their gradients have in common: how a call is put together, and what may be assembled for its
/// robot.
#pragma once
#include <algorithm>
#include <array>

#include "api/algorithms.hpp"
#include "policy/automatic.hpp"
#include "policy/methods.hpp"
#include "api/plan.hpp"
#include "api/specialise.hpp"
#include "api/workspace_in_use.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "backends/shared/rollout.hpp"
#include "core/text.hpp"
#include "law.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// What may have been assembled for the robot, for the calls of a rollout.
template <class T>
class RolloutLines {
 public:
  RolloutLines(const Model& model, const RolloutCall<T>& call, const Options& dynamics, Specialise how,
               Workspace<T>& work)
      : RolloutLines(model, call, dynamics, path_of_call(model, dynamics, how, work)) {}
  /// Of forward dynamics that was prepared.
  RolloutLines(const Model& model, const RolloutCall<T>& call, const Options& dynamics, const ExecutionPath<T>& path)
      : model_(model), options_(dynamics), path_(path) {
    static T there{};
    arguments_ = {Array<T>{&there}, Array<T>{&there}, Array<T>{&there}, {}, Array<T>{&there}, Array<T>{&there}};
    parameters_ = call.parameters;
  }
  bool any() const { return path_.specialised != nullptr; }
  /// Null while there is none. It is made in the background once there are enough states.
  const Assembled<T>* for_states(Index states) const {
    if (!path_.specialised) return nullptr;
    const Call<T> call = {model_.template view<T>(), options_, arguments_.data(), nullptr, parameters_};
    return path_.specialised->line_for(model_, call, states);
  }

 private:
  static const ExecutionPath<T>& path_of_call(const Model& model, const Options& dynamics, Specialise how,
                                              Workspace<T>& work) {
    const Algorithm& algorithm = find_algorithm(ForwardDynamics::name);
    return how == Specialise::automatic ? kept(work).own_path(algorithm, model, dynamics)
                                        : asked_for(algorithm, model, dynamics, how, kept(work).of_rollout);
  }
  /// Made once for the calls of a workspace that ask the same.
  static const ExecutionPath<T>& asked_for(const Algorithm& algorithm, const Model& model, const Options& options,
                                           Specialise how, typename Kept<T>::AskedFor& last) {
    const auto& acceleration = model.view<double>().base_acceleration;
    const bool same = last.model.lock() == model.shared_data() && last.options == options && last.specialise == how &&
                      last.instruction_set == &cpu::in_use() &&
                      std::equal(last.base_acceleration.begin(), last.base_acceleration.end(), acceleration);
    if (same) return last.path;
    last = {model.shared_data(), options, how, &cpu::in_use(), {}, path_of<T>(algorithm, model, options, {}, how)};
    std::copy_n(acceleration, 6, last.base_acceleration.begin());
    return last.path;
  }

  const Model& model_;
  const Options& options_;
  ExecutionPath<T> path_;
  std::array<Array<T>, std::size(ForwardDynamics::arguments)> arguments_;
  const ParameterArrays<T>* parameters_;
};

/// What forward dynamics is told. Throws Error for a method that divides the robot or iterates: states that stay where
/// they are for all steps are stepped one after the other, or side by side.
inline Options dynamics_of(const Model& model, const RolloutOptions& options) {
  const Algorithm& algorithm = find_algorithm(ForwardDynamics::name);
  Options dynamics = options.dynamics;
  check_options(algorithm, model, dynamics);
  if (model.n_loops() > 0 && dynamics.method != Method::automatic && dynamics.method != Method::articulated_body)
    throw Error(sentence("rollout: method ", to_string(dynamics.method), " does not support ",
                         element("robot", model.name()),
                         ", which has closed loops; use articulated_body or Simulation"));
  if (!is_own(algorithm, dynamics.method)) {
    link_method(algorithm, model, dynamics);  // which says if there is something else wrong with it
    throw Error(
        sentence("rollout: method ", to_string(dynamics.method),
                 " divides the robot or iterates, which rollout does not support; use articulated_body or "
                 "composite_rigid_body, or Simulation"));
  }
  link_method(algorithm, model, dynamics);
  if (dynamics.method == Method::automatic) dynamics.method = own_method(algorithm, model);
  return dynamics;
}

/// A call for the processor, with the arrays of users; `most_speed` is from most_speeds.
template <class T>
RolloutCall<T> call_of(const Model& model, const RolloutArrays<T>& arrays, const Batch<T>& batch,
                       const RolloutOptions& options, Method method, const std::vector<T>& most_speed) {
  RolloutCall<T> call = {model.template view<T>(), law_of(arrays, options)};
  call.method = method;
  fill_inputs(call.inputs, arrays);
  call.frames = arrays.costs.frames;
  call.pushes = arrays.pushes;
  call.most_speed = most_speed.data();
  call.q0 = arrays.q0;
  call.v0 = arrays.v0;
  call.stops = arrays.stops;
  call.q = arrays.q;
  call.v = arrays.v;
  call.q_path = arrays.q_path;
  call.v_path = arrays.v_path;
  call.cost = arrays.cost;
  call.status = batch.status.empty() ? nullptr : batch.status.data();
  call.steps = batch.iterations.empty() ? nullptr : batch.iterations.data();
  return call;
}

}  // namespace tandem
