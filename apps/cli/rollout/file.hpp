// SPDX-License-Identifier: Apache-2.0
/// The file of a rollout: what is in it, how it goes on after an interruption, and how parts become one file.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/growing_hdf5.hpp"
#include "rollout/chunk.hpp"
#include "rollout/ensemble.hpp"
#include "rollout/shards.hpp"

namespace tandem::cli {

/// A rollout, and what its files say of it.
struct RolloutRecord {
  const RolloutTask& task;
  GrowingHdf5::Texts texts;  ///< attributes: all that its numbers depend on
  bool statistics = false;   ///< means and covariances in place of states
  std::string path;          ///< of the whole
  Shard shard = {};

  Index unit() const { return statistics ? members_of_group : 1; }
  Index first(const Shard& of) const { return of.first(task.instances, unit()); }
  Index end(const Shard& of) const { return of.end(task.instances, unit()); }
};

/// Throws Error, which says what differs, if a file is not of this rollout, or of none. Its attribute `run`.
std::string run_of(const RolloutRecord& record, const Shard& shard, const std::string& path);

/// A part of a rollout, or all of it, in a file.
template <class T>
class RolloutFile {
 public:
  enum class Mode { begin, go_on, read, join };
  RolloutFile(const RolloutRecord& record, const Shard& shard, const std::string& path, Mode mode);

  /// Instances that it has.
  Index done() const { return file_.rows(); }
  Index first() const { return first_; }
  Index end() const { return end_; }

  /// Keeps the states of a chunk as they come: to be called by RolloutChunk.
  void begin_chunk(Index count);
  void look(const RolloutChunk<T>& chunk, Index k, Index moments, const T* q, const T* v);
  /// The chunk is in the file, as a whole, or this throws.
  void add(const RolloutChunk<T>& chunk);
  /// All instances of another file that follow on these.
  void add(const RolloutFile& other);
  /// The file says how it ended, and is closed.
  void close(const std::string& how);
  /// After an error, when nothing more can be written: says so in the file.
  void give_up(const std::string& why) noexcept;

 private:
  GrowingHdf5::Form form(const Shard& shard, Mode mode) const;
  GrowingHdf5 open(const Shard& shard, const std::string& path, Mode mode) const;
  void find_nominal();
  void sum_up(const RolloutChunk<T>& chunk, Index k, Index moments, const T* q, const T* v);
  void put_fixed();
  void put_statistics();
  std::int64_t groups() const { return (file_.rows() + members_of_group - 1) / members_of_group; }
  std::size_t dataset(const char* name) const;  ///< of pieces

  const RolloutRecord& record_;
  const RolloutTask& task_;
  Index first_, end_, width_;  ///< instances; numbers of a member of the ensemble
  std::size_t nq_, nv_, kept_;
  std::vector<std::string> rows_, pieces_;  ///< names of the datasets, in order
  GrowingHdf5 file_;
  Ensemble ensemble_;
  std::vector<T> nominal_q_, nominal_v_;  ///< of every kept moment
  Index count_ = 0;
  std::vector<T> q_, v_;                            ///< of the chunk
  std::vector<std::vector<double>> group_moments_;  ///< of its groups
  std::vector<T> difference_;
  Workspace<T> work_;
};

/// Joins the files of all parts into one and removes them, if all of them are finished and no other process does it.
/// Says in words what is left to be done, or nothing if the whole file is there.
template <class T>
std::string join_shards(const RolloutRecord& record, bool keeps_shards);

}  // namespace tandem::cli
