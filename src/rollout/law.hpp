// SPDX-License-Identifier: Apache-2.0
/// What a rollout is told, from what users say.
#pragma once
#include <algorithm>
#include <numbers>
#include <vector>

#include "tandem/api/rollout.hpp"
#include "tandem/detail/simulation/rollout.hpp"

namespace tandem {

/// How fast every row of v may be.
template <class T>
std::vector<T> most_speeds(const Model& model, const RolloutOptions& options) {
  const auto& m = model.view<T>();
  std::vector<T> most(static_cast<std::size_t>(m.nv), largest_speed<T>);
  if (options.max_speed > 0) {
    std::ranges::fill(most, static_cast<T>(std::min(options.max_speed, double{largest_speed<T>})));
    return most;
  }
  for (int i = 1; i < m.n_links; ++i)
    for (int k = joint_kind(m.type[i]).lengths; m.mimics[i] == 0 && k < joint_nv(m.type[i]); ++k)
      most[static_cast<std::size_t>(m.v_index[i] + k)] = static_cast<T>(2 * std::numbers::pi / options.dt);
  return most;
}

template <class T>
RolloutLaw law_of(const RolloutArrays<T>& arrays, const RolloutOptions& options) {
  RolloutLaw law;
  static_cast<StepRules&>(law) = rules_of(options);
  law.dt = options.dt;
  law.first = options.first_step;
  law.steps = options.steps;
  law.every = options.every;
  law.computed_torque = arrays.has_controller() && options.tracking == Tracking::computed_torque;
  law.gravity_compensation = options.gravity_compensation;
  law.samples = arrays.q_path.data || arrays.v_path.data;
  law.costs = arrays.cost.data;
  law.frames = static_cast<int>(arrays.costs.frames.size());
  return law;
}

/// Its inputs by number.
template <class T>
void fill_inputs(Series<T> (&inputs)[n_rollout_inputs], const RolloutArrays<T>& arrays) {
  for_each_input(arrays, [&](RolloutInput which, const auto& x) { inputs[static_cast<int>(which)] = series_of(x); });
}

}  // namespace tandem
