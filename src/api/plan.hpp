// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tandem/api/cuda.hpp"
#include "tandem/api/plan.hpp"

namespace tandem {

/// How calls run, all about the method decided. Throws Error if they cannot.
template <class T>
Way<T> way_of(const Algorithm& algorithm, const Model& model, const Options& options, const Device& device);

/// The device by its number: where none is given, that of a GPU is the one in use. Throws Error if it is not here.
Device numbered(const Device& device);

/// What a workspace keeps besides numbers: memory of a GPU, and the ways of the last few plans that calls without one
/// needed. A model is held by none of them.
template <class T>
class Kept {
 public:
  /// Made now, if it is not among them.
  const Way<T>& way(const Algorithm& algorithm, const Model& model, const Options& options, const Device& device);

  cuda::Workspace on_gpu;
  std::vector<T> results;  ///< of functions by name, on their way to other layouts

 private:
  static constexpr std::size_t most = 4;
  struct Entry {
    std::weak_ptr<const void> model;
    int algorithm;
    Options options;
    Device device;
    const void* instruction_set;
    Way<T> way;
    Index last_use;
  };
  std::vector<Entry> entries_;
  Index uses_ = 0;
};

/// That of a workspace, made when first asked for.
template <class T>
Kept<T>& kept(Workspace<T>& work);

}  // namespace tandem
