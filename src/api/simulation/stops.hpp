// SPDX-License-Identifier: Apache-2.0
/// Stops at position limits: when a joint meets one, when one lets go, what it pushes with.
#pragma once
#include <algorithm>
#include <cmath>

#include "tandem/api/simulation.hpp"
#include "tandem/detail/problems/joint_stops.hpp"

namespace tandem {

template <class T>
void Simulation<T>::prepare_stops() {
  if (!options_.limits) return;
  const auto& m = model_.view<T>();
  for_each_limited_row(m, [&](int iq, int iv) {
    if (std::isfinite(m.q_lower[iq]) || std::isfinite(m.q_upper[iq]))
      limited_.push_back({iq, iv, m.q_lower[iq], m.q_upper[iq]});
  });
}

/// Calls f(stop, its row, its number in v) for the stops of an instance.
template <class T>
template <class F>
void Simulation<T>::for_each_stop(Index instance, F&& f) {
  const std::size_t first = static_cast<std::size_t>(instance) * limited_.size();
  for (std::size_t k = 0; k < limited_.size(); ++k)
    f(stops_[first + k], limited_[k],
      static_cast<std::size_t>(instance) * nv_ + static_cast<std::size_t>(limited_[k].v));
}

/// A joint comes to its upper (1) or lower (-1) limit.
template <class T>
void Simulation<T>::meet(Stop& stop, const LimitedRow& row, Index instance, int side) {
  stop.side = side;
  stop.push = 0;
  const auto felt = static_cast<T>(inertia(instance, row.v, q_.data()));
  stop.impedance = JointStops::impedance(felt, static_cast<T>(options_.dt));
}

/// The inertia that a joint feels in the configurations q while all others are free: what resists a unit force there.
/// One of a robot that has none moves at will; it gets the unit.
template <class T>
double Simulation<T>::inertia(Index instance, int row, const T* q) {
  const auto i = static_cast<std::size_t>(instance), k = static_cast<std::size_t>(row);
  unit_[k] = 1;
  evaluate_forward(impulses_, q + i * nq_, still_.data(), unit_.data(), nullptr, response_.data(), instance, 1, false);
  unit_[k] = 0;
  const double a = response_[k];
  return std::isfinite(a) && a > 0 ? 1 / a : 1;
}

/// Looks at which speeds every stop permits in this step. Instances with a joint that is faster, other than by the little
/// that it takes to hold what pressed against the stop in the step before, lose that speed at once: an impulse where they
/// are, which changes the velocities of all their joints, and whose work is known exactly.
template <class T>
void Simulation<T>::impact() {
  if (limited_.empty()) return;
  const T h = static_cast<T>(options_.dt);
  bool any = false;
  for_each_instance([&](Index b, std::size_t iq, std::size_t) {
    bool hit = false;
    for_each_stop(b, [&](Stop& stop, const LimitedRow& row, std::size_t k) {
      const T q = q_[iq + static_cast<std::size_t>(row.q)], v = v_[k];
      stop.most = JointStops::permitted(row.upper - q, h);
      stop.least = -JointStops::permitted(q - row.lower, h);
      // a way within the step that nobody sees is no impact: a force does; nor is what holds what presses already
      const T unseen = std::max(T(1e-6), 64 * std::numeric_limits<T>::epsilon()) * std::max(T(1), std::abs(q)) / h;
      const T held = stop.side == 0 ? T(0) : 2 * std::abs(stop.push) / stop.impedance;
      const int side = v > stop.most + unseen + (stop.side > 0 ? held : T(0))    ? 1
                       : v < stop.least - unseen - (stop.side < 0 ? held : T(0)) ? -1
                                                                                 : 0;
      if (side == 0) return;
      hit = true;
      if (side != stop.side) meet(stop, row, b, side);
    });
    hit_[static_cast<std::size_t>(b)] = hit;
    any |= hit;
  });
  if (!any) return;
  for (int pass = 0;; ++pass) {
    std::fill(tau_.begin(), tau_.end(), T(0));
    std::fill(diagonal_.begin(), diagonal_.end(), T(0));
    for_each_instance([&](Index b, std::size_t, std::size_t iv) {
      if (hit_[static_cast<std::size_t>(b)])
        add_stops(b, v_.data() + iv, tau_.data() + iv, diagonal_.data() + iv, true);
    });
    evaluate_forward(impulses_, q_.data(), still_.data(), tau_.data(), diagonal_.data(), a_.data(), 0, batch_, false);
    if (!revise_stops(v_.data(), a_.data(), h, pass, true)) break;
  }
  for_each_instance([&](Index b, std::size_t, std::size_t iv) {
    const auto i = static_cast<std::size_t>(b);
    if (!hit_[i]) return;
    const double taken = -double{h} * power_of_stops(b, v_.data() + iv, a_.data() + iv, h);
    accounts_[i].dissipated += taken;
    accounts_[i].stopped += taken;
    stopped_by_[i] += taken;
    for (std::size_t k = iv; k < iv + nv_; ++k) v_[k] += h * a_[k];
  });
}

/// Stops on the forces tau of one instance: taken at the end of the step, or as they were found to push.
template <class T>
void Simulation<T>::add_stops(Index instance, const T* v, T* tau, T* diagonal, bool solve) {
  for_each_stop(instance, [&](Stop& stop, const LimitedRow& row, std::size_t) {
    if (stop.side == 0) return;
    if (!solve) {
      tau[row.v] += stop.push;
      return;
    }
    tau[row.v] += push_at(stop, v[row.v]);
    diagonal[row.v] += static_cast<T>(options_.dt) * stop.impedance;
    implicit_ = true;
  });
}

/// The joint force of a stop at a speed at the end of the step.
template <class T>
T Simulation<T>::push_at(const Stop& stop, T speed) const {
  const T side = static_cast<T>(stop.side), permitted = stop.side > 0 ? stop.most : stop.least;
  return -side * JointStops::push(stop.impedance, side * speed, side * permitted);
}

/// With the speeds after a step of velocities v and their rate: what every stop pushes with; joints that come too fast to
/// a stop meet it, stops that pull let go. False if there were none of either. Late passes add only, the last ones nothing.
template <class T>
bool Simulation<T>::revise_stops(const T* v, const T* rate, T h, int pass, bool only_hit) {
  constexpr int releases = 8, passes = 32;
  bool found = false;
  for_each_instance([&](Index b, std::size_t, std::size_t) {
    if (only_hit && !hit_[static_cast<std::size_t>(b)]) return;
    for_each_stop(b, [&](Stop& stop, const LimitedRow& row, std::size_t k) {
      const T change = h * rate[k], speed = v[k] + change;
      const T slack = 8 * std::numeric_limits<T>::epsilon() * (std::abs(v[k]) + std::abs(change));
      if (stop.side == 0) {
        const int side = speed > stop.most + slack ? 1 : speed < stop.least - slack ? -1 : 0;
        if (side == 0 || pass >= passes) return;
        meet(stop, row, b, side);
        found = true;
        return;
      }
      stop.push = push_at(stop, speed);
      // one that leaves by less than 1e-9 rad or m in a step may stay: else noise lets it go and come
      const T pull = static_cast<T>(stop.side) * stop.push / stop.impedance;
      const bool pulls = pull > std::max(slack, T(1e-9) / (h * static_cast<T>(JointStops::hardness)));
      if (!pulls || row.lower == row.upper || pass >= releases) return;
      stop = {.least = stop.least, .most = stop.most};
      found = true;
    });
  });
  return found;
}

/// W that the stops of an instance do at the mean velocity of a time h.
template <class T>
double Simulation<T>::power_of_stops(Index instance, const T* v, const T* rate, T h) {
  double power = 0;
  for_each_stop(instance, [&](const Stop& stop, const LimitedRow& row, std::size_t) {
    if (stop.side != 0) power += double{v[row.v] + h / 2 * rate[row.v]} * double{stop.push};
  });
  return power;
}

template <class T>
int Simulation<T>::at_limit(int joint, Index instance) const {
  if (joint < 1 || joint >= model_.n_links())
    throw Error(sentence("simulation: there is no joint ", joint, ", expected 1 to ", model_.n_links() - 1));
  at(accounts_, instance);
  const auto& m = model_.view<T>();
  if (m.mimics[joint] != 0 || joint_nv(m.type[joint]) != 1) return 0;
  const int row = m.v_index[joint];
  const auto k = std::lower_bound(limited_.begin(), limited_.end(), row,
                                  [](const LimitedRow& limited, int v) { return limited.v < v; });
  if (k == limited_.end() || k->v != row) return 0;
  return stops_[static_cast<std::size_t>(instance) * limited_.size() + static_cast<std::size_t>(k - limited_.begin())]
      .side;
}

}  // namespace tandem
