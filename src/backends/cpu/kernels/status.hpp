// SPDX-License-Identifier: Apache-2.0
/// What became of every state of a tile, whose lanes are those of a pack.
#pragma once
#include "backends/shared/verdict.hpp"
#include "pack.hpp"

namespace tandem::inline TANDEM_ISA {

template <class R, int W>
TANDEM_HD R lane_of(const Pack<R, W>& x, int k) {
  return x.lanes[k];
}

}  // namespace tandem::inline TANDEM_ISA
