// SPDX-License-Identifier: Apache-2.0
/// What operations take here.
#pragma once
#include <vector>

#include "tandem/api/machine_model.hpp"

namespace tandem {

/// A piece of work, and what it took.
struct TimedTask {
  TaskCost cost;
  double us;
};

/// The times of a machine that come nearest to those measured, [Pond] p. 45, each as a part of itself; none is
/// negative. Multiplications and additions take the same, as they do in today's processors.
void fit_operations(const std::vector<TimedTask>& tasks, MachineModel& machine);

/// How far the machine is off, root mean square of the parts that it is off by.
double misfit(const std::vector<TimedTask>& tasks, const MachineModel& machine);

}  // namespace tandem
