// SPDX-License-Identifier: Apache-2.0
/// What was measured within a block of a GPU, for schedules.
#pragma once
#include <cstdint>

#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// In cycles of the multiprocessor's clock, of several attempts each. Between two readings of the clock there is a row
/// of the same, each beginning when the one before is done.
struct BlockSamples {
  static constexpr int attempts = 33;
  enum Kind { nothing, multiplication, addition, angle, store, task, barrier, kinds };
  /// Of a row: how many of them.
  static constexpr int count(Kind kind) {
    return kind == multiplication || kind == addition ? 64
           : kind == angle                            ? 8
           : kind == store                            ? 32
           : kind == task                             ? 31
           : kind == barrier                          ? 16
                                                      : 1;
  }
  enum Part { send, receive, round_trip, parts };
  static constexpr int sizes[] = {1, 3, 9, 16, 32};  ///< numbers of a message
  static constexpr int n_sizes = 5, most = 32;
  static constexpr int row = 4;     ///< messages that are sent before any is received
  static constexpr int turns = 16;  ///< there and back

  /// An angle is its sine and cosine and their sum; a task reads where its number is, goes to one of several functions,
  /// which reads the number, adds to it and stores the sum, from which the next task goes on; a barrier is for two
  /// warps.
  std::int64_t operations[kinds][attempts] = {};
  std::int64_t messages[n_sizes][parts][attempts] = {};  ///< rows of them
  std::int64_t cycles = 0, nanoseconds = 0;              ///< the same time by both clocks
};

/// Those of the device in use. Throws Error where there is none.
BlockSamples block_samples();

}  // namespace tandem::cuda
