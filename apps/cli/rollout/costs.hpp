// SPDX-License-Identifier: Apache-2.0
/// What the instances of a chunk cost, and how that changes with what they were given: datasets of the file beside
/// their states.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "rollout/inputs.hpp"

namespace tandem::cli {

/// A dataset of numbers of each instance.
struct CostDataset {
  std::string name, units, meaning;
  std::vector<Index> sizes;
};
/// All of them, in order; none where nothing is weighted.
std::vector<CostDataset> cost_datasets(const RolloutTask& task);

template <class T>
class RolloutCosts {
 public:
  explicit RolloutCosts(const RolloutTask& task) : task_(task), inputs_(task) {}

  /// Finds them of `count` instances that begin at q0 [count][nq] and v0 [count][nv], with parameters and forces as
  /// Stepper has them: some instances at a time, after which goes(how many) says whether to go on. False if it was
  /// stopped.
  bool run(Index count, std::span<const T> q0, std::span<const T> v0,
           const std::vector<std::vector<double>>& parameters, std::span<const double> forces,
           const std::function<bool(Index)>& goes);
  /// Those of a dataset, in the order of cost_datasets().
  const std::vector<T>& numbers(std::size_t dataset) const { return numbers_[dataset]; }

 private:
  void add(Index first, Index count, std::span<const T> q0, std::span<const T> v0);

  const RolloutTask& task_;
  RolloutInputs<T> inputs_;
  std::vector<std::vector<T>> numbers_;
  std::vector<T> by_target_;  ///< [some instances][steps][nv]
  Workspace<T> work_;
};

}  // namespace tandem::cli
