// SPDX-License-Identifier: Apache-2.0
/// What steps the instances of a chunk.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rollout/task.hpp"

namespace tandem::cli {

/// Steps some instances through time. T is double or float.
template <class T>
class Stepper {
 public:
  virtual ~Stepper() = default;
  /// At [count][nq] and [count][nv], before the first step; parameters as in task.randomize; forces in double, of these
  /// or of all.
  virtual void begin(std::span<const T> q0, std::span<const T> v0, const std::vector<std::vector<double>>& parameters,
                     std::span<const double> forces) = 0;
  /// Does `steps` steps from step `first` on, and writes the state after every `every`-th one: [steps /
  /// every][count][nq or nv]. Of instances that diverged: how, and in which step, counted from 1.
  virtual void advance(Index first, Index steps, Index every, T* q, T* v, std::vector<Status>& status,
                       std::vector<std::int64_t>& diverged) = 0;
  /// Of contacts, since begin().
  virtual ContactTally contact_tally() const { return {}; }
};
template <class T>
std::unique_ptr<Stepper<T>> make_stepper(const RolloutTask& task, Index count);

}  // namespace tandem::cli
