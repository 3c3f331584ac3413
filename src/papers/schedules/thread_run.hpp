// SPDX-License-Identifier: Apache-2.0
/// A schedule carried out by threads, each with memory of its own.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "tandem/api/schedule.hpp"

namespace tandem {

/// What one processor can do: run a task on what its own memory has of those that it needs, and say where a task's
/// outputs lie.
struct Processor {
  std::function<void(Index task)> run;
  std::function<std::span<double>(Index task)> outputs;
};

/// When every processor had finished, us after all had begun: a row for every round.
struct FinishTimes {
  std::vector<std::vector<double>> rounds;

  /// The round that took as long as half of them or less.
  const std::vector<double>& middle() const;
};

/// Carries out the schedule so often, on a thread for each processor. Slots of a processor are done in their order; a
/// message is waited for where the schedule has it.
FinishTimes run_on_threads(const Schedule& schedule, const std::vector<Processor>& processors, int rounds);

}  // namespace tandem
