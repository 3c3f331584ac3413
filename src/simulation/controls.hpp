// SPDX-License-Identifier: Apache-2.0
/// Steps driven by the actuators of the robot: their forces at the beginning of every step, and their activations after
/// it.
#pragma once
#include <algorithm>
#include <cmath>

#include "actuate.hpp"
#include "backends/cpu/threads.hpp"
#include "core/text.hpp"
#include "tandem/api/actuators.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/error.hpp"

namespace tandem {

template <class T>
std::span<double> Simulation<T>::ctrl() {
  at(accounts_, 0);
  if (!is_driven_) check_actuators();
  is_driven_ = true;
  return ctrl_;
}

/// Throws Error for actuators whose forces change within a step of integrators with stages.
template <class T>
void Simulation<T>::check_actuators() const {
  if (options_.integrator == Integrator::semi_implicit_euler) return;
  for (const Actuator& actuator : actuators(model_))
    if (actuator.acts() && depends_on_state(actuator))
      throw Error(sentence("simulation: the force of actuator ", in_quotes(actuator.name),
                           " depends on the state and acts with semi_implicit_euler; integrator is ",
                           to_string(options_.integrator), ". Use that integrator, or give actuator_forces as tau"));
}

/// As MuJoCo's implicitfast: but for files for which Euler was chosen, velocity gains act at the end of the step, as
/// joint damping does.
template <class T>
bool Simulation<T>::damps_by_actuators() const {
  const auto own = dynamics_.algorithm().methods;
  return options_.integrator == Integrator::semi_implicit_euler && options_.losses && !options_.effort_limits &&
         contact_settings(model_).integrator != "Euler" && model_.n_loops() == 0 &&
         std::find(own.begin(), own.end(), dynamics_.options().method) != own.end();
}

/// driven_tau_: tau and the forces of actuators, of all instances or those named; servo_damping_: joint damping with
/// the velocity gains of servos.
template <class T>
void Simulation<T>::actuate_joints(std::span<const T> tau) {
  const bool damps = damps_by_actuators();
  const std::size_t nu = ctrl_.size() / accounts_.size(), na = act_.size() / accounts_.size();
  driven_tau_.resize(v_.size());
  servo_damping_.assign(damps ? v_.size() : 0, T(0));
  const auto own_damping = [&](std::size_t b) -> const T* {
    for (std::size_t p = 0; p < parameters_.size(); ++p)
      if (options_.parameters[p].parameter == Parameter::damping)
        return parameters_[p].data() + (parameters_[p].size() > nv_ ? b * nv_ : 0);
    return model_.view<T>().damping;
  };
  for (Index b = 0; b < batch_; ++b)  // before anything is done
    check_controls("simulation", model_, std::span<const double>(ctrl_).subspan(static_cast<std::size_t>(b) * nu, nu),
                   of_instance(b));
  bool any_damping = false;
  cpu::for_each_range(
      batch_, 64, batch_ <= 64 ? 1 : cpu::available_threads(options_.threads), [&](Index first, Index end, int) {
        std::vector<double> q(nq_), v(nv_), force(nv_), gain(nv_);
        for (Index instance = first; instance < end; ++instance) {
          const auto b = static_cast<std::size_t>(instance);
          std::copy_n(q_.data() + b * nq_, nq_, q.begin());
          std::copy_n(v_.data() + b * nv_, nv_, v.begin());
          actuate(model_, {q, v, {ctrl_.data() + b * nu, nu}, {act_.data() + b * na, na}}, force,
                  damps ? std::span<double>(gain) : std::span<double>());
          for (std::size_t k = 0; k < nv_; ++k) {
            T& to = driven_tau_[b * nv_ + k];
            to = (tau.empty() ? T(0) : tau[tau.size() > nv_ ? b * nv_ + k : k]) + static_cast<T>(force[k]);
            if (!damps) continue;
            to += static_cast<T>(gain[k] * v[k]);
            servo_damping_[b * nv_ + k] = own_damping(b)[k] + static_cast<T>(gain[k]);
          }
        }
      });
  for (std::size_t b = 0; damps && b < accounts_.size() && !any_damping; ++b)
    any_damping = !std::equal(own_damping(b), own_damping(b) + nv_, servo_damping_.data() + b * nv_);
  if (!any_damping) servo_damping_.clear();
}

/// Activations of an instance after a step.
template <class T>
void Simulation<T>::advance_activations_of(Index instance) {
  const std::size_t n = accounts_.size(), nu = ctrl_.size() / n, na = act_.size() / n,
                    b = static_cast<std::size_t>(instance);
  if (na == 0 || is_diverged_[b]) return;
  advance_activations(model_, std::span<const double>(ctrl_).subspan(b * nu, nu), options_.dt,
                      std::span<double>(act_).subspan(b * na, na));
}

/// Calls f(first step, how many) for steps in which the forces of actuators are constant.
template <class T>
template <class F>
void Simulation<T>::for_each_driven(Index steps, std::span<const T> tau, F&& f) {
  const auto changes = [](const Actuator& actuator) { return actuator.acts() && depends_on_state(actuator); };
  const Index n = std::ranges::any_of(actuators(model_), changes) ? 1 : steps;
  for (Index k = 0; k < steps; k += n) {
    actuate_joints(tau);
    f(k, n);
  }
  servo_damping_.clear();
}

template <class T>
void Simulation<T>::run_driven(Index steps, std::span<const T> tau, std::span<const T> f_ext) {
  for_each_driven(steps, tau, [&](Index, Index n) {
    run_steps(n, driven_tau_, f_ext);
    for (Index b = 0; b < batch_; ++b) advance_activations_of(b);
  });
}

/// The same of some instances.
template <class T>
void Simulation<T>::step_part_driven(std::span<const Index> instances, Index steps, std::span<const T> tau,
                                     std::span<const T> f_ext) {
  for_each_driven(steps, tau, [&](Index done, Index n) {
    step_part(instances, steps_ + done, n, driven_tau_, f_ext);
    for (const Index b : instances) advance_activations_of(b);
  });
}

}  // namespace tandem
