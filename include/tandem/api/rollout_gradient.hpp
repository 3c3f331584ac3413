// SPDX-License-Identifier: Apache-2.0
/// Gradients of the cost of a rollout, or of another function of its states, by the inputs of the rollout.
///
///     RolloutArrays<double> arrays = {.q0 = {q0, nq}, .tau = {controls, steps * nv, nv}, ..., .cost = {cost, 1}};
///     rollout_gradient<double>(arm, arrays, {.by_tau = {by_controls, steps * nv, nv}}, batch, work,
///                              {.dt = 2e-3, .steps = steps});
#pragma once
#include "tandem/api/rollout.hpp"

namespace tandem {

/// The function is
///
///     of_cost cost + a function of the last states and of the path,
///
/// whose cotangents are given; the default is the cost. The results are gradients by inputs, for every
/// instance. Gradients by configurations have nv numbers, in the cotangent space of `integrate`. A diverged instance
/// has no gradient: its numbers are NaN. Active joint limits, slipping friction and active effort limits are those of
/// the computed steps: the derivative jumps where they change.
template <class T>
struct RolloutGradientArrays {
  Array<T> of_cost;  ///< [] cotangent of the cost of each instance; none: 1 if there is a cost
  Array<T> of_q;     ///< [nv] cotangent of the last configuration, or none
  Array<T> of_v;     ///< [nv] cotangent of the last velocity, or none
  /// [nv] cotangent of q_path, which need not be requested, or none
  Series<T> of_q_path;
  Series<T> of_v_path;    ///< [nv] cotangent of v_path, or none
  Array<T> by_q0;         ///< [nv] gradient by the initial configuration
  Array<T> by_v0;         ///< [nv] by the initial velocity
  Series<T> by_tau;       ///< [nv] by the joint torques of every step
  Series<T> by_q_target;  ///< [nv] by the target of every step
  Array<T> by_kp;         ///< [nv] by the position gains
  Array<T> by_kd;         ///< [nv] by the velocity gains
  /// By parameters of the model, each with an array for every instance.
  std::span<const BatchedParameter<T>> by_parameters;
  /// Number of stored states of an instance (checkpoints), 1 or more; others are recomputed. With s of them, (s + r)! /
  /// (s! r!) steps need r times the work of a rollout, plus the reverse pass. 0: all, up to 8 MiB per thread, at least
  /// 32. The gradient is bit-identical for any number.
  Index checkpoints = 0;
};

/// Calls f(row, member) for the gradients by inputs of RolloutGradientArrays, in the order of rollout_gradients.
template <class Arrays, class F>
void for_each_gradient(Arrays& arrays, F&& f) {
  const auto each = [&](auto&... members) {
    static_assert(sizeof...(members) == n_rollout_gradients);
    int k = 0;
    (f(rollout_gradients[k++], members), ...);
  };
  each(arrays.by_q0, arrays.by_v0, arrays.by_tau, arrays.by_q_target, arrays.by_kp, arrays.by_kd);
}

/// Compute a rollout as rollout() does, and its gradient by the adjoint of every step in reverse order: exact for the
/// computed steps up to rounding, at a few times the cost of the rollout for any number of inputs. Scratch memory is
/// that of a rollout and `checkpoints` states. Status, iterations and errors are those of rollout(); unsupported
/// options throw an Error.
template <class T>
void rollout_gradient(const Model& model, const std::type_identity_t<RolloutArrays<T>>& arrays,
                      const std::type_identity_t<RolloutGradientArrays<T>>& gradient,
                      const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work,
                      const RolloutOptions& options = {});

}  // namespace tandem
