// SPDX-License-Identifier: Apache-2.0
/// Forces of actuators, with what an implicit step needs of them.
#pragma once
#include <span>
#include <string_view>

#include "tandem/model/actuators.hpp"

namespace tandem {

/// What forces of actuators depend on: q [nq], v [nv], ctrl [actuators], act [activations].
struct ActuatorState {
  std::span<const double> q, v, ctrl, act;
};

/// Throws Error for controls that are not finite.
void check_controls(std::string_view function, const Model& model, std::span<const double> ctrl,
                    std::string_view where = {});

/// tau [nv]: forces of all actuators, clipped to effort limits. `damping` [nv], unless it is empty: how much of tau is
/// -damping v, of servos on single joints that are within their force ranges, N m s/rad|N s/m.
void actuate(const Model& model, const ActuatorState& state, std::span<double> tau, std::span<double> damping = {});

/// Whether its force on joints depends on more than its control.
bool depends_on_state(const Actuator& actuator);

}  // namespace tandem
