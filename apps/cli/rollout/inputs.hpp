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
  explicit RolloutInputs(const RolloutTask& task)
      : task_(task),
        target_(task.controller.q_target.begin(), task.controller.q_target.end()),
        kp_(task.controller.kp.begin(), task.controller.kp.end()),
        kd_(task.controller.kd.begin(), task.controller.kd.end()) {}

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
    if (target_.empty()) return;
    arrays.q_target = Series<T>::input(target_.data(), 0, 0);
    arrays.kp = Array<T>::input(kp_.data(), 0);
    arrays.kd = Array<T>::input(kd_.data(), 0);
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
  std::vector<T> target_, kp_, kd_, forces_;
  std::vector<std::vector<T>> values_;
  std::vector<Index> widths_;
};

}  // namespace tandem::cli
