// SPDX-License-Identifier: Apache-2.0
#include "rollout/chunk.hpp"

#include <algorithm>

#include "rollout/costs.hpp"

namespace tandem::cli {
namespace {

constexpr Index work_of_call = 2'000'000;          // rows of v times steps: a moment, after which one looks up
constexpr Index numbers_of_call = Index{1} << 21;  // that a call writes

}  // namespace

bool RolloutTask::is_for_rollout() const { return (model.n_loops() == 0 || rollout.contacts) && has_costs(); }

bool RolloutTask::has_costs() const {
  const std::span<const Method> own = find_algorithm("forward_dynamics").methods;
  return std::ranges::find(own, rollout.dynamics.method) != own.end();
}

template <class T>
RolloutChunk<T>::RolloutChunk(const RolloutTask& task) : task_(task), costs_(std::make_unique<RolloutCosts<T>>(task)) {}
template <class T>
RolloutChunk<T>::~RolloutChunk() = default;

/// States, parameters and forces.
template <class T>
void RolloutChunk<T>::begin(Index first, Index count) {
  if (count != count_ || !stepper_) stepper_ = make_stepper<T>(task_, count);
  count_ = count;
  q0_.clear();
  v0_.clear();
  parameters_.assign(task_.randomize.parameters().size(), {});
  for (Index b = 0; b < count; ++b) {
    const auto instance = static_cast<std::uint64_t>(first + b);
    const StartState state = task_.randomize.state(task_.start, instance, work_of_states_);
    q0_.insert(q0_.end(), state.q.begin(), state.q.end());
    v0_.insert(v0_.end(), state.v.begin(), state.v.end());
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      const std::vector<double> values = task_.randomize.values(k, instance);
      parameters_[k].insert(parameters_[k].end(), values.begin(), values.end());
    }
  }
  if (task_.forces && (forces_.empty() || !task_.forces->is_shared())) task_.forces->read(first, count, forces_);
  status_.assign(static_cast<std::size_t>(count), Status::ok);
  diverged_.assign(static_cast<std::size_t>(count), 0);
  stepper_->begin(q0_, v0_, parameters_, forces_);
}

template <class T>
bool RolloutChunk<T>::run(Index first, Index count, const Look& look, const Goes& goes) {
  begin(first, count);
  const Index nq = task_.model.nq(), nv = task_.model.nv(), steps = task_.rollout.steps;
  const Index work = task_.device.kind == Device::cuda ? 100 * work_of_call  // copies are short beside it
                     : task_.rollout.contacts          ? work_of_call / 10
                                                       : work_of_call;
  const Index most_steps = std::max<Index>(1, work / (count * std::max<Index>(1, nv)));
  const Index most_states = std::max<Index>(1, numbers_of_call / (count * std::max<Index>(1, nq + nv)));
  Index k = 0;
  if (!task_.only_last) look(k++, 1, q0_.data(), v0_.data());
  for (Index done = 0; done < steps;) {
    const Index to_next = task_.step_of(k) - done;
    Index every = std::min(to_next, most_steps), states = 1;
    if (every == to_next)  // as many evenly spaced states as may come at once
      while (states < most_states && (states + 1) * every <= most_steps && k + states < task_.kept() &&
             task_.step_of(k + states) == done + (states + 1) * every)
        ++states;
    q_.resize(static_cast<std::size_t>(states * count * nq));
    v_.resize(static_cast<std::size_t>(states * count * nv));
    stepper_->advance(done, states * every, every, q_.data(), v_.data(), status_, diverged_);
    done += states * every;
    if (!goes(done)) return false;
    if (every < to_next) continue;
    look(k, states, q_.data(), v_.data());
    k += states;
  }
  if (!task_.cost.any()) return true;
  return costs_->run(count, q0_, v0_, parameters_, forces_,
                     [&](Index instances) { return goes(steps + (task_.passes() - 1) * steps * instances / count); });
}

template class RolloutChunk<double>;
template class RolloutChunk<float>;

}  // namespace tandem::cli
