// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/simulation/stepped_robot.hpp"

namespace tandem::inline TANDEM_ISA {

/// Options of derivatives of one step.
struct StepOptions {
  Integrator integrator = Integrator::semi_implicit_euler;
  Switch limits = Switch::on;
  Switch losses = Switch::on;
  Switch effort_limits = Switch::off;  ///< of tau; those of a controller always act
  double tolerance = 0;                ///< of implicit_midpoint: relative change of the velocity; 0: 32 roundings
  int max_iterations = 0;              ///< of a step of it; 0: 50

  TANDEM_HD StepRules rules() const {
    return {integrator, losses == Switch::on, limits == Switch::on, effort_limits == Switch::on, false,
            tolerance,  max_iterations};
  }
};

}  // namespace tandem::inline TANDEM_ISA
