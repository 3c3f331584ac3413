// SPDX-License-Identifier: Apache-2.0
/// What the instances of a rollout go through.
#pragma once
#include <algorithm>
#include <memory>
#include <string>

#include "rollout/cost_options.hpp"
#include "rollout/force_table.hpp"
#include "rollout/randomize.hpp"
#include "start_state.hpp"
#include "tandem/api/rollout.hpp"
#include "tandem/tandem.hpp"

namespace tandem::cli {

struct RolloutTask {
  Model model;
  RolloutOptions rollout;  ///< of all steps
  PdController controller = {};
  Index instances = 1;
  bool only_last = false;  ///< of all states, keep the last ones; else every rollout.every-th
  int threads = 0;
  StartState start;
  Randomize randomize;
  std::shared_ptr<const ForceTable> forces = nullptr;
  Device device = {};
  CostTerms cost = {};
  Derivatives derivatives = {};
  std::string contacts = {};  ///< lines of the summary

  /// How many states of an instance are kept, and after how many steps.
  Index kept() const { return only_last ? 1 : 1 + (rollout.steps + rollout.every - 1) / rollout.every; }
  Index step_of(Index k) const { return only_last ? rollout.steps : std::min(rollout.steps, k * rollout.every); }
  /// Whether the robot and the method are for rollout(), which keeps states in lanes for many steps; else for
  /// Simulation.
  bool is_for_rollout() const;
  /// Whether rollout() serves the method, with costs; of closed loops it has the bits of Simulation.
  bool has_costs() const;
  /// How many times the work of moving an instance is done for it: about one for what it costs, and five for the way
  /// back.
  Index passes() const { return derivatives.any() ? 6 : cost.any() ? 2 : 1; }
};

}  // namespace tandem::cli
