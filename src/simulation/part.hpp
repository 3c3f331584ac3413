// SPDX-License-Identifier: Apache-2.0
/// Steps of some instances without the others: they are brought into a simulation of as many, stepped there, and
/// brought back.
#pragma once
#include <algorithm>

#include "core/text.hpp"
#include "state.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/error.hpp"

namespace tandem {

template <class T>
void Simulation<T>::step(std::span<const T> tau, std::span<const T> f_ext, std::span<const Index> instances,
                         Index steps) {
  check_forces(tau, f_ext);
  if (options_.first_guess != FirstGuess::zero)
    throw Error(sentence("simulation: single instances cannot be stepped with first_guess ",
                         to_string(options_.first_guess), ", which uses solutions of the last step; use zero"));
  std::vector<char> is_named(static_cast<std::size_t>(batch_));
  for (const Index b : instances) {
    at(accounts_, b);
    if (is_named[static_cast<std::size_t>(b)]++) throw Error(sentence("simulation: instance ", b, " occurs twice"));
  }
  if (instances.empty() || steps < 1) return;
  if (is_driven_)
    step_part_driven(instances, steps, tau, f_ext);
  else
    step_part(instances, steps_, steps, tau, f_ext);
}

/// Steps of some instances, that begin after so many of the whole.
template <class T>
void Simulation<T>::step_part(std::span<const Index> instances, std::int64_t after, Index steps, std::span<const T> tau,
                              std::span<const T> f_ext) {
  const std::size_t tau_stride = tau.size() > nv_ ? nv_ : 0;
  const std::size_t wrenches = std::size_t{6} * static_cast<std::size_t>(model_.n_links());
  const std::size_t f_stride = f_ext.size() > wrenches ? wrenches : 0;
  if (!part_) part_ = new_part();
  const auto n = static_cast<Index>(instances.size());
  Simulation& part = *part_;
  part.match(*this, n);
  part.steps_ = after;
  part.numbers_.clear();
  for (const Index b : instances) part.numbers_.push_back(number_of(b));
  part_tau_.resize(tau_stride * instances.size());
  part_f_ext_.resize(f_stride * instances.size());
  for (Index k = 0; k < n; ++k) {
    const auto from = static_cast<std::size_t>(instances[static_cast<std::size_t>(k)]),
               to = static_cast<std::size_t>(k);
    part.take(*this, from, to);
    std::copy_n(tau.begin() + static_cast<std::ptrdiff_t>(from * tau_stride), tau_stride,
                part_tau_.data() + to * tau_stride);
    std::copy_n(f_ext.begin() + static_cast<std::ptrdiff_t>(from * f_stride), f_stride,
                part_f_ext_.data() + to * f_stride);
  }
  begin();
  part.run(steps, tau_stride > 0 ? part_tau_ : tau, f_stride > 0 ? part_f_ext_ : f_ext);
  for (std::size_t k = 0; k < instances.size(); ++k) part.carry(k, *this, static_cast<std::size_t>(instances[k]));
}

/// A simulation of one instance, with the numbers of the first.
template <class T>
std::unique_ptr<Simulation<T>> Simulation<T>::new_part() const {
  SimulationOptions options = options_;
  options.batch = 1;
  options.specialise = Specialise::off;
  const auto first = [](const std::vector<T>& of, std::size_t n) {
    return std::vector<double>(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(std::min(n, of.size())));
  };
  options.controller = {first(q_target_, nq_), first(kp_, nv_), first(kd_, nv_)};
  for (std::size_t p = 0; p < parameters_.size(); ++p) options.parameters[p].values = first(parameters_[p], rows_of(p));
  auto part = std::make_unique<Simulation>(model_, std::move(options));
  part->dynamics_ = dynamics_;
  return part;
}

/// Room for n instances of another simulation, of the same model and options.
template <class T>
void Simulation<T>::match(const Simulation& whole, Index n) {
  batch_ = options_.batch = n;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (whole.is_shared(p)) continue;
    parameters_[p].resize(static_cast<std::size_t>(n) * rows_of(p));
    if (!whole.parameters_seen_[p].empty()) parameters_seen_[p].resize(parameters_[p].size());
  }
  steps_ = whole.steps_;
  steps_then_ = whole.steps_then_;
  began_ = whole.began_;
  has_begun_ = whole.has_begun_;
  servo_damping_.resize(whole.servo_damping_.empty() ? 0 : static_cast<std::size_t>(n) * nv_);
  make_room();
}

/// Instance `from` of the whole as the own instance `to`.
template <class T>
void Simulation<T>::take(const Simulation& whole, std::size_t from, std::size_t to) {
  whole.carry(from, *this, to);
  const auto rows = [&](const std::vector<T>& theirs, std::vector<T>& own, std::size_t n) {
    if (!theirs.empty()) std::copy_n(theirs.data() + from * n, n, own.data() + to * n);
  };
  rows(whole.q_target_, q_target_, nq_);
  rows(whole.kp_, kp_, nv_);
  rows(whole.kd_, kd_, nv_);
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    if (!whole.is_shared(p)) rows(whole.parameters_[p], parameters_[p], rows_of(p));
  rows(whole.servo_damping_, servo_damping_, nv_);
  has_begun_ = has_begun_ && accounts_[to].steps > 0;
}

/// All that a step changes of an instance, to another simulation.
template <class T>
void Simulation<T>::carry(std::size_t from, Simulation& other, std::size_t to) const {
  const auto rows = [&](const std::vector<T>& own, std::vector<T>& theirs, std::size_t n) {
    if (!own.empty()) std::copy_n(own.data() + from * n, n, theirs.data() + to * n);
  };
  rows(q_, other.q_, nq_);
  rows(v_, other.v_, nv_);
  rows(q_seen_, other.q_seen_, nq_);
  rows(v_seen_, other.v_seen_, nv_);
  rows(q_target_seen_, other.q_target_seen_, nq_);
  rows(kp_seen_, other.kp_seen_, nv_);
  rows(kd_seen_, other.kd_seen_, nv_);
  for (std::size_t p = 0; p < parameters_.size(); ++p) rows(parameters_seen_[p], other.parameters_seen_[p], rows_of(p));
  other.accounts_[to] = accounts_[from];
  other.watched_[to] = watched_[from];
  other.kinetic_[to] = kinetic_[from];
  other.potential_[to] = potential_[from];
  other.is_diverged_[to] = is_diverged_[from];
  if (is_diverged_[from]) other.divergences_[to] = divergences_[from];
  rows(stops_, other.stops_, 3 * nv_);
  carry_contacts(from, other, to);
}

}  // namespace tandem
