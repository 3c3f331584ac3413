// SPDX-License-Identifier: Apache-2.0
/// Tables of the inputs of a rollout and of the gradients by them, used by checks, drivers and bindings.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <iterator>

#include "tandem/controller.hpp"

namespace tandem {

/// How values of a rollout depend on time.
enum class InTime : unsigned char {
  constant,  ///< the same in all steps
  steps,     ///< for every step
  states     ///< for every state: one more than steps
};

/// An input of a rollout, or a gradient by one.
struct RolloutArgument {
  const char* name;     ///< "q_target"
  Rows rows;            ///< shape of the values of an instance at a time
  InTime time;          ///< how it may depend on time
  const char* units;    ///< as those of Argument
  const char* meaning;  ///< in a few words

  /// Number of values in time that are read or written until step `end`, the first after the rollout.
  constexpr Index values(Index end) const {
    return time == InTime::constant ? 1 : time == InTime::steps ? end : end + 1;
  }
};

/// Inputs of a rollout other than states, wrenches and frames: numbers of the rows of rollout_inputs.
enum class RolloutInput : unsigned char {
  tau,             ///< joint torques
  q_target,        ///< target of a controller
  v_target,        ///< its target velocity
  a_target,        ///< its target acceleration
  kp,              ///< its position gain
  kd,              ///< its velocity gain
  q_reference,     ///< reference configuration of the cost
  v_reference,     ///< reference velocity of the cost
  q_weight,        ///< weight of q (-) q_reference
  v_weight,        ///< weight of v - v_reference
  effort_weight,   ///< weight of the controls
  final_q_weight,  ///< weight of the last q (-) q_reference
  final_v_weight   ///< weight of the last v - v_reference
};
/// An argument as an input of a rollout.
constexpr RolloutArgument in_time(const Argument& a, InTime time, const char* meaning) {
  return {a.name, a.rows, time, a.units, meaning};
}
/// Members of RolloutArrays and, from q_reference on, of RolloutCost.
inline constexpr RolloutArgument rollout_inputs[] = {
    {"tau", Rows::v, InTime::steps, "N m|N", "joint torques"},
    in_time(controller_inputs[0], InTime::steps, "target of a controller"),
    {"v_target", Rows::v, InTime::steps, "rad/s|m/s", "its target velocity"},
    {"a_target", Rows::v, InTime::steps, "rad/s^2|m/s^2", "its target acceleration"},
    in_time(controller_inputs[1], InTime::constant, "its position gain"),
    in_time(controller_inputs[2], InTime::constant, "its velocity gain"),
    {"q_reference", Rows::q, InTime::states, "rad|m", "reference configuration of the cost"},
    {"v_reference", Rows::v, InTime::states, "rad/s|m/s", "reference velocity of the cost"},
    {"q_weight", Rows::v, InTime::constant, "1/(rad^2 s)|1/(m^2 s)", "weight of q (-) q_reference"},
    {"v_weight", Rows::v, InTime::constant, "s/rad^2|s/m^2", "weight of v - v_reference"},
    {"effort_weight", Rows::v, InTime::constant, "1/(N^2 m^2 s)|1/(N^2 s)", "weight of the controls"},
    {"final_q_weight", Rows::v, InTime::constant, "1/rad^2|1/m^2", "weight of the last q (-) q_reference"},
    {"final_v_weight", Rows::v, InTime::constant, "s^2/rad^2|s^2/m^2", "weight of the last v - v_reference"},
};
/// Number of rows of rollout_inputs.
inline constexpr int n_rollout_inputs = static_cast<int>(std::size(rollout_inputs));
static_assert(n_rollout_inputs == static_cast<int>(RolloutInput::final_v_weight) + 1);

/// Its row of the table.
constexpr const RolloutArgument& row_of(RolloutInput which) { return rollout_inputs[static_cast<int>(which)]; }
/// Whether it is an input of the cost.
constexpr bool is_of_cost(RolloutInput which) { return which >= RolloutInput::q_reference; }
/// Whether it is a weight of the cost.
constexpr bool is_weight(RolloutInput which) { return which >= RolloutInput::q_weight; }

/// Gradients of the cost of a rollout: members by_q0 and so on of RolloutGradientArrays.
inline constexpr RolloutArgument rollout_gradients[] = {
    {"q0", Rows::v, InTime::constant, "1/rad|1/m", "initial configuration (tangent space of integrate)"},
    {"v0", Rows::v, InTime::constant, "s/rad|s/m", "initial velocity"},
    {"tau", Rows::v, InTime::steps, "1/(N m)|1/N", "joint torques of every step, in addition to controllers"},
    {"q_target", Rows::v, InTime::steps, "1/rad|1/m", "target of the controller (tangent space of integrate)"},
    {"kp", Rows::v, InTime::constant, "rad/(N m)|m/N", "position gain of the controller"},
    {"kd", Rows::v, InTime::constant, "rad/(N m s)|m/(N s)", "velocity gain of the controller"},
};
/// Number of rows of rollout_gradients.
inline constexpr int n_rollout_gradients = static_cast<int>(std::size(rollout_gradients));
/// Whether it is by an input of a controller.
constexpr bool is_of_controller(const RolloutArgument& gradient) { return &gradient >= rollout_gradients + 3; }

}  // namespace tandem
