// SPDX-License-Identifier: Apache-2.0
/// Instances of a rollout through all of its steps, a chunk at a time. What an instance does depends on its number alone.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hdf5.hpp"
#include "randomize.hpp"
#include "start_state.hpp"
#include "tandem/tandem.hpp"

namespace tandem::cli {

/// Joint forces of a file: [steps][nv] for all, or [instances][steps][nv].
class ForceTable {
 public:
  /// CSV with the columns tau0, tau1, ... and a line a step, or HDF5 with the dataset tau. Throws Error for other sizes.
  ForceTable(const std::string& path, const Model& model, Index instances, std::int64_t steps);

  bool is_shared() const { return !file_; }
  /// Those of some instances: [count][steps][nv]; of all where they are shared: [steps][nv].
  void read(Index first, Index count, std::vector<double>& forces) const;
  /// Of all numbers in it.
  std::uint64_t hash() const { return hash_; }

 private:
  void read_csv(const std::string& path, const Model& model);
  void read_hdf5(const std::string& path, const Model& model, Index instances);

  std::int64_t steps_;
  std::size_t nv_;
  std::vector<double> shared_;
  std::unique_ptr<Hdf5Reader> file_;  ///< of what is not shared
  Hdf5Reader::Dataset dataset_;
  std::uint64_t hash_ = 0;
};

/// What instances go through.
struct RolloutTask {
  Model model;
  SimulationOptions simulation;  ///< of one instance
  Index instances = 1;
  std::int64_t steps = 1, every = 1;
  bool only_last = false;     ///< of all states, keep the last ones
  bool holds_weight = false;  ///< joint forces hold the weight of the robot as its model says
  StartState start;
  Randomize randomize;
  std::shared_ptr<const ForceTable> forces = nullptr;

  /// How many states of an instance are kept, and after how many steps.
  Index kept() const { return only_last ? 1 : 1 + (steps + every - 1) / every; }
  std::int64_t step_of(Index k) const { return only_last ? steps : std::min(steps, k * every); }
};

template <class T>
class RolloutChunk {
 public:
  /// At most `size` instances at a time.
  RolloutChunk(const RolloutTask& task, Index size);

  /// States of all instances at kept moment k; `sound` of those that have not diverged.
  using Look = std::function<void(Index k, std::span<const T> q, std::span<const T> v, std::span<const char> sound)>;
  /// After each step; false: no further.
  using Goes = std::function<bool(std::int64_t step)>;
  /// Moves instances first .. first + count - 1. False if it was stopped.
  bool run(Index first, Index count, const Look& look, const Goes& goes);

  /// Of the instances of the last run: 0, or 1 + Divergence::Kind; the step that diverged, or 0; how, of the first one.
  const std::vector<std::uint8_t>& status() const { return status_; }
  const std::vector<std::int64_t>& diverged() const { return diverged_; }
  const Divergence* first_divergence() const { return first_.kind_known ? &first_.divergence : nullptr; }
  /// What they began with, and their parameters in the order of task.randomize.parameters(): of each [count][rows].
  const std::vector<T>& q0() const { return q0_; }
  const std::vector<T>& v0() const { return v0_; }
  const std::vector<double>& parameter(std::size_t k) const { return parameters_[k].values; }

 private:
  void begin(Index first, Index count);
  void step(std::int64_t step);
  void look(Index k, Index count, const Look& look);
  void remember(Index count);

  RolloutTask task_;
  Index size_;
  std::size_t nq_, nv_;
  Simulation<T> simulation_;
  std::optional<Plan<T>> weight_;
  std::vector<T> q0_, v0_, tau_, forces_t_;
  std::vector<double> forces_;
  std::vector<SimulationParameter> parameters_;
  std::vector<char> sound_;
  std::vector<std::uint8_t> status_;
  std::vector<std::int64_t> diverged_;
  struct {
    bool kind_known = false;
    Divergence divergence;
  } first_;
  Workspace<T> work_;
  Workspace<double> work_of_states_;
};

}  // namespace tandem::cli
