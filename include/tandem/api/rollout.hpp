// SPDX-License-Identifier: Apache-2.0
/// Rollouts: many steps of many robots of one model in a call; states stay in the cache of the CPU or GPU for all
/// steps.
///
///     Workspace<double> work;
///     rollout<double>(arm, {.q0 = {q0, nq}, .tau = {controls, steps * nv, nv}, .q = {q, nq}, .v = {v, nv}}, batch,
///                     work, {.dt = 2e-3, .steps = steps});
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "tandem/api/plan.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/api/workspace.hpp"
#include "tandem/rollout_inputs.hpp"

namespace tandem {

/// Values for every instance and step of a rollout: row k of instance b in step s is
/// data[b * stride + s * step_stride + k * row_stride]. A stride of 0: the same for all instances; a step_stride of 0:
/// the same in all steps. Without data it is omitted.
template <class T>
struct Series {
  T* data = nullptr;          ///< row 0 of instance 0 in step 0, or null
  Index stride = 0;           ///< from one instance to the next
  Index step_stride = 0;      ///< from one step to the next
  Index row_stride = 1;       ///< from one row to the next
  Place place = Place::host;  ///< memory space
  /// For an input, which is never written.
  static Series input(const T* data, Index stride, Index step_stride, Index row_stride = 1) {
    return {const_cast<T*>(data), stride, step_stride, row_stride};
  }
  /// For an output.
  static Series output(T* data, Index stride, Index step_stride, Index row_stride = 1) {
    return {data, stride, step_stride, row_stride};
  }
  /// The values of one step.
  constexpr Array<T> at(Index step) const {
    return {data ? data + step * step_stride : nullptr, stride, row_stride, place};
  }
};
/// The values as a series.
template <class T>
constexpr Series<T> series_of(const Series<T>& x) {
  return x;
}
/// The same values in all steps.
template <class T>
constexpr Series<T> series_of(const Array<T>& x) {
  return {x.data, x.stride, 0, x.row_stride, x.place};
}

/// Tracking controllers for q_target.
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

/// An external wrench on a link during some steps.
template <class T>
struct Push {
  int link = 0;                                   ///< its index
  Array<T> wrench;                                ///< [6] N, N m, linear first, at the link's origin along its axes
  Index first = 0;                                ///< first step in which it acts, counted from 0
  Index end = std::numeric_limits<Index>::max();  ///< first step in which it does not act any more
};

/// A term of the cost: the distance of a frame from a pose, as in inverse_kinematics.
template <class T>
struct FrameCost {
  int frame = 0;          ///< its index
  Series<T> target;       ///< [3, 4] rows of [R | p]: pose in the world; if it depends on the step, of steps + 1
  Array<T> weight;        ///< [6] 1/(m^2 s), 1/(rad^2 s): of e = [R^T (p_target - p); log(R^T R_target)], or none
  Array<T> final_weight;  ///< [6] 1/m^2, 1/rad^2: the same of the last state, or none
};

/// The cost of a rollout, computed without storing its states:
///
///     sum over steps of dt l(q, v, tau) + final terms,    l = sum of weight * (what is weighted)^2
///
/// with the state before the step and its controls, and final terms of the last state. The cost
/// of a diverged instance is infinite.
template <class T>
struct RolloutCost {
  Series<T> q_reference;    ///< [nq] rad|m: q (-) q_reference is weighted; if it depends on the step, of steps + 1
  Series<T> v_reference;    ///< [nv] rad/s|m/s, similarly; none: zeros
  Array<T> q_weight;        ///< [nv] weights of q (-) q_reference, or none
  Array<T> v_weight;        ///< [nv] weights of v - v_reference, or none
  Array<T> effort_weight;   ///< [nv] weights of the controls, or none
  Array<T> final_q_weight;  ///< [nv] weights of the last state, or none
  Array<T> final_v_weight;  ///< [nv] weights of the last state, or none
  std::span<const FrameCost<T>> frames;  ///< terms of frames
};

/// The arrays of a rollout. Inputs of stride 0 are shared by all instances. Omitted arrays mean no torques, no
/// controller, no cost, no stored states.
template <class T>
struct RolloutArrays {
  Array<T> q0;                      ///< [nq] rad|m, initial configurations
  Array<T> v0;                      ///< [nv] rad/s|m/s, initial velocities; none: zeros
  Series<T> tau;                    ///< [nv] N m|N, joint torques of every step
  Series<T> q_target;               ///< [nq] rad|m, target of every step; requires kp and kd
  Series<T> v_target;               ///< [nv] rad/s|m/s, for computed_torque; none: zeros
  Series<T> a_target;               ///< [nv] rad/s^2|m/s^2, for computed_torque; none: zeros
  Array<T> kp;                      ///< [nv] pd: N m/rad|N/m; computed_torque: 1/s^2
  Array<T> kd;                      ///< [nv] pd: N m s/rad|N s/m; computed_torque: 1/s
  std::span<const Push<T>> pushes;  ///< external wrenches on links
  RolloutCost<T> costs;             ///< terms of the cost
  /// [3 nv] state of joint limits and contacts between steps, zeros before the first: read, and written after the
  /// last step. With these, a rollout in several calls is bit-identical to one call. Optional for a single call. With
  /// contacts: initial guess of the next acceleration, forces of joint limits, side of active limits.
  Array<T> stops;
  Array<T> q;  ///< [nq] the last configurations; may be q0 itself
  Array<T> v;  ///< [nv] the last velocities; may be v0 itself
  Series<T>
      q_path;  ///< [nq] configurations before every `every`-th step, and after the last: steps / every + 1 of them
  Series<T> v_path;  ///< [nv] velocities, the same
  Array<T> cost;     ///< [] cost of each instance
  /// [batch][slots][6] N, N m: contact forces in the last step, as ContactAcceleration has them; 0 for diverged
  /// instances.
  std::span<double> contact_forces;
  std::span<ContactTally> contact_tally;  ///< [batch] statistics of contact dynamics in the steps of each instance

