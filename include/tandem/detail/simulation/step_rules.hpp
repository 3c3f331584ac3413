// SPDX-License-Identifier: Apache-2.0
/// The switches of a step: what options of steps, rollouts and simulations become.
#pragma once
#include "tandem/detail/core/config.hpp"
#include "tandem/options.hpp"

namespace tandem {

/// What a step is told, the same for all robots.
struct StepRules {
  Integrator integrator = Integrator::semi_implicit_euler;
  bool losses = true;          ///< whether joint damping and friction act; springs always do
  bool limits = true;          ///< whether joint limits act
  bool effort_limits = false;  ///< whether what a drive gives is clipped, together with what its controller adds
  bool accounts = false;       ///< whether energies are summed up
  double tolerance = 0;        ///< of implicit_midpoint, see ImplicitMidpoint; 0: its own
  int max_iterations = 0;      ///< 0: its own
};

/// Those of the options of a rollout or simulation. With contacts, joint limits are rows of contact dynamics.
template <class StepperOptions>
StepRules rules_of(const StepperOptions& options) {
  StepRules rules;
  rules.integrator = options.integrator;
  rules.losses = options.losses;
  rules.limits = options.limits && !options.contacts;
  rules.effort_limits = options.effort_limits;
  return rules;
}

inline namespace TANDEM_ISA {

/// Options of the function step and of its derivatives.
struct StepOptions {
  Integrator integrator = Integrator::semi_implicit_euler;
  Switch limits = Switch::on;
  Switch losses = Switch::on;
  Switch effort_limits = Switch::off;  ///< of tau; those of a controller always act
  double tolerance = 0;                ///< of implicit_midpoint: relative change of the velocity; 0: 32 roundings
  int max_iterations = 0;              ///< of a step of it; 0: 50

  TANDEM_HD StepRules rules(bool accounts = false) const {
    return {integrator, losses == Switch::on, limits == Switch::on, effort_limits == Switch::on, accounts,
            tolerance,  max_iterations};
  }
};

}  // namespace TANDEM_ISA
}  // namespace tandem
