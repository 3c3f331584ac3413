// SPDX-License-Identifier: Apache-2.0
/// Instances of a rollout through all of its steps, a chunk at a time. What an instance does depends on its number
/// alone.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "rollout/steppers.hpp"

namespace tandem::cli {

template <class T>
class RolloutCosts;

template <class T>
class RolloutChunk {
 public:
  explicit RolloutChunk(const RolloutTask& task);
  ~RolloutChunk();

  /// States of all instances at kept moments k .. k + moments - 1: [moments][count][nq] and [nv]; which of them have
  /// diverged before is to be seen from diverged().
  using Look = std::function<void(Index k, Index moments, const T* q, const T* v)>;
  /// Every now and then, with the steps done, of task.passes() times as many as there are; false: no further.
  using Goes = std::function<bool(std::int64_t step)>;
  /// Moves instances first .. first + count - 1. False if it was stopped.
  bool run(Index first, Index count, const Look& look, const Goes& goes);

  /// Of the instances of the last run; the step that diverged, counted from 1, or 0.
  const std::vector<Status>& status() const { return status_; }
  const std::vector<std::int64_t>& diverged() const { return diverged_; }
  /// What they began with, and their parameters in the order of task.randomize.parameters(): of each [count][rows].
  const std::vector<T>& q0() const { return q0_; }
  const std::vector<T>& v0() const { return v0_; }
  const std::vector<double>& parameter(std::size_t k) const { return parameters_[k]; }
  ContactTally contact_tally() const { return stepper_->contact_tally(); }
  const RolloutCosts<T>& costs() const { return *costs_; }

 private:
  void begin(Index first, Index count);

  const RolloutTask& task_;
  Index count_ = 0;  ///< that the stepper is for
  std::unique_ptr<Stepper<T>> stepper_;
  std::unique_ptr<RolloutCosts<T>> costs_;
  std::vector<T> q0_, v0_, q_, v_;
  std::vector<double> forces_;
  std::vector<std::vector<double>> parameters_;
  std::vector<Status> status_;
  std::vector<std::int64_t> diverged_;
  Workspace<double> work_of_states_;
};

}  // namespace tandem::cli
