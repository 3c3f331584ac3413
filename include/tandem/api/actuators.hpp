// SPDX-License-Identifier: Apache-2.0
/// Joint forces of a robot's actuators, its motors and servos.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <span>
#include <vector>

#include "tandem/api/simulation.hpp"
#include "tandem/model/actuators.hpp"

namespace tandem {

/// Joint forces tau [nv], N m|N, of the actuators of a robot: the sum over its actuators of gear f, see
/// ActuatorDescription, clipped to the effort limits of the joints.
///
/// `ctrl` [actuators], in the order of the actuators, which is that of the file; clipped to their ranges. Joints
/// without actuators get 0, and so does what an actuator that is left out would push. Of a robot read from MJCF this is
/// MuJoCo's qfrc_actuator of the actuators that are not left out [MuJoCo, Computation, Actuation model].
///
/// Throws Error if an argument does not fit.
void actuator_forces(const Model& model, std::span<const double> q, std::span<const double> v,
                     std::span<const double> ctrl, std::span<double> tau);

/// What drives a simulation as actuators with constant controls do.
struct ActuatorDrive {
  std::vector<double> tau;  ///< [nv] N m|N, given to every step
  PdController controller;  ///< servos, whose gains an integrator takes implicitly
};

/// Actuators with controls that stay: tau + kp (q_target - q) - kd v is what actuator_forces has while nothing but
/// whole joints is clipped, which is so for one actuator with a force range of -f to f at each joint. Throws Error for
/// numbers that do not fit, and for servos with negative gains, which no controller has.
ActuatorDrive actuator_drive(const Model& model, std::span<const double> ctrl);

}  // namespace tandem
