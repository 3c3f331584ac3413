// SPDX-License-Identifier: Apache-2.0
/// Stops at position limits, as they are seen from outside.
#pragma once
#include <algorithm>
#include <cmath>

#include "tandem/api/simulation.hpp"

namespace tandem {

/// The inertia that a joint feels in the configurations q while all others are free: what resists a unit force there.
/// One of a robot that has none moves at will; it gets the unit.
template <class T>
double Simulation<T>::inertia(Index instance, int row, const T* q) {
  const auto i = static_cast<std::size_t>(instance), k = static_cast<std::size_t>(row);
  unit_[k] = 1;
  respond(q + i * nq_, unit_.data(), instance);
  unit_[k] = 0;
  const double a = response_[k];
  return std::isfinite(a) && a > 0 ? 1 / a : 1;
}

/// response_: what joint forces do to one instance at rest and without weight in a configuration.
template <class T>
void Simulation<T>::respond(const T* q, const T* forces, Index instance) {
  const BatchPart one = {instance, 1};
  evaluate_forward(impulses_, {{q, 0, one}, {still_.data(), 0, one}, {forces, 0, one}, {}, {response_.data(), 0, one}},
                   false);
}

/// No stop of an instance has been met.
template <class T>
void Simulation<T>::forget_stops(Index instance) {
  const auto rows = static_cast<std::ptrdiff_t>(3 * nv_);
  std::fill_n(stops_.begin() + static_cast<std::ptrdiff_t>(instance) * rows, rows, T(0));
  forget_contacts(instance);
}

template <class T>
int Simulation<T>::at_limit(int joint, Index instance) const {
  if (joint < 1 || joint >= model_.n_links())
    throw Error(sentence("simulation: there is no joint ", joint, ", expected 1 to ", model_.n_links() - 1));
  at(accounts_, instance);
  const auto& m = model_.view<T>();
  if (m.mimics[joint] != 0 || joint_nv(m.type[joint]) != 1) return 0;
  const std::size_t row = static_cast<std::size_t>(instance) * 3 * nv_ + static_cast<std::size_t>(m.v_index[joint]);
  return static_cast<int>(stops_[row + 2 * nv_]);
}

}  // namespace tandem
