// SPDX-License-Identifier: Apache-2.0
/// Steps in lanes, as those of a rollout: every thread takes its robots through all steps of a call, with the watch for
/// divergence and the account of energy.
#include <algorithm>
#include <optional>

#include "api/parameters.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "parts.hpp"
#include "rollout/run.hpp"

namespace tandem::simulation_detail {

/// A robot that this watch ends is stepped alone afterwards, by which its divergence is found and described.
template <class T>
class LaneWatch final : public RolloutWatch<T> {
 public:
  explicit LaneWatch(SimulationState<T>& state) : s(state) {}

  void begin(Index first, Index end) override {
    Watch{s}.look_for_new_states(first, end);
  }
  void end(Index first, Index end) override {
    Watch{s}.keep(first, end);
  }
  bool needs_energies(const WatchedTile<T>& tile, bool is_first) const override {
    for (int k = 0; k < tile.n && s.energy_is_watched; ++k) {
      const std::size_t i = number(tile, k);
      if (tile.alive[k] > 0 && (is_first ? s.watched[i].is_fresh : is_due(i, tile.squared_speed[k]))) return true;
    }
    return false;
  }
  void before_first(const WatchedTile<T>& tile) override {
    for (int k = 0; k < tile.n; ++k) {
      const std::size_t i = number(tile, k);
      if (s.is_diverged[i]) tile.alive[k] = 0;
      if (!(tile.alive[k] > 0) || !s.watched[i].is_fresh) continue;
      s.kinetic[i] = tile.kinetic[k];
      s.potential[i] = tile.potential[k];
      Watch{s}.begin_watching(tile.first + k, double{tile.controller[k]});
    }
  }
  void after_step(const WatchedTile<T>& tile) override {
    for (int k = 0; k < tile.n; ++k) {
      if (!(tile.alive[k] > 0)) continue;
      const std::size_t i = number(tile, k);
      Watched& w = s.watched[i];
      const double before = w.given, speed = double{tile.squared_speed[k]};
      w.count(double{tile.work[k]}, double{tile.resisted[k]});
      if (s.energy_is_watched && is_due(i, tile.squared_speed[k])) {
        s.kinetic[i] = tile.kinetic[k];
        s.potential[i] = tile.potential[k];
        Watched now = w;
        if (Watch{s}.has_too_much_energy(now, speed, double{tile.kinetic[k]}, double{tile.potential[k]})) {
          w.given = before;
          tile.alive[k] = 0;
          continue;
        }
        w = now;
      }
      s.accounts[i].add(tile.dissipated[k], tile.stopped[k], double{tile.work[k]} + double{tile.controlled[k]});
      ++s.accounts[i].steps;
      if (tile.contacts) s.accounts[i].contacts.add(tile.contacts[k]);
    }
  }

 private:
  static std::size_t number(const WatchedTile<T>& tile, int k) { return static_cast<std::size_t>(tile.first + k); }
  bool is_due(std::size_t i, T squared_speed) const {
    return Watch<T>::is_look(s.accounts[i].steps + 1) || !(double{squared_speed} <= 4 * s.watched[i].speed);
  }
  SimulationState<T>& s;
};

/// Accelerations that are found one state after the other, or with contacts, serve lanes.
template <class T>
void Lanes<T>::prepare() {
  const auto own = find_algorithm(ForwardDynamics::name).methods;
  s.in_lanes = s.model.n_loops() == 0 && !s.iterates && !s.dynamics.execution_path().divides &&
               std::find(own.begin(), own.end(), s.dynamics.options().method) != own.end();
  s.most_speed = most_speeds<T>(s.model, options(0));
}

/// Of a rollout of as many steps.
template <class T>
RolloutOptions Lanes<T>::options(Index steps) const {
  return with_step_options(RolloutOptions{.steps = steps}, s.options);
}

/// Steps of all instances.
template <class T>
void Lanes<T>::run(Index steps, std::span<const T> tau, std::span<const T> f_ext) {
  const auto nq = static_cast<Index>(s.nq), nv = static_cast<Index>(s.nv);
  const auto state = [](std::vector<T>& x, Index rows) { return Array<T>::output(x.data(), rows); };
  const auto given = [](std::span<const T> x, Index rows) {
    return x.empty() ? Array<T>() : Array<T>::input(x.data(), static_cast<Index>(x.size()) > rows ? rows : 0);
  };
  const auto constant = [&](std::span<const T> x, Index rows) {
    const Array<T> a = given(x, rows);
    return Series<T>{a.data, a.stride};
  };
  // a robot with contacts that would be alone in its tile takes less time by itself
  const Index alone = s.contacts && s.batch % cpu::in_use().contacts.template in<T>().lanes == 1 ? 1 : 0;
  RolloutArrays<T> arrays;
  arrays.tau = constant(tau, nv);
  set_controller(arrays, s.controller, s.model);
  arrays.stops = state(s.stops, 3 * nv);
  arrays.q0 = arrays.q = state(s.q, nq);
  arrays.v0 = arrays.v = state(s.v, nv);
  const RolloutOptions how = options(steps);
  Batch<T> batch(s.batch);
  batch.iterations = s.steps_done;
  RolloutCall<T> call = call_of<T>(s.model, arrays, batch, how, s.dynamics.options().method, s.most_speed);
  call.f_ext = given(f_ext, Index{6} * s.model.n_links());
  Contacts{s}.take_normals();
  std::optional<FoundLists> found;
  if (s.contacts) found.emplace(s.contacts->found);
  const ContactCall<T> contacts = Contacts{s}.call(found ? &*found : nullptr);
  if (s.contacts) call.contacts = &contacts;
  LaneWatch<T> watch(s);
  call.watch = &watch;
  s.begin();
  s.with_parameters(0, true, [&](std::span<const BatchedParameter<T>> varied) {
    std::optional<ParametersOfModel<T>> parameters;
    if (!varied.empty()) call.parameters = &parameters.emplace(s.model, varied, s.batch).arrays();
    const RolloutLines<T> lines(s.model, call, s.dynamics.options(), s.dynamics.execution_path());
    run_on_processor(call, lines, s.batch - alone, s.options.threads, s.work);
  });
  if (alone) s.steps_done.back() = 0;
  for (Index b = 0; b < s.batch; ++b) {
    const Index done = s.steps_done[static_cast<std::size_t>(b)];
    if (done < steps && !s.is_diverged[static_cast<std::size_t>(b)])
      Part{s}.step({&b, 1}, s.steps + done, steps - done, tau, f_ext);
  }
  s.steps += steps;
}

template struct Lanes<double>;
template struct Lanes<float>;

}  // namespace tandem::simulation_detail
