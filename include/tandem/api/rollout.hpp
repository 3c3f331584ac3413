// SPDX-License-Identifier: Apache-2.0
/// Many robots of one model, many steps a call: their states stay in the processor's cache, or in a GPU's, for all steps.
///
///     Workspace<double> work;
///     rollout<double>(arm, {.q0 = {q0, nq}, .tau = {controls, steps * nv, nv}, .q = {q, nq}, .v = {v, nv}}, batch, work,
///                     {.dt = 2e-3, .steps = steps});
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <limits>
#include <span>

#include "tandem/api/plan.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/api/workspace.hpp"

namespace tandem {

/// Numbers for every instance of a rollout and every step: row k of instance b in step s is
/// data[b * stride + s * step_stride + k * row_stride]. A stride of 0: the same for all instances; a step_stride of 0: the same
/// in all steps. Without data it is left out.
template <class T>
struct Series {
  T* data = nullptr;          ///< row 0 of instance 0 in step 0, or null
  Index stride = 0;           ///< from one instance to the next
  Index step_stride = 0;      ///< from one step to the next
  Index row_stride = 1;       ///< from one row to the next
  Place place = Place::host;  ///< whose memory it is
  /// Inputs are never written to.
  static Series input(const T* data, Index stride, Index step_stride, Index row_stride = 1) {
    return {const_cast<T*>(data), stride, step_stride, row_stride};
  }
  /// What is written to.
  static Series output(T* data, Index stride, Index step_stride, Index row_stride = 1) {
    return {data, stride, step_stride, row_stride};
  }
  /// Those of one step.
  constexpr Array<T> at(Index step) const {
    return {data ? data + step * step_stride : nullptr, stride, row_stride, place};
  }
};

/// How a robot is led along q_target.
enum class Tracking : unsigned char {
  pd,              ///< kp (q_target - q) - kd v, implicit in semi_implicit_euler
  computed_torque  ///< inverse dynamics of a_target + kp (q_target - q) + kd (v_target - v)
};
template <>
struct NamesOf<Tracking> {
  static constexpr const char* kind = "tracking";
  static constexpr Named table[] = {
      {"pd", "kp (q_target - q) - kd v, implicit in semi_implicit_euler"},
      {"computed_torque", "inverse dynamics of a_target + kp (q_target - q) + kd (v_target - v)"}};
};

/// A wrench on a link during some steps.
template <class T>
struct Push {
  int link = 0;                                   ///< its index
  Array<T> wrench;                                ///< [6] N, N m, linear first, at the link's origin along its axes
  Index first = 0;                                ///< step in which it begins to act, counted from 0
  Index end = std::numeric_limits<Index>::max();  ///< the first step in which it acts no more
};

/// A term of the cost: how far a frame is from a pose, as inverse_kinematics measures it.
template <class T>
struct FrameCost {
  int frame = 0;          ///< its index
  Series<T> target;       ///< [3, 4] rows of [R | p]: pose in the world; if it differs from step to step, of steps + 1
  Array<T> weight;        ///< [6] 1/(m^2 s), 1/(rad^2 s): of e = [R^T (p_target - p); log(R^T R_target)], or none
  Array<T> final_weight;  ///< [6] 1/m^2, 1/rad^2: the same of the last state, or none
};

/// What a rollout costs, so that nobody needs to keep its states:
///
///     sum over steps of dt l(q, v, tau) + final terms,    l = sum of weight * (what is weighted)^2
///
/// with the state before the step and the joint forces of the controls in it, and the final terms of the last state. That
/// of an instance that diverged is infinite.
template <class T>
struct RolloutCost {
  Series<T> q_reference;   ///< [nq] rad|m: q (-) q_reference is weighted; if it differs from step to step, of steps + 1
  Series<T> v_reference;   ///< [nv] rad/s|m/s, likewise; none: at rest
  Array<T> q_weight;       ///< [nv] of rows of q (-) q_reference, or none
  Array<T> v_weight;       ///< [nv] of rows of v - v_reference, or none
  Array<T> effort_weight;  ///< [nv] of the joint forces that controls give, or none
  Array<T> final_q_weight;               ///< [nv] of the last state, or none
  Array<T> final_v_weight;               ///< [nv] of the last state, or none
  std::span<const FrameCost<T>> frames;  ///< terms of frames
};

/// The arrays of a rollout. Those of stride 0 stand for all instances. What is not given is not there: no forces, no
/// controller, no cost, no states on the way.
template <class T>
struct RolloutArrays {
  Array<T> q0;                      ///< [nq] rad|m, where each instance starts
  Array<T> v0;                      ///< [nv] rad/s|m/s, the same; none: at rest
  Series<T> tau;                    ///< [nv] N m|N, joint forces of every step
  Series<T> q_target;               ///< [nq] rad|m, where the joints are led to in every step; needs kp and kd
  Series<T> v_target;               ///< [nv] rad/s|m/s, for computed_torque; none: zeros
  Series<T> a_target;               ///< [nv] rad/s^2|m/s^2, for computed_torque; none: zeros
  Array<T> kp;                      ///< [nv] of pd: N m/rad|N/m; of computed_torque: 1/s^2
  Array<T> kd;                      ///< [nv] of pd: N m s/rad|N s/m; of computed_torque: 1/s
  std::span<const Push<T>> pushes;  ///< wrenches on links
  RolloutCost<T> costs;             ///< terms of the cost
  /// [3 nv] what stops at position limits keep from one step to the next, zeros before the first: read, and written after the
  /// last step. With these, a rollout done in several calls has the bits of one. May be none, where there is one call.
  Array<T> stops;
  Array<T> q;  ///< [nq] the last configurations; may be q0 itself
  Array<T> v;  ///< [nv] the last velocities; may be v0 itself
  Series<T>
      q_path;  ///< [nq] configurations before every `every`-th step, and after the last: steps / every + 1 of them
  Series<T> v_path;  ///< [nv] velocities, the same
  Array<T> cost;     ///< [] what each instance has cost
};

/// How robots are rolled out.
struct RolloutOptions {
  double dt = 1e-3;      ///< s
  Index steps = 0;       ///< how many
  Index first_step = 0;  ///< the number of the first one: what is given for every step, and pushes, begin there
  Index every = 1;       ///< q_path and v_path have every so many states
  Integrator integrator = Integrator::semi_implicit_euler;  ///< how a state is stepped
  Tracking tracking = Tracking::pd;                         ///< along q_target
  bool gravity_compensation = false;  ///< whether the controls hold the robot against its weight, as the model has it
  /// Whether what the controls push with, tau included, is held within the joints' effort limits; that of pd always is.
  bool effort_limits = false;
  bool losses = true;     ///< whether joint damping and friction act (springs always do)
  bool limits = true;     ///< whether stops act at position limits
  Options dynamics = {};  ///< the method of forward dynamics, and what it is told
  /// An instance has diverged when a joint is faster than this, rad/s|m/s. Zero: a full turn in a step, and any speed of what
  /// slides. Infinity: speeds are not watched.
  double max_speed = 0;
  Specialise specialise = Specialise::automatic;  ///< whether forward dynamics is assembled for the robot
};

/// Steps every instance of a batch `steps` times, as Simulation does. Its status is ok; non_finite where q0, v0 or a parameter
/// was not finite; diverged where a number became so, or a joint too fast: it then stays in the state before that step;
/// not_converged where a step that iterates ended short of its tolerance. `iterations` of the batch are the steps done. An
/// instance gets the same bits in any batch, at any place in it, on any number of threads. Forces of computed torque and
/// against gravity take the model as it is, without the parameters in which instances differ.
/// Throws Error if an array is missing or shares memory with another, or what is asked for cannot be.
template <class T>
void rollout(const Model& model, const std::type_identity_t<RolloutArrays<T>>& arrays,
             const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work, const RolloutOptions& options = {},
             const Device& device = {});

/// Where a rollout whose arrays lie on the host is computed if its device is "auto": on the GPU in use from as many instances on as
/// `tandem tune` found forward dynamics faster from, whose states go there and back for every step, and a rollout's once; on the
/// processor where choose_device says so, `specialise` asks for instructions of its own, or a GPU does not take that many pushes or terms of frames.
template <class T>
Device choose_device(const Model& model, const std::type_identity_t<RolloutArrays<T>>& arrays, Index batch,
                     const RolloutOptions& options);

}  // namespace tandem
