// SPDX-License-Identifier: Apache-2.0
/// Joint forces of a rollout from a file.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "files/hdf5.hpp"
#include "tandem/tandem.hpp"

namespace tandem::cli {

/// Joint forces of a file: [steps][nv] for all, or [instances][steps][nv].
class ForceTable {
 public:
  /// CSV with the columns tau0, tau1, ... and a line a step, or HDF5 with the dataset tau. Throws Error for other
  /// sizes.
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

}  // namespace tandem::cli
