// SPDX-License-Identifier: Apache-2.0
/// Joint torques of actuators: motors and servos.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <span>
#include <vector>

#include "tandem/api/simulation.hpp"
#include "tandem/model/actuators.hpp"

namespace tandem {

/// Joint torques tau [nv], N m|N, of the actuators of a robot: the sum of gear f over its actuators, see
/// ActuatorDescription, clipped to the effort limits of the joints.
///
/// `ctrl` [actuators], in the order of the actuators, which is that of the file; clipped to their ranges. Joints
/// without actuators get 0; ignored actuators have no effect. For a robot read from MJCF this is
/// MuJoCo's qfrc_actuator of the supported actuators [MuJoCo, Computation, Actuation model].
///
/// `act` [activations] are the activations of actuators with dynamics, see advance_activations().
///
/// Throws Error for an argument of wrong size.
void actuator_forces(const Model& model, std::span<const double> q, std::span<const double> v,
                     std::span<const double> ctrl, std::span<double> tau, std::span<const double> act = {});

/// Activations `act` [activations] after a step of dt seconds with the controls `ctrl` [actuators], as of MuJoCo's
/// Euler integrator; clipped to their ranges. Throws Error for an argument of wrong size and a dt that is not positive.
void advance_activations(const Model& model, std::span<const double> ctrl, double dt, std::span<double> act);

/// Torques and controller of a simulation that are equivalent to actuators with constant controls.
struct ActuatorDrive {
  std::vector<double> tau;  ///< [nv] N m|N, given to every step
  PdController controller;  ///< servos, whose gains an integrator takes implicitly
};

/// Actuators with constant controls: tau and the controller's forces add up to actuator_forces as long as only
/// totals of joints are clipped, which holds for one actuator with a force range of -f to f per joint. Throws Error for
/// wrong sizes, and for servos with negative gains and actuators with dynamics, which a controller cannot represent.
ActuatorDrive actuator_drive(const Model& model, std::span<const double> ctrl);

}  // namespace tandem
