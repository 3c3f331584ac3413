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
  std::string name{};                   ///< of which there is one
  int joint = 0;                        ///< 0: it is ignored
  double gear = 1;                      ///< 1, or 1/m of joints that slide
  std::array<double, 3> gain{};         ///< N m|N per unit of control; per length, per its rate
  std::array<double, 3> bias{};         ///< N m|N; per length, per its rate
  std::array<double, 2> ctrl_range{};   ///< the control is clipped to it
  std::array<double, 2> force_range{};  ///< the force is clipped to it, N m|N
};

/// The actuators of a robot, in the order of their controls. They stay as long as a copy of the model lives.
std::span<const Actuator> actuators(const Model& model);

/// Controls [actuators] of a named configuration, such as those of a keyframe; zeros where it has none. Throws Error if
/// the configuration does not exist.
std::span<const double> controls(const Model& model, int configuration);
/// The same by its name.
inline std::span<const double> controls(const Model& model, std::string_view configuration) {
  return controls(model, model.configuration_index(configuration));
}

}  // namespace tandem
