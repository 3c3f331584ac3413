// SPDX-License-Identifier: Apache-2.0
/// What a process has of a chain.
#pragma once
#include <vector>

#include "core/text.hpp"
#include "executor.hpp"
#include "part_model.hpp"
#include "tandem/detail/scan/scan_plan.hpp"

namespace tandem::mpi {

struct Chain::Part {
  Communicator all;                      ///< the processes of the call
  Communicator outward, inward;          ///< those that have chunks, from the base and towards it
  Index chunks = 0, begin = 0, end = 0;  ///< of the whole chain, of this process
  Index first_length = 0, chunk = 0;     ///< links of the chain's first chunk and of all others
  PartModel model;
  Index first_q = 0, first_v = 0;
  std::vector<double> scratch;
  std::vector<std::int64_t> plan_memory;

  Index here() const { return end - begin; }
  /// Where a chunk begins, in links from 0.
  Index start(Index c) const { return c == 0 ? 0 : first_length + (c - 1) * chunk; }
  Executor executor() const { return {outward, inward, chunks, begin, end}; }
  double* memory(Index numbers) {
    if (scratch.size() < static_cast<std::size_t>(numbers)) {
      scratch = {};
      scratch.resize(static_cast<std::size_t>(numbers));
    }
    return scratch.data();
  }
  ScanPlan plan(Index (*rows_of_chunk)(int dof, int steps));
};

inline void check_size(const char* name, std::size_t given, Index expected) {
  if (static_cast<Index>(given) != expected)
    throw Error(sentence(name, ": ", given, " numbers given, this process has ", expected, " rows"));
}
inline void check_forces(std::size_t given, Index links) {
  if (given != 0) check_size("f_ext", given, 6 * links);
}

}  // namespace tandem::mpi
