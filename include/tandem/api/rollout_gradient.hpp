// SPDX-License-Identifier: Apache-2.0
/// How what a rollout costs, or another number that depends on its states, changes with what the rollout was given.
///
///     RolloutArrays<double> arrays = {.q0 = {q0, nq}, .tau = {controls, steps * nv, nv}, ..., .cost = {cost, 1}};
///     rollout_gradient<double>(arm, arrays, {.by_tau = {by_controls, steps * nv, nv}}, batch, work, {.dt = 2e-3, .steps = steps});
#pragma once
#include "tandem/api/rollout.hpp"

namespace tandem {

/// The number is
///
///     of_cost cost + a function of the last states and of the path,
///
/// by derivatives of which it is given; by default it is the cost. What is asked for are derivatives by what goes in, for every
/// instance by itself. Configurations count in nv numbers, as increments of `integrate` have them: where q is q (+) dq. An instance that
/// diverged has no gradient: its numbers are NaN. Which stops act, whether friction slips and what is held at an effort limit is taken as it
/// was found: where that changes, the derivative jumps.
template <class T>
struct RolloutGradientArrays {
  Array<T> of_cost;  ///< [] how the number changes with the cost of each instance; none: 1 if there is a cost
  Array<T> of_q;     ///< [nv] with the last configuration, or none
  Array<T> of_v;     ///< [nv] with the last velocity, or none
  /// [nv] with the configurations of the path, which need not be asked for: those before every `every`-th step, and after the last; or none
  Series<T> of_q_path;
  Series<T> of_v_path;    ///< [nv] with its velocities, or none
  Array<T> by_q0;         ///< [nv] derivative by where each instance starts
  Array<T> by_v0;         ///< [nv] by its velocity there
  Series<T> by_tau;       ///< [nv] by the joint forces of every step
  Series<T> by_q_target;  ///< [nv] by where the joints are led to in every step
  Array<T> by_kp;         ///< [nv] by the controller's gains
  Array<T> by_kd;         ///< [nv] the same
  /// By parameters of the model, each with an array of its rows for every instance.
  std::span<const BatchedParameter<T>> by_parameters;
  /// States of an instance that are kept at a time, 1 or more; all others are found anew when they are needed. With s of them (s + r)! / (s!
  /// r!) steps take r times the work of a rollout besides the way back. 0: all, as far as 8 MiB go for those that a thread works on, at
  /// least 32. The gradient's bits do not depend on it.
  Index checkpoints = 0;
};

/// Rolls out, as rollout() does, and finds the gradient on the way back, by the adjoint of every step: exact for the steps as they were
/// taken, to rounding, at a few times the cost of the rollout however many numbers there are. Scratch memory is that of a rollout and
/// `checkpoints` states. Status, iterations, bits and errors as rollout(); what is not differentiated says so in an
/// error.
template <class T>
void rollout_gradient(const Model& model, const std::type_identity_t<RolloutArrays<T>>& arrays,
                      const std::type_identity_t<RolloutGradientArrays<T>>& gradient,
                      const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work,
                      const RolloutOptions& options = {});

}  // namespace tandem
