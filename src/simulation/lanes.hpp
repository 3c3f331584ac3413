// SPDX-License-Identifier: Apache-2.0
/// Steps in lanes, as those of a rollout: every thread takes its robots through all steps of a call, with the watch for
/// divergence and the account of energy.
#pragma once
#include <algorithm>
#include <optional>

#include "api/parameters.hpp"
#include "rollout/run.hpp"
#include "tandem/api/simulation.hpp"

namespace tandem {

/// A robot that this watch ends is stepped alone afterwards, by which its divergence is found and described.
template <class T>
class Simulation<T>::LaneWatch final : public RolloutWatch<T> {
 public:
  explicit LaneWatch(Simulation& simulation) : s_(simulation) {}

  void begin(Index first, Index end) override {
    for (Index b = first; b < end; ++b) s_.look_for_new_state(b);
  }
  void end(Index first, Index end) override {
    for (Index b = first; b < end; ++b) s_.keep(b);
  }
  bool needs_energies(const WatchedTile<T>& tile, bool is_first) const override {
    for (int k = 0; k < tile.n && s_.energy_is_watched_; ++k) {
      const std::size_t i = number(tile, k);
      if (tile.alive[k] > 0 && (is_first ? s_.watched_[i].is_fresh : is_due(i, tile.squared_speed[k]))) return true;
    }
    return false;
  }
  void before_first(const WatchedTile<T>& tile) override {
    for (int k = 0; k < tile.n; ++k) {
      const std::size_t i = number(tile, k);
      if (s_.is_diverged_[i]) tile.alive[k] = 0;
      if (!(tile.alive[k] > 0) || !s_.watched_[i].is_fresh) continue;
      s_.kinetic_[i] = tile.kinetic[k];
      s_.potential_[i] = tile.potential[k];
      s_.begin_watching(tile.first + k, double{tile.controller[k]});
    }
  }
  void after_step(const WatchedTile<T>& tile) override {
    for (int k = 0; k < tile.n; ++k) {
      if (!(tile.alive[k] > 0)) continue;
      const std::size_t i = number(tile, k);
      Watched& w = s_.watched_[i];
      const double before = w.given, speed = double{tile.squared_speed[k]};
      w.count(double{tile.work[k]}, double{tile.resisted[k]});
      if (s_.energy_is_watched_ && is_due(i, tile.squared_speed[k])) {
        s_.kinetic_[i] = tile.kinetic[k];
        s_.potential_[i] = tile.potential[k];
        Watched now = w;
        if (s_.has_too_much_energy(now, speed, double{tile.kinetic[k]}, double{tile.potential[k]})) {
          w.given = before;
          tile.alive[k] = 0;
          continue;
        }
        w = now;
      }
      s_.accounts_[i].add(tile.dissipated[k], tile.stopped[k], double{tile.work[k]} + double{tile.controlled[k]});
      ++s_.accounts_[i].steps;
      if (tile.contacts) s_.accounts_[i].contacts.add(tile.contacts[k]);
    }
  }

 private:
  static std::size_t number(const WatchedTile<T>& tile, int k) { return static_cast<std::size_t>(tile.first + k); }
  bool is_due(std::size_t i, T squared_speed) const {
    return is_look(s_.accounts_[i].steps + 1) || !(double{squared_speed} <= 4 * s_.watched_[i].speed);
  }
  Simulation& s_;
};

/// Accelerations that are found one state after the other, or with contacts, serve lanes.
template <class T>
void Simulation<T>::prepare_step() {
  const auto own = find_algorithm(ForwardDynamics::name).methods;
  in_lanes_ = model_.n_loops() == 0 && !iterates_ && !dynamics_.execution_path().divides &&
              std::find(own.begin(), own.end(), dynamics_.options().method) != own.end();
  most_speed_ = most_speeds<T>(model_, rollout_options(0));
}

/// Of a rollout of as many steps.
template <class T>
RolloutOptions Simulation<T>::rollout_options(Index steps) const {
  return {.dt = options_.dt,
          .steps = steps,
          .integrator = options_.integrator,
          .gravity_compensation = options_.gravity_compensation,
          .effort_limits = options_.effort_limits,
          .losses = options_.losses,
          .limits = options_.limits,
          .dynamics = options_.dynamics,
          .max_speed = options_.max_speed,
          .specialise = options_.specialise,
          .contacts = options_.contacts,
          .contact_dynamics = options_.contact_dynamics,
          .contact_damping = options_.contact_damping};
}

/// Steps of all instances.
template <class T>
void Simulation<T>::run_in_lanes(Index steps, std::span<const T> tau, std::span<const T> f_ext) {
  const auto nq = static_cast<Index>(nq_), nv = static_cast<Index>(nv_);
  const auto state = [](std::vector<T>& x, Index rows) { return Array<T>::output(x.data(), rows); };
  const auto given = [](std::span<const T> x, Index rows) {
    return x.empty() ? Array<T>() : Array<T>::input(x.data(), static_cast<Index>(x.size()) > rows ? rows : 0);
  };
  const auto constant = [&](std::span<const T> x, Index rows) {
    const Array<T> a = given(x, rows);
    return Series<T>{a.data, a.stride};
  };
  RolloutArrays<T> arrays;
  arrays.tau = constant(tau, nv);
  arrays.q_target = constant(q_target_, nq);
  arrays.kp = given(kp_, nv);
  arrays.kd = given(kd_, nv);
  arrays.stops = state(stops_, 3 * nv);
  arrays.q0 = arrays.q = state(q_, nq);
  arrays.v0 = arrays.v = state(v_, nv);
  const RolloutOptions how = rollout_options(steps);
  Batch<T> batch(batch_);
  batch.iterations = steps_done_;
  RolloutCall<T> call = call_of<T>(model_, arrays, batch, how, dynamics_.options().method, most_speed_);
  call.f_ext = given(f_ext, Index{6} * model_.n_links());
  take_normals();
  const ContactCall<T> contacts = contact_call();
  if (contacts_) call.contacts = &contacts;
  LaneWatch watch(*this);
  call.watch = &watch;
  begin();
  with_parameters(0, true, [&](std::span<const BatchedParameter<T>> varied) {
    std::optional<ParametersOfModel<T>> parameters;
    if (!varied.empty()) call.parameters = &parameters.emplace(model_, varied, batch_).arrays();
    const RolloutLines<T> lines(model_, call, dynamics_.options(), dynamics_.execution_path());
    run_on_processor(call, lines, batch_, options_.threads, work_);
  });
  for (Index b = 0; b < batch_; ++b) {
    const Index done = steps_done_[static_cast<std::size_t>(b)];
    if (done < steps && !is_diverged_[static_cast<std::size_t>(b)])
      step_part({&b, 1}, steps_ + done, steps - done, tau, f_ext);
  }
  steps_ += steps;
}

}  // namespace tandem
