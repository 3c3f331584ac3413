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
