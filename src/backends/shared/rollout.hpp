// SPDX-License-Identifier: Apache-2.0
/// A rollout as the backends get it: checked, its inputs by number.
#pragma once
#include <span>

#include "backends/shared/parameters.hpp"
#include "tandem/api/rollout.hpp"
#include "tandem/detail/simulation/rollout.hpp"

namespace tandem {

template <class T>
struct Assembled;

/// One rollout of a batch.
template <class T>
struct RolloutCall {
  const ModelView<T>& model;
  RolloutLaw law;
  Method method = Method::automatic;  ///< of forward dynamics
  Series<T> inputs[n_rollout_inputs] = {};
  std::span<const FrameCost<T>> frames = {};
  std::span<const Push<T>> pushes = {};
  const T* most_speed = nullptr;  ///< [nv] of what is within reason
  Array<T> q0 = {}, v0 = {}, stops = {}, q = {}, v = {}, cost = {};
  Series<T> q_path = {}, v_path = {};
  const ParameterArrays<T>* parameters = nullptr;
  Status* status = nullptr;            ///< [batch], or null
  std::int32_t* steps = nullptr;       ///< [batch] done, or null
  const Assembled<T>* line = nullptr;  ///< forward dynamics for the robot, or null

  const Series<T>& input(RolloutInput which) const { return inputs[static_cast<std::size_t>(which)]; }
};

/// Rows of an input of one instance.
template <class M>
constexpr Index rows_of_input(RolloutInput which, const ModelView<M>& m) {
  switch (which) {
    case RolloutInput::q_target:
    case RolloutInput::q_reference: return m.nq;
    default: return m.nv;
  }
}

}  // namespace tandem
