// SPDX-License-Identifier: Apache-2.0
/// What the instances of a chunk are driven with, in the precision of the rollout.
#pragma once
#include <algorithm>
#include <vector>

#include "rollout/task.hpp"

namespace tandem::cli {

template <class T>
class RolloutInputs {
 public:
  explicit RolloutInputs(const RolloutTask& task) : task_(task) {
    for_each_controller_input([](const Argument&, const auto& from, auto& to) { to.assign(from.begin(), from.end()); },
                              task.controller, controller_);
  }

  /// Of so many instances: parameters as in task.randomize; forces in double, of these or of all.
  void take(Index count, const std::vector<std::vector<double>>& parameters, std::span<const double> forces) {
    forces_.assign(forces.begin(), forces.end());
    values_.clear();
    widths_.clear();
    for (const std::vector<double>& p : parameters) {
      values_.emplace_back(p.begin(), p.end());
      widths_.push_back(static_cast<Index>(p.size()) / count);
    }
  }
  /// Those of instances from `first` on.
  void give(RolloutArrays<T>& arrays, Index first = 0) const {
    const Index nv = task_.model.nv(), of_one = task_.rollout.steps * nv;
    if (task_.forces)
      arrays.tau = task_.forces->is_shared() ? Series<T>::input(forces_.data(), 0, nv)
                                             : Series<T>::input(forces_.data() + first * of_one, of_one, nv);
    set_controller(arrays, controller_, task_.model);
  }
  std::vector<BatchedParameter<T>> parameters(Index first = 0) const {
    std::vector<BatchedParameter<T>> all;
    for (std::size_t k = 0; k < values_.size(); ++k)
      all.push_back(
          {task_.randomize.parameters()[k], Array<T>::input(values_[k].data() + first * widths_[k], widths_[k])});
    return all;
  }

 private:
  const RolloutTask& task_;
  Controller<std::vector<T>> controller_;
  std::vector<T> forces_;
  std::vector<std::vector<T>> values_;
  std::vector<Index> widths_;
};

}  // namespace tandem::cli
