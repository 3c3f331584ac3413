// SPDX-License-Identifier: Apache-2.0
/// Stops at position limits, as they are seen from outside.
#include <algorithm>
#include <cmath>

#include "parts.hpp"

namespace tandem::simulation_detail {

/// The inertia that a joint feels in the configurations q while all others are free: what resists a unit force there.
/// One of a robot that has none moves at will; it gets the unit.
template <class T>
double Stops<T>::inertia(Index instance, int row, const T* q) {
  const auto i = static_cast<std::size_t>(instance), k = static_cast<std::size_t>(row);
  s.unit[k] = 1;
  respond(q + i * s.nq, s.unit.data(), instance);
  s.unit[k] = 0;
  const double a = s.response[k];
  return std::isfinite(a) && a > 0 ? 1 / a : 1;
}

/// response: what joint forces do to one instance at rest and without weight in a configuration.
template <class T>
void Stops<T>::respond(const T* q, const T* forces, Index instance) {
  const BatchPart one = {instance, 1};
  Steps{s}.evaluate_forward(
      s.impulses, {{q, 0, one}, {s.still.data(), 0, one}, {forces, 0, one}, {}, {s.response.data(), 0, one}}, false);
}

/// No stop of an instance has been met.
template <class T>
void Stops<T>::forget(Index instance) {
  const auto rows = static_cast<std::ptrdiff_t>(3 * s.nv);
  std::fill_n(s.stops.begin() + static_cast<std::ptrdiff_t>(instance) * rows, rows, T(0));
  Contacts{s}.forget(instance);
}

template struct Stops<double>;
template struct Stops<float>;

}  // namespace tandem::simulation_detail
