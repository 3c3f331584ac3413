// SPDX-License-Identifier: Apache-2.0
/// Configurations, velocities and gains as options spell them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/tandem.hpp"

namespace tandem::cli {

struct StartState {
  std::vector<double> q, v;
};

/// q: "leaning", "neutral", "random", numbers, or a CSV or HDF5 file whose first state counts (v too, if it is there
/// and v is "zero"); v: "zero", "random", or numbers.
StartState start_state_from(const Model& model, const std::string& q, const std::string& v, std::uint64_t seed);

/// Moves one joint of a state along its axes: "ball1=0,1.57,0" turns it so, by rad or m in each degree of freedom.
void move_joint(const Model& model, StartState& state, const std::string& moved);

/// Leads a state onto the robot's closed loops, so that what is reported of the start is what is simulated. One from
/// which no way leads there stays, and simulations refuse it.
void close_start(const Model& model, StartState& state);

/// A configuration that an option names: empty or "neutral", "random", one that the robot's file has, or nq numbers.
std::vector<double> configuration_from(const Model& model, const std::string& words, const char* option,
                                       std::uint64_t seed);

/// target: as configuration_from; gains: empty (zero), one number for all joints but free ones, or
/// nv numbers.
PdController controller_from(const Model& model, const std::string& target, const std::string& kp,
                             const std::string& kd, std::uint64_t seed);

/// What actuators with constant controls give to every step.
struct Driven {
  std::vector<double> ctrl;  ///< for Simulation::ctrl(); empty: none
  std::vector<double> tau;   ///< joint forces besides a controller
};

/// Has the actuators of a robot drive a simulation by the controls of --ctrl: the name of a configuration, or one
/// number for each; empty: not at all. With integrators that have stages, the controller of `settings` takes their
/// place. Error for a robot without actuators.
Driven drive_by_actuators(const Model& model, const std::string& words, SimulationOptions& settings);

}  // namespace tandem::cli
