// SPDX-License-Identifier: Apache-2.0
#include "rollout/costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "tandem/api/rollout_gradient.hpp"

namespace tandem::cli {
namespace {

constexpr Index work_of_way_back = 1'000'000;  // rows of v times steps: a moment, after which one looks up

Index width(const CostDataset& dataset) {
  Index numbers = 1;
  for (const Index size : dataset.sizes) numbers *= size;
  return numbers;
}

}  // namespace

std::vector<CostDataset> cost_datasets(const RolloutTask& task) {
  std::vector<CostDataset> all;
  if (!task.cost.any()) return all;
  const Index nv = task.model.nv();
  const Derivatives& by = task.derivatives;
  all.push_back({"cost", "", "cost of the instance; infinite if it diverged", {}});
  const auto add = [&](const char* name, std::string units, const char* meaning, std::vector<Index> sizes) {
    all.push_back({fmt::format("cost_by_{}", name), std::move(units),
                   fmt::format("gradient of the cost by the {}", meaning), std::move(sizes)});
  };
  for (const RolloutArgument* row : by.inputs)
    add(row->name, row->units, row->meaning,
        is_of_every_step(*row) ? std::vector<Index>{task.rollout.steps, nv} : std::vector<Index>{nv});
  for (const Parameter p : by.parameters) {
    const Argument& a = parameters()[static_cast<std::size_t>(p)];
    const Shape s = shape(a.rows, task.model.view<double>());
    add(a.name, fmt::format("1/({})", a.units), a.meaning, {s.sizes, s.sizes + s.rank});
  }
  return all;
}

template <class T>
bool RolloutCosts<T>::run(Index count, std::span<const T> q0, std::span<const T> v0,
                          const std::vector<std::vector<double>>& parameters, std::span<const double> forces,
                          const std::function<bool(Index)>& goes) {
  inputs_.take(count, parameters, forces);
  numbers_.clear();
  for (const CostDataset& dataset : cost_datasets(task_))
    numbers_.emplace_back(static_cast<std::size_t>(count * width(dataset)));
  const Index at_once = std::max<Index>(16, work_of_way_back / (task_.rollout.steps * std::max(1, task_.model.nv())));
  for (Index first = 0; first < count; first += at_once) {
    add(first, std::min(at_once, count - first), q0, v0);
    if (!goes(std::min(count, first + at_once))) return false;
  }
  return true;
}

/// Of some instances, from the first step to the last.
template <class T>
void RolloutCosts<T>::add(Index first, Index count, std::span<const T> q0, std::span<const T> v0) {
  const Index nq = task_.model.nq(), nv = task_.model.nv(), steps = task_.rollout.steps;
  const CostTerms& cost = task_.cost;
  const std::vector<T> goal(cost.goal.begin(), cost.goal.end()), zeros(static_cast<std::size_t>(nv));
  std::vector<T> weights[5];
  const auto weight = [&](int k, const std::vector<double>& rows) {
    weights[k].assign(rows.begin(), rows.end());
    return rows.empty() ? Array<T>() : Array<T>::input(weights[k].data(), 0);
  };
  RolloutArrays<T> arrays;
  arrays.q0 = Array<T>::input(q0.data() + first * nq, nq);
  arrays.v0 = Array<T>::input(v0.data() + first * nv, nv);
  inputs_.give(arrays, first);
  if (!arrays.tau.data) arrays.tau = Series<T>::input(zeros.data(), 0, 0);
  arrays.costs.q_weight = weight(0, cost.q);
  arrays.costs.v_weight = weight(1, cost.v);
  arrays.costs.effort_weight = weight(2, cost.effort);
  arrays.costs.final_q_weight = weight(3, cost.final_q);
  arrays.costs.final_v_weight = weight(4, cost.final_v);
  if (cost.has_goal()) arrays.costs.q_reference = Series<T>::input(goal.data(), 0, 0);

  std::size_t next = 0;
  const auto result = [&](Index width_of_one) {
    return Array<T>::output(numbers_[next++].data() + first * width_of_one, width_of_one);
  };
  arrays.cost = result(1);
  RolloutGradientArrays<T> gradient;
  const Derivatives& by = task_.derivatives;
  Array<T> by_target;
  const auto take = [&](const RolloutArgument& row, auto& to) {
    if (std::ranges::find(by.inputs, &row) == by.inputs.end()) return;
    const Index rows = is_of_every_step(row) ? steps * nv : nv;
    const Array<T> all = result(rows);
    if constexpr (std::is_same_v<std::decay_t<decltype(to)>, Array<T>>) {
      to = all;
    } else if (is_of_every_step(row)) {
      to = Series<T>::output(all.data, all.stride, nv);
    } else {  // one target for all steps: their gradients are added
      by_target = all;
      by_target_.resize(static_cast<std::size_t>(count * steps * nv));
      to = Series<T>::output(by_target_.data(), steps * nv, nv);
    }
  };
  for_each_gradient(gradient, take);
  std::vector<BatchedParameter<T>> by_parameters;
  for (const Parameter p : by.parameters)
    by_parameters.push_back(
        {p, result(shape(parameters()[static_cast<std::size_t>(p)].rows, task_.model.template view<T>()).count())});
  gradient.by_parameters = by_parameters;

  Batch<T> batch(count, task_.threads);
  const std::vector<BatchedParameter<T>> varied = inputs_.parameters(first);
  batch.parameters = varied;
  if (!by.any()) return rollout<T>(task_.model, arrays, batch, work_, task_.rollout, task_.device);
  rollout_gradient<T>(task_.model, arrays, gradient, batch, work_, task_.rollout);
  if (!by_target.data) return;
  for (Index b = 0; b < count; ++b)
    for (Index k = 0; k < nv; ++k) {
      T sum(0);
      for (Index s = 0; s < steps; ++s) sum += by_target_[static_cast<std::size_t>((b * steps + s) * nv + k)];
      by_target.data[b * nv + k] = sum;
    }
}

template class RolloutCosts<double>;
template class RolloutCosts<float>;

}  // namespace tandem::cli
