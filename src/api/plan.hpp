// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "tandem/api/contact_dynamics.hpp"
#include "tandem/api/cuda.hpp"
#include "tandem/api/plan.hpp"

namespace tandem {

/// How calls run, all about the method decided. Throws Error if they cannot.
template <class T>
ExecutionPath<T> path_of(const Algorithm& algorithm, const Model& model, const Options& options, const Device& device,
                         Specialise specialise);

/// Throws Error for a kind of device that is none.
void check_kind(const Device& device);

/// The device by its number: where none is given, that of a GPU is the one in use. Throws Error if it is not here.
Device numbered(const Device& device);

/// The ways of the last few calls that had no plan. A model is held by none of them.
template <class T>
class LastWays {
 public:
  struct Entry {
    std::weak_ptr<const void> model;
    const void* data;  ///< of the model, as long as it lives
    int n_loops;       ///< models with and without their loops share data
    int algorithm;
    Options options;
    Device device;
    const void* instruction_set;
    ExecutionPath<T> path;
    Index last_use;
    std::array<double, 6> base_acceleration = {};  ///< of the model that the way's lines of instructions are for
    int calls_to_wait = 0;                         ///< with that one, until there are some again
  };

  explicit LastWays(std::size_t most) : most_(most) {}
  /// Made now, if it is not among them.
  Entry& entry(const Algorithm& algorithm, const Model& model, const Options& options, const Device& device);

 private:
  std::size_t most_;
  std::vector<Entry> entries_;
  Index uses_ = 0;
};

/// What a workspace keeps besides numbers: memory of a GPU, and the ways of calls without a plan.
template <class T>
class Kept {
 public:
  const ExecutionPath<T>& path(const Algorithm& algorithm, const Model& model, const Options& options,
                               const Device& device) {
    return prepared_.entry(algorithm, model, options, device).path;
  }
  /// Of the algorithm's own methods, with nothing to prepare.
  const ExecutionPath<T>& own_path(const Algorithm& algorithm, const Model& model, const Options& options);

  /// One that was asked for code for the robot, which the caller keeps from call to call.
  struct AskedFor {
    std::weak_ptr<const void> model;
    Options options;
    Specialise specialise = Specialise::automatic;
    const void* instruction_set = nullptr;
    std::array<double, 6> base_acceleration = {};
    ExecutionPath<T> path;
  };
  AskedFor of_rollout;
  std::optional<ContactDynamics> contacts;  ///< of the last rollout with contacts

  cuda::Workspace on_gpu;
  std::vector<T> results;  ///< of functions by name, on their way to other layouts

 private:
  LastWays<T> prepared_{4}, own_{12};
};

/// That of a workspace, made when first asked for.
template <class T>
Kept<T>& kept(Workspace<T>& work);

}  // namespace tandem
