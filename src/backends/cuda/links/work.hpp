// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cuda/links/scan_lanes.hpp"

namespace tandem::cuda {

/// The state and the block that a block of a launch works on.
template <class ThreadBlock, class T>
struct Work {
  StateOfCall<T> state;
  int block;
  TANDEM_BLOCK Work(const ScanCallOnDevice<T>& call, const Launch& launch)
      : state(call, ThreadBlock::block() / launch.count),
        block(launch.block + static_cast<int>(ThreadBlock::block() % launch.count)) {
    if (launch.block < 0) block = call.shape.launched[launch.first + block + 1];
  }
  TANDEM_BLOCK const ScanShape<T>& shape() const { return state.call.shape; }
  TANDEM_BLOCK Index slot() const { return Index{block} * shape().slots + ThreadBlock::thread(); }
};

}  // namespace tandem::cuda
