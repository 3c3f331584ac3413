// SPDX-License-Identifier: Apache-2.0
/// A rollout as the backends get it: checked, its inputs by number.
#pragma once
#include <span>

#include "backends/shared/contact.hpp"
#include "backends/shared/parameters.hpp"
#include "tandem/api/rollout.hpp"
#include "tandem/detail/simulation/rollout.hpp"

namespace tandem {

template <class T>
struct Assembled;

/// What a watch sees of a tile's instances, numbers of one beside those of the next: their states, and the step to
/// them.
template <class T>
struct WatchedTile {
  Index first;  ///< instance, and how many there are
  int n;
  T* alive;  ///< 1, or 0, in and out. One that ends keeps its state, and that of its joint limits, before the step
  const T* squared_speed;                             ///< sum of v^2
  const T *kinetic, *potential;                       ///< J, if they were needed
  const T* controller;                                ///< J in the springs of the controller, before the first step
  const T *dissipated, *stopped, *work, *controlled;  ///< J in the step, as in StepEnergies
  const T* resisted;  ///< J in the step, taken by joint limits and contacts, less what they gave
  const ContactTally* contacts;  ///< of the step, or null
};

/// Sees every step of every instance of a rollout, and ends instances. Each thread calls it for its own instances.
template <class T>
class RolloutWatch {
 public:
  /// Before and after all steps of a tile, of instances first .. end - 1.
  virtual void begin(Index first, Index end) = 0;
  virtual void end(Index first, Index end) = 0;
  /// Whether kinetic and potential energies are needed, before the first step or after a step.
  virtual bool needs_energies(const WatchedTile<T>& tile, bool is_first) const = 0;
  virtual void before_first(const WatchedTile<T>& tile) = 0;
  virtual void after_step(const WatchedTile<T>& tile) = 0;

 protected:
  ~RolloutWatch() = default;
};

/// One rollout of a batch.
template <class T>
struct RolloutCall {
  const ModelView<T>& model;
  RolloutLaw law;
  Method method = Method::automatic;  ///< of forward dynamics
  Series<T> inputs[n_rollout_inputs] = {};
  std::span<const FrameCost<T>> frames = {};
  std::span<const Push<T>> pushes = {};
  Array<T> f_ext = {};  ///< [n_links, 6] wrenches in every step, in place of pushes
  const T* most_speed = nullptr;  ///< [nv] of what is within reason
  Array<T> q0 = {}, v0 = {}, stops = {}, q = {}, v = {}, cost = {};
  Series<T> q_path = {}, v_path = {};
  const ParameterArrays<T>* parameters = nullptr;
  Status* status = nullptr;            ///< [batch], or null
  std::int32_t* steps = nullptr;       ///< [batch] done, or null
  const Assembled<T>* line = nullptr;  ///< forward dynamics for the robot, or null
  RolloutWatch<T>* watch = nullptr;    ///< or null: then energies are not summed up
  const ContactCall<T>* contacts = nullptr;  ///< or null; with them law.limits is false

  const Series<T>& input(RolloutInput which) const { return inputs[static_cast<std::size_t>(which)]; }
};

/// Rows of an input of one instance.
template <class M>
constexpr Index rows_of_input(RolloutInput which, const ModelView<M>& m) {
  return row_of(which).rows == Rows::q ? m.nq : m.nv;
}

}  // namespace tandem
