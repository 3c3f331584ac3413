// SPDX-License-Identifier: Apache-2.0
/// Closed loops of a simulation: states are led back onto them, before the first step and after every one.
#pragma once
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/detail/problems/close_loops.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// Leads all states to the nearest with closed loops. apart_: how far their frames then still are apart.
template <class T>
void Simulation<T>::close_loops() {
  static const Algorithm& algorithm = find_algorithm(CloseLoops::name);
  apart_.resize(static_cast<std::size_t>(batch_));
  const auto nq = static_cast<Index>(nq_), nv = static_cast<Index>(nv_);
  const Array<T> arguments[] = {Array<T>::input(q_.data(), nq), Array<T>::input(v_.data(), nv),
                                Array<T>::output(q_.data(), nq), Array<T>::output(v_.data(), nv),
                                Array<T>::output(apart_.data(), 1)};
  with_parameters(0, true, [&](std::span<const BatchedParameter<T>> varied) {
    evaluate<T>(algorithm, model_, arguments, Batch<T>(batch_, options_.threads, {}, varied), work_);
  });
}

/// Whether steps keep the energy of loops that are closed after them, too.
template <class T>
bool Simulation<T>::keeps_energy_of_loops() const {
  const auto& m = model_.view<T>();
  return model_.n_loops() > 0 && options_.integrator == Integrator::implicit_midpoint &&
         m.base_acceleration[0] == T(0) && m.base_acceleration[1] == T(0) && m.base_acceleration[2] == T(0);
}
/// J of all instances before a step.
template <class T>
void Simulation<T>::begin_energy() {
  if (!keeps_energy_of_loops()) return;
  measure(0, batch_);
  energy_before_.resize(static_cast<std::size_t>(batch_));
  for (std::size_t i = 0; i < energy_before_.size(); ++i)
    energy_before_[i] = double{kinetic_[i]} + double{potential_[i]};
}
/// After it, with loops closed: velocities are scaled, which leaves loops closed, so that the kinetic energy is what is
/// left of the energy before and of what was given and taken. Where a robot comes to rest there is none to scale.
template <class T>
void Simulation<T>::end_energy() {
  if (!keeps_energy_of_loops()) return;
  constexpr double most = 0.01;  // of the kinetic energy, that a step may be amiss by
  measure(0, batch_);
  for_each_instance([&](Index b, std::size_t, std::size_t iv) {
    const auto i = static_cast<std::size_t>(b);
    const T* const e = energies_.data() + 4 * i;
    const double kinetic = kinetic_[i],
                 left = energy_before_[i] - double{potential_[i]} - double{e[0]} + double{e[2]} + double{e[3]};
    if (!(std::abs(left - kinetic) < most * kinetic)) return;
    const T scale = static_cast<T>(std::sqrt(left / kinetic));
    for (std::size_t k = 0; k < nv_; ++k) v_[iv + k] *= scale;
  });
}

/// False for NaN, too.
template <class T>
bool Simulation<T>::is_closed(Index instance) const {
  return apart_[static_cast<std::size_t>(instance)] <= T(CloseLoops::usual_tolerance<T>);
}

/// Before a step: states that were set, and are not the last ones of a step, must lead to closed loops.
template <class T>
void Simulation<T>::begin_loops() {
  if (model_.n_loops() == 0 || (has_begun_ && q_ == q_seen_ && v_ == v_seen_)) return;
  close_loops();
  for_each_instance([&](Index b, std::size_t iq, std::size_t iv) {
    const auto finite = [](T x) { return std::isfinite(x); };
    if (is_closed(b) || !std::all_of(q_.begin() + iq, q_.begin() + iq + nq_, finite) ||
        !std::all_of(v_.begin() + iv, v_.begin() + iv + nv_, finite))
      return;
    throw Error(sentence("simulation: loops of ", element("robot", model_.name()), " are open", of_instance(b),
                         ", and close_loops does not converge: frames of loop joints stay ",
                         rounded_text(double{apart_[static_cast<std::size_t>(b)]}),
                         " m and rad apart; set a configuration with nearly closed loops"));
  });
}

}  // namespace tandem
