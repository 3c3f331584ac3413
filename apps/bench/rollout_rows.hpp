// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "own_rows.hpp"
#include "rollouts.hpp"

namespace tandem::bench {

RolloutSize rollout_size(const Model& model);
/// [instances][steps][nv] joint forces.
std::shared_ptr<const std::vector<double>> rollout_forces(const Model& model, const RolloutSize& size);

void add_tandem_rollout_rows(Rows& rows, const RobotPointer& robot, const RolloutSize& size,
                             const std::vector<double>& tau);

}  // namespace tandem::bench
