// SPDX-License-Identifier: Apache-2.0
/// Actuators of a model: motors and servos.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "tandem/error.hpp"
#include "tandem/model/model.hpp"

namespace tandem {

/// Dynamics of the activation act of an actuator with a control ctrl [MuJoCo, Computation, Activation dynamics].
enum class ActivationDynamics : std::uint8_t {
  none,         ///< no activation: the control acts
  integrator,   ///< d act/dt = ctrl
  filter,       ///< d act/dt = (ctrl - act) / time constant, by Euler steps
  filter_exact  ///< the same, exactly for a control that is constant in a step
};
template <>
struct NamesOf<ActivationDynamics> {
  static constexpr const char* kind = "activation dynamics";
  static constexpr Named table[] = {{"none", "no activation: the control acts"},
                                    {"integrator", "rate of the activation is the control"},
                                    {"filter", "lag of first order, by Euler steps"},
                                    {"filter_exact", "lag of first order, exact for constant controls", "filterexact"}};
};

/// An actuator, such as a motor or a servo, of a joint with one degree of freedom, of a fixed tendon, or of a frame,
/// such as the rotor of a drone [MuJoCo, Computation, Actuation model]. Its force f depends on its control ctrl and its
/// length l, with q the position of the joint or the length of the tendon:
///
///     f = clip((gain_0 + gain_1 l + gain_2 dl/dt) clip(ctrl) + bias_0 + bias_1 l + bias_2 dl/dt),    l = gear q
///
/// It acts on a joint with tau = gear f, on the joints of a tendon with tau_k = coefficient_k gear f, and on a frame,
/// where l = 0, with f times a wrench along the axes of the frame.
///
/// With dynamics, an activation takes the place of clip(ctrl), which drives it, see ActivationDynamics.
/// A motor has the gain (1, 0, 0) and no bias; a position servo the gain (kp, 0, 0) and the bias (0, -kp, -kv); a
/// velocity servo the gain (kv, 0, 0) and the bias (0, 0, -kv).
struct ActuatorDescription {
  static constexpr double no_limit = std::numeric_limits<double>::infinity();  ///< limit that does not exist
  std::string name{};                   ///< unique name
  std::string joint{};                  ///< name of the joint; without joint, tendon and frame it is ignored
  double gear = 1;                      ///< 1 for angles, 1/m for lengths
  std::array<double, 3> gain{1, 0, 0};  ///< gain_0, gain_1, gain_2: N m|N per unit of control, also per l, per dl/dt
  std::array<double, 3> bias{0, 0, 0};  ///< bias_0, bias_1, bias_2: N m|N, also per l, per dl/dt
  std::array<double, 2> ctrl_range{-no_limit, no_limit};   ///< limits of the control
  std::array<double, 2> force_range{-no_limit, no_limit};  ///< limits of f, N m|N
  Source source{};                                           ///< origin of the description
  ActivationDynamics dynamics = ActivationDynamics::none;    ///< dynamics of its activation
  double time_constant = 1;                                  ///< of a filter, s
  std::array<double, 2> act_range{-no_limit, no_limit};    ///< limits of the activation
  std::string tendon{};             ///< name of the fixed tendon, in place of a joint
  std::string frame{};              ///< name of the link or frame, in place of a joint
  std::array<double, 6> wrench{};   ///< of a frame: force, then torque in m, per unit of f
  /// Whether it acts on anything.
  bool acts() const { return !joint.empty() || !tendon.empty() || !frame.empty(); }
};

/// An actuator of a model, see ActuatorDescription.
struct Actuator {
  std::string name{};                   ///< unique name
  int joint = 0;                        ///< index of the joint; 0: of none
  double gear = 1;                      ///< 1 for angles, 1/m for lengths
  std::array<double, 3> gain{};         ///< gain_0, gain_1, gain_2: N m|N per unit of control, also per l, per dl/dt
  std::array<double, 3> bias{};         ///< bias_0, bias_1, bias_2: N m|N, also per l, per dl/dt
  std::array<double, 2> ctrl_range{};   ///< limits of the control
  std::array<double, 2> force_range{};  ///< limits of the force, N m|N
  ActivationDynamics dynamics = ActivationDynamics::none;  ///< dynamics of its activation
  double time_constant = 1;                                ///< of a filter, s
  std::array<double, 2> act_range{};                       ///< limits of the activation
  int tendon = -1;                                         ///< index of the fixed tendon; -1: of none
  int frame = -1;                                          ///< index of the frame; -1: of none
  std::array<double, 6> wrench{};                          ///< of a frame: force, then torque in m, per unit of f
  /// Whether it acts on anything; if not, it is ignored.
  bool acts() const { return joint != 0 || tendon >= 0 || frame >= 0; }
};

/// The actuators of a robot, in the order of their controls. The span is valid as long as a copy of the model exists.
std::span<const Actuator> actuators(const Model& model);

/// Number of activations of a robot: of actuators with dynamics, in their order.
int activations(const Model& model);

/// Controls [n_actuators] of a named configuration, such as a keyframe; those not given are 0. Throws Error if the
/// configuration does not exist.
std::span<const double> controls(const Model& model, int configuration);
/// The same by its name.
inline std::span<const double> controls(const Model& model, std::string_view configuration) {
  return controls(model, model.configuration_index(configuration));
}

}  // namespace tandem
