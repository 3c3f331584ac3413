// SPDX-License-Identifier: Apache-2.0
/// Actuators of a model: motors and servos.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "tandem/model/model.hpp"

namespace tandem {

/// An actuator of a joint, see ActuatorDescription.
struct Actuator {
  std::string name{};                   ///< unique name
  int joint = 0;                        ///< index of the joint; 0: the actuator is ignored
  double gear = 1;                      ///< 1 for angles, 1/m for lengths
  std::array<double, 3> gain{};         ///< gain_0, gain_1, gain_2: N m|N per unit of control, also per l, per dl/dt
  std::array<double, 3> bias{};         ///< bias_0, bias_1, bias_2: N m|N, also per l, per dl/dt
  std::array<double, 2> ctrl_range{};   ///< limits of the control
  std::array<double, 2> force_range{};  ///< limits of the force, N m|N
};

/// The actuators of a robot, in the order of their controls. The span is valid as long as a copy of the model exists.
std::span<const Actuator> actuators(const Model& model);

/// Controls [n_actuators] of a named configuration, such as a keyframe; those not given are 0. Throws Error if the
/// configuration does not exist.
std::span<const double> controls(const Model& model, int configuration);
/// The same by its name.
inline std::span<const double> controls(const Model& model, std::string_view configuration) {
  return controls(model, model.configuration_index(configuration));
}

}  // namespace tandem
