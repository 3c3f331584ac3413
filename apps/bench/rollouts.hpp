// SPDX-License-Identifier: Apache-2.0
/// What rollouts of all libraries have in common.
#pragma once
#include <memory>

#include "rows.hpp"

namespace tandem::bench {

struct RolloutSize {
  std::int64_t instances, steps;
  double dt;
};

/// MuJoCo 4's batches, contacts and constraints off: the same joint forces [instances][steps][nv] in every step.
void add_mujoco_rollout_rows(Rows& rows, const PlainRobotPointer& robot, const RolloutSize& size,
                             const std::shared_ptr<const std::vector<double>>& tau);

}  // namespace tandem::bench
