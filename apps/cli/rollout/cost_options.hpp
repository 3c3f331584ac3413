// SPDX-License-Identifier: Apache-2.0
/// What the instances of a rollout cost, and by what that is derived: "final_q=10,effort=1e-3" and "q0,kp,mass".
#pragma once
#include <string>
#include <vector>

#include "tandem/rollout_inputs.hpp"
#include "tandem/tandem.hpp"

namespace tandem::cli {

/// Squares of states and efforts, as RolloutCost has them. Terms that are not asked for are empty.
struct CostTerms {
  std::vector<double> q, v, effort, final_q, final_v;  ///< [nv] weights
  std::vector<double> goal;                            ///< [nq] from where the terms of q count

  bool any() const { return has_goal() || !v.empty() || !effort.empty() || !final_v.empty(); }
  bool has_goal() const { return !q.empty() || !final_q.empty(); }
};
/// Of words TERM=WEIGHT or TERM@JOINT=WEIGHT, separated by commas. Throws Error, which says what can stand there.
CostTerms cost_terms_from(const std::string& words, const Model& model);

/// Whether a gradient has values for every step: the target of a controller is one for all of them.
inline bool is_of_every_step(const RolloutArgument& gradient) {
  return gradient.time == InTime::steps && !is_of_controller(gradient);
}

/// By what the cost is derived.
struct Derivatives {
  std::vector<const RolloutArgument*> inputs;  ///< rows of rollout_gradients, in their order
  std::vector<Parameter> parameters;

  bool any() const { return !inputs.empty() || !parameters.empty(); }
};
/// What it can be derived by, in the order of a file.
std::vector<std::string> names_of_gradients();
/// Of names, separated by commas. Throws Error for others, and for the same twice.
Derivatives derivatives_from(const std::string& names);

}  // namespace tandem::cli