  /// Whether there is a controller.
  bool has_controller() const { return q_target.data != nullptr; }
};

/// Sets the inputs of the controller of a rollout, the same in all steps: numbers of one instance, which hold for all,
/// or of every instance. `Values` are spans or vectors that remain.
template <class T, class Values>
void set_controller(RolloutArrays<T>& arrays, const Controller<Values>& controller, const Model& model) {
  for_each_controller_input(
      [&](const Argument& input, auto& to, const Values& from) {
        const Index rows = shape(input.rows, model.view<T>()).count(), size = static_cast<Index>(from.size());
        const Array<T> values = Array<T>::input(size > 0 ? from.data() : nullptr, size > rows ? rows : 0);
        if constexpr (requires { to.step_stride; })
          to = series_of(values);
        else
          to = values;
      },
      arrays, controller);
}

/// Calls f(which, member) for the inputs of RolloutArrays, in the order of rollout_inputs.
template <class Arrays, class F>
void for_each_input(Arrays& arrays, F&& f) {
  const auto each = [&](auto&... members) {
    static_assert(sizeof...(members) == n_rollout_inputs);
    int k = 0;
    (f(static_cast<RolloutInput>(k++), members), ...);
  };
  auto& c = arrays.costs;
  each(arrays.tau, arrays.q_target, arrays.v_target, arrays.a_target, arrays.kp, arrays.kd, c.q_reference,
       c.v_reference, c.q_weight, c.v_weight, c.effort_weight, c.final_q_weight, c.final_v_weight);
}

/// Options of a rollout.
struct RolloutOptions {
  double dt = 1e-3;      ///< s
  Index steps = 0;       ///< number of steps
  Index first_step = 0;  ///< number of the first step: arrays with steps, and external wrenches, begin there
  Index every = 1;       ///< interval of the states in q_path and v_path
  Integrator integrator = Integrator::semi_implicit_euler;  ///< integrator
  Tracking tracking = Tracking::pd;                         ///< controller for q_target
  bool gravity_compensation = false;  ///< whether the controls include gravity_forces of the model
  /// Whether the sum of tau, compensation and pd is clipped to effort limits; pd alone always is.
  bool effort_limits = false;
  bool losses = true;     ///< whether joint damping and friction act (springs always do)
  bool limits = true;     ///< whether joint limits act
  Options dynamics = {};  ///< method of forward dynamics and its options
  /// An instance has diverged if a joint is faster than this, rad/s|m/s. Zero: a full turn per step, and any speed of
  /// prismatic joints. Infinity: speeds are not checked.
  double max_speed = 0;
  Specialise specialise = Specialise::automatic;  ///< whether forward dynamics is compiled for the robot
  /// Pairs of shapes that can touch, as SimulationOptions::contacts. On the CPU, by semi_implicit_euler or, without pd,
  /// rk4; without gradients.
  std::optional<ContactSet> contacts = {};
  ContactDynamicsOptions contact_dynamics = {};  ///< how contacts are solved; time_step is dt
  /// When joint damping acts; none: `after` if the description's integrator is Euler or implicit(fast), else `within`.
  std::optional<ContactDamping> contact_damping = {};
};

/// `to` with the options that simulations and rollouts have in common, RolloutOptions or SimulationOptions, of `from`.
template <class To, class From>
To with_step_options(To to, const From& from) {
  to.dt = from.dt;
  to.integrator = from.integrator;
  to.gravity_compensation = from.gravity_compensation;
  to.effort_limits = from.effort_limits;
  to.losses = from.losses;
  to.limits = from.limits;
  to.dynamics = from.dynamics;
  to.max_speed = from.max_speed;
  to.specialise = from.specialise;
  to.contacts = from.contacts;
  to.contact_dynamics = from.contact_dynamics;
  to.contact_damping = from.contact_damping;
  return to;
}

/// Step every instance of a batch `steps` times, as Simulation does. Its status is ok; non_finite if q0, v0 or a
/// parameter is not finite; diverged if a number becomes non-finite or a joint too fast: then it keeps the state before
/// that step; not_converged if an iterative step does not reach its tolerance: then it keeps the
/// state before that step. `iterations` of the batch are the
/// completed steps. The results of an instance are bit-identical in any batch, at any position in it, on any number of
/// threads. Computed torque and gravity compensation use the model, without parameters of instances. Throws Error if an
/// array is missing or shares memory with another, or an option is not supported.
template <class T>
void rollout(const Model& model, const std::type_identity_t<RolloutArrays<T>>& arrays,
             const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work, const RolloutOptions& options = {},
             const Device& device = {});

/// The device of a rollout with arrays in host memory and device "auto": the current GPU from as many instances on as
/// `tandem tune` found forward dynamics faster (whose states are copied in every step, those of a rollout once); the
/// CPU if choose_device selects it, `specialise` is set, or the GPU does not support the numbers of wrenches or frames.
template <class T>
Device choose_device(const Model& model, const std::type_identity_t<RolloutArrays<T>>& arrays, Index batch,
                     const RolloutOptions& options);

}  // namespace tandem
