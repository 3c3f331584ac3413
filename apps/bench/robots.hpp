// SPDX-License-Identifier: Apache-2.0
/// The robots and states that every library of the benchmark is given.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tandem/tandem.hpp"

namespace tandem::bench {

struct State {
  std::vector<double> q, v, a, tau;
};

struct Robot {
  std::string name;
  Model model;
  std::vector<State> states;  ///< calls take them in turn, so that no branch predictor learns one by heart
};

std::shared_ptr<const Robot> load_robot(const std::string& name);

/// Registers one library's rows for a robot: `<row>/<robot>/<library>`. A library that cannot take the robot prints why
/// and registers nothing.
void register_tandem(std::shared_ptr<const Robot> robot);
void register_pinocchio(std::shared_ptr<const Robot> robot);
void register_mujoco(std::shared_ptr<const Robot> robot);

/// Versions of the rivals that were compiled in, for the context of the results; empty if absent.
std::string pinocchio_version();
std::string mujoco_version();

}  // namespace tandem::bench
