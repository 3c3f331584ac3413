// SPDX-License-Identifier: Apache-2.0
#include "rollout_chunk.hpp"

#include <algorithm>

namespace tandem::cli {
namespace {

SimulationOptions of_batch(SimulationOptions options, Index batch) {
  options.batch = batch;
  return options;
}

}  // namespace

template <class T>
RolloutChunk<T>::RolloutChunk(const RolloutTask& task, Index size)
    : task_(task),
      size_(size),
      nq_(static_cast<std::size_t>(task.model.nq())),
      nv_(static_cast<std::size_t>(task.model.nv())),
      simulation_(task.model, of_batch(task.simulation, size)),
      sound_(static_cast<std::size_t>(size)) {
  if (task_.holds_weight) weight_.emplace(task_.model, find_algorithm("gravity_forces"));
  if (task_.forces && task_.forces->is_shared()) task_.forces->read(0, 0, forces_);
  for (const Parameter parameter : task_.randomize.parameters()) parameters_.push_back({parameter, {}});
}

/// States and parameters; what a chunk has room for behind the last instance is filled with that one.
template <class T>
void RolloutChunk<T>::begin(Index first, Index count) {
  q0_.clear();
  v0_.clear();
  for (SimulationParameter& p : parameters_) p.values.clear();
  for (Index b = 0; b < size_; ++b) {
    const auto instance = static_cast<std::uint64_t>(first + std::min(b, count - 1));
    const StartState state = task_.randomize.state(task_.start, instance, work_of_states_);
    q0_.insert(q0_.end(), state.q.begin(), state.q.end());
    v0_.insert(v0_.end(), state.v.begin(), state.v.end());
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      const std::vector<double> values = task_.randomize.values(k, instance);
      parameters_[k].values.insert(parameters_[k].values.end(), values.begin(), values.end());
    }
  }
  if (!parameters_.empty()) simulation_.set_parameters(parameters_);
  simulation_.reset(q0_, v0_);
  if (!task_.forces || task_.forces->is_shared()) return;
  task_.forces->read(first, count, forces_);
  const std::size_t of_one = static_cast<std::size_t>(task_.steps) * nv_;
  forces_.resize(static_cast<std::size_t>(size_) * of_one, 0.0);
}

template <class T>
void RolloutChunk<T>::step(std::int64_t step) {
  tau_.assign(weight_ || task_.forces ? static_cast<std::size_t>(size_) * nv_ : 0, T(0));
  if (weight_) {
    const Array<T> arguments[] = {Array<T>::input(simulation_.q().data(), task_.model.nq()),
                                  Array<T>::output(tau_.data(), task_.model.nv())};
    evaluate<T>(*weight_, arguments, Batch<T>(size_, task_.simulation.threads), work_);
  }
  if (task_.forces) {
    const std::size_t of_one = task_.forces->is_shared() ? 0 : static_cast<std::size_t>(task_.steps) * nv_;
    for (std::size_t b = 0; b < static_cast<std::size_t>(size_); ++b)
      for (std::size_t k = 0; k < nv_; ++k)
        tau_[b * nv_ + k] += static_cast<T>(forces_[b * of_one + static_cast<std::size_t>(step) * nv_ + k]);
  }
  simulation_.step(tau_);
}

template <class T>
void RolloutChunk<T>::look(Index k, Index count, const Look& look) {
  for (Index b = 0; b < count; ++b) sound_[static_cast<std::size_t>(b)] = simulation_.divergence(b) == nullptr;
  const auto n = static_cast<std::size_t>(count);
  look(k, simulation_.q().first(n * nq_), simulation_.v().first(n * nv_), std::span<const char>(sound_).first(n));
}

template <class T>
void RolloutChunk<T>::remember(Index count) {
  status_.assign(static_cast<std::size_t>(count), 0);
  diverged_.assign(static_cast<std::size_t>(count), 0);
  first_.kind_known = false;
  for (Index b = 0; b < count; ++b) {
    const Divergence* divergence = simulation_.divergence(b);
    if (!divergence) continue;
    status_[static_cast<std::size_t>(b)] = static_cast<std::uint8_t>(1 + divergence->kind);
    diverged_[static_cast<std::size_t>(b)] = divergence->step;
    if (!first_.kind_known) first_.kind_known = true, first_.divergence = *divergence;
  }
}

template <class T>
bool RolloutChunk<T>::run(Index first, Index count, const Look& look_at, const Goes& goes) {
  begin(first, count);
  Index k = 0;
  if (!task_.only_last) look(k++, count, look_at);
  for (std::int64_t s = 0; s < task_.steps; ++s) {
    step(s);
    if (!goes(s + 1)) return false;
    if (k < task_.kept() && task_.step_of(k) == s + 1) look(k++, count, look_at);
  }
  remember(count);
  return true;
}

template class RolloutChunk<double>;
template class RolloutChunk<float>;

}  // namespace tandem::cli
