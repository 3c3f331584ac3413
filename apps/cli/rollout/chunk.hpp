// SPDX-License-Identifier: Apache-2.0
/// Instances of a rollout through all of its steps, a chunk at a time. What an instance does depends on its number alone.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "files/hdf5.hpp"
#include "rollout/cost_options.hpp"
#include "rollout/randomize.hpp"
#include "start_state.hpp"
#include "tandem/api/rollout.hpp"
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
  RolloutOptions law;  ///< of all steps
  PdController controller = {};
  Index instances = 1;
  bool only_last = false;  ///< of all states, keep the last ones; else every law.every-th
  int threads = 0;
  StartState start;
  Randomize randomize;
  std::shared_ptr<const ForceTable> forces = nullptr;
  Device device = {};
  CostTerms cost = {};
  Derivatives derivatives = {};

  /// How many states of an instance are kept, and after how many steps.
  Index kept() const { return only_last ? 1 : 1 + (law.steps + law.every - 1) / law.every; }
  Index step_of(Index k) const { return only_last ? law.steps : std::min(law.steps, k * law.every); }
  /// Whether the robot and the method are for rollout(), which keeps states in lanes for many steps; else for Simulation.
  bool is_for_rollout() const;
  /// How many times the work of moving an instance is done for it: about one for what it costs, and five for the way back.
  Index passes() const { return derivatives.any() ? 6 : cost.any() ? 2 : 1; }
};

/// Moves some instances. T is double or float.
template <class T>
class Mover {
 public:
  virtual ~Mover() = default;
  /// At [count][nq] and [count][nv], before the first step; parameters as in task.randomize; forces in double, of these or of all.
  virtual void begin(std::span<const T> q0, std::span<const T> v0, const std::vector<std::vector<double>>& parameters,
                     std::span<const double> forces) = 0;
  /// Does `steps` steps from step `first` on, and writes the state after every `every`-th one: [steps / every][count][nq or nv].
  /// Of instances that diverged: how, and in which step, counted from 1.
  virtual void move(Index first, Index steps, Index every, T* q, T* v, std::vector<Status>& status,
                    std::vector<std::int64_t>& diverged) = 0;
};
template <class T>
std::unique_ptr<Mover<T>> mover_of(const RolloutTask& task, Index count);

template <class T>
class RolloutCosts;

template <class T>
class RolloutChunk {
 public:
  explicit RolloutChunk(const RolloutTask& task);
  ~RolloutChunk();

  /// States of all instances at kept moments k .. k + moments - 1: [moments][count][nq] and [nv]; which of them have diverged
  /// before is to be seen from diverged().
  using Look = std::function<void(Index k, Index moments, const T* q, const T* v)>;
  /// Every now and then, with the steps done, of task.passes() times as many as there are; false: no further.
  using Goes = std::function<bool(std::int64_t step)>;
  /// Moves instances first .. first + count - 1. False if it was stopped.
  bool run(Index first, Index count, const Look& look, const Goes& goes);

  /// Of the instances of the last run; the step that diverged, counted from 1, or 0.
  const std::vector<Status>& status() const { return status_; }
  const std::vector<std::int64_t>& diverged() const { return diverged_; }
  /// What they began with, and their parameters in the order of task.randomize.parameters(): of each [count][rows].
  const std::vector<T>& q0() const { return q0_; }
  const std::vector<T>& v0() const { return v0_; }
  const std::vector<double>& parameter(std::size_t k) const { return parameters_[k]; }
  const RolloutCosts<T>& costs() const { return *costs_; }

 private:
  void begin(Index first, Index count);

  const RolloutTask& task_;
  Index count_ = 0;  ///< that the mover is for
  std::unique_ptr<Mover<T>> mover_;
  std::unique_ptr<RolloutCosts<T>> costs_;
  std::vector<T> q0_, v0_, q_, v_;
  std::vector<double> forces_;
  std::vector<std::vector<double>> parameters_;
  std::vector<Status> status_;
  std::vector<std::int64_t> diverged_;
  Workspace<double> work_of_states_;
};

}  // namespace tandem::cli
