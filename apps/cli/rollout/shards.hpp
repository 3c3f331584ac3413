// SPDX-License-Identifier: Apache-2.0
/// A run that is divided among processes: which part is this one's.
#pragma once
#include <string>

#include "tandem/tandem.hpp"

namespace tandem::cli {

/// Part `number` of `count`, counted from 1.
struct Shard {
  Index number = 1, count = 1;
  int beside = 1;  ///< processes on this machine, to divide its cores among
  bool is_all() const { return count == 1; }

  /// "2 of 4".
  std::string name() const;
  /// The file of this part: run.2-of-4.h5 of run.h5.
  std::string path(const std::string& whole) const;
  /// The first of `n` members of this part, a multiple of `unit`; that of the next part is behind its last one.
  Index first(Index n, Index unit) const;
  Index end(Index n, Index unit) const;
};

/// "2/4", or, if that is empty, what mpirun and mpiexec tell their processes (Open MPI: OMPI_COMM_WORLD_RANK; MPICH and
/// its kin: PMI_RANK); else all.
Shard shard_from(const std::string& text);

/// Other counts of parts of which there are files: 4 if run.2-of-4.h5 is there; 0 if there are none but those of
/// `count`.
Index other_count(const std::string& whole, Index count);

}  // namespace tandem::cli
