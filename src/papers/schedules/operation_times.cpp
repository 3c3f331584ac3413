// SPDX-License-Identifier: Apache-2.0
#include "papers/schedules/operation_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tandem {
namespace {

/// What the time of a task is made of: to begin it, arithmetic, sines and cosines, numbers stored.
using TimeParts = std::array<double, 4>;

TimeParts parts_of(const TaskCost& cost) {
  return {1, cost.multiplications + cost.additions, cost.trigonometric, cost.assignments};
}

}  // namespace

void fit_operations(const std::vector<TimedTask>& tasks, MachineModel& machine) {
  // one unknown after the other, each at its best or at zero, until nothing changes: the sum of squares has one minimum
  TimeParts times = {};
  for (int sweep = 0; sweep < 20000; ++sweep) {
    double change = 0;
    for (std::size_t k = 0; k < times.size(); ++k) {
      double product = 0, square = 0;
      for (const TimedTask& task : tasks) {
        const TimeParts parts = parts_of(task.cost);
        double rest = task.us;
        for (std::size_t i = 0; i < times.size(); ++i)
          if (i != k) rest -= parts[i] * times[i];
        product += parts[k] * rest / (task.us * task.us);
        square += parts[k] * parts[k] / (task.us * task.us);
      }
      const double best = square > 0 ? std::max(0.0, product / square) : 0;
      change = std::max(change, std::abs(best - times[k]) / (best + 1e-9));
      times[k] = best;
    }
    if (change < 1e-9) break;
  }
  machine.task = times[0];
  machine.multiplication = machine.addition = times[1];
  machine.trigonometric = times[2];
  machine.assignment = times[3];
}

double misfit(const std::vector<TimedTask>& tasks, const MachineModel& machine) {
  double sum = 0;
  for (const TimedTask& task : tasks) {
    const double off = machine.time(task.cost) / task.us - 1;
    sum += off * off;
  }
  return std::sqrt(sum / static_cast<double>(tasks.size()));
}

}  // namespace tandem
