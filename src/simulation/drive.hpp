// SPDX-License-Identifier: Apache-2.0
/// What drives the joints: given forces, what compensates gravity, and the controller, within the limits of effort.
#pragma once
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/detail/problems/bias_forces.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// Numbers for every instance, or one set that holds for all.
template <class T>
void Simulation<T>::prepare_controller() {
  const PdController& c = options_.controller;
  if (c.q_target.empty()) return;
  const auto spread = [&](const char* name, const std::vector<double>& from, std::size_t rows, std::vector<T>& to) {
    if (from.size() != rows && from.size() != to.size())
      throw Error(sentence("simulation: controller.", name, " has ", from.size(), " numbers, expected ", rows,
                           batch_ > 1 ? sentence(", or ", batch_, " times as many") : std::string()));
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = static_cast<T>(from[from.size() == rows ? k % rows : k]);
  };
  spread("q_target", c.q_target, nq_, q_target_);
  spread("kp", c.kp, nv_, kp_);
  spread("kd", c.kd, nv_, kd_);
  check_controller();
  q_target_seen_ = q_target_;
  kp_seen_ = kp_;
  kd_seen_ = kd_;
}

/// Joints that bear no effort have no gains.
template <class T>
void Simulation<T>::check_controller() {
  for (std::size_t k = 0; k < q_target_.size(); ++k)
    if (!std::isfinite(q_target_[k]))
      throw Error(sentence("simulation: controller.q_target has a number that is not finite",
                           of_instance(static_cast<Index>(k / nq_))));
  const auto gains = [&](const char* name, std::vector<T>& values) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (!(std::isfinite(values[k]) && values[k] >= 0))
        throw Error(sentence("simulation: controller.", name, " has ", double{values[k]},
                             of_instance(static_cast<Index>(k / nv_)), ", expected finite non-negative numbers"));
      if (model_.view<T>().tau_limit[k % nv_] == T(0)) values[k] = 0;
    }
  };
  gains("kp", kp_);
  gains("kd", kd_);
}

/// error_: q_target - q, of all instances.
template <class T>
void Simulation<T>::distance_to_target(const T* q) {
  if (batch_ == 1) return difference<T>(model_, {q, nq_}, q_target_, error_, work_);
  static const Algorithm& algorithm = find_algorithm(Difference::name);
  const auto nq = static_cast<Index>(nq_);
  const Array<T> arguments[] = {Array<T>::input(q, nq), Array<T>::input(q_target_.data(), nq),
                                Array<T>::output(error_.data(), static_cast<Index>(nv_))};
  evaluate<T>(algorithm, model_, arguments, Batch<T>(batch_, options_.threads), work_);
}

/// J that the springs of the controller hold in error_.
template <class T>
double Simulation<T>::controller_energy(Index instance) const {
  double energy = 0;
  const std::size_t iv = static_cast<std::size_t>(instance) * nv_;
  for (std::size_t k = iv; !error_.empty() && k < iv + nv_; ++k)
    energy += double{kp_[k]} / 2 * double{error_[k]} * double{error_[k]};
  return energy;
}

/// Before a step: a target or a gain that was set since the last one counts as energy given, by what its springs then
/// hold more.
template <class T>
void Simulation<T>::begin_controller() {
  if (q_target_ == q_target_seen_ && kp_ == kp_seen_ && kd_ == kd_seen_) return;
  check_controller();
  std::vector<double>& before = driven_;  // which the step begins anew
  q_target_.swap(q_target_seen_);
  kp_.swap(kp_seen_);
  distance_to_target(q_.data());
  for (Index b = 0; b < batch_; ++b) before[static_cast<std::size_t>(b)] = controller_energy(b);
  q_target_.swap(q_target_seen_);
  kp_.swap(kp_seen_);
  distance_to_target(q_.data());
  for (Index b = 0; b < batch_; ++b) {
    const auto i = static_cast<std::size_t>(b);
    watched_[i].given += std::max(0.0, controller_energy(b) - before[i]);
  }
  q_target_seen_ = q_target_;
  kp_seen_ = kp_;
  kd_seen_ = kd_;
}

/// Whether what compensates gravity changes within a step: integrators with stages ask for it where they are.
template <class T>
bool Simulation<T>::compensates_in_stages() const {
  return options_.gravity_compensation && options_.integrator != Integrator::semi_implicit_euler;
}
/// Joint forces that hold instances against the weight that the model has.
template <class T>
void Simulation<T>::compensate(const RobotRows<const T>& q, const RobotRows<T>& forces) {
  static const Algorithm& algorithm = find_algorithm(GravityForces::name);
  const BatchPart part = forces.part();
  const Array<T> arguments[] = {input(q, part), output(forces, part)};
  evaluate<T>(algorithm, model_, arguments, Batch<T>(part.n, options_.threads), work_);
}

/// The joint forces of a step, which the step clips to effort limits: with what compensates gravity, unless that
/// changes within the step.
template <class T>
std::span<const T> Simulation<T>::drive(std::span<const T> tau) {
  if (!options_.gravity_compensation || compensates_in_stages()) return tau;
  drive_.resize(v_.size());
  const BatchPart whole = {0, batch_};
  compensate({q_.data(), static_cast<Index>(nq_), whole}, {drive_.data(), static_cast<Index>(nv_), whole});
  for (std::size_t k = 0; k < drive_.size() && !tau.empty(); ++k) drive_[k] += tau[tau.size() > nv_ ? k : k % nv_];
  return drive_;
}

}  // namespace tandem
