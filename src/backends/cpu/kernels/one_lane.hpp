// SPDX-License-Identifier: Apache-2.0
/// Packs of one lane: rows of one state as these, and back.
#pragma once
#include <cmath>

#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

#if !defined(TANDEM_STRICT) && (defined(__FMA__) || defined(__ARM_FEATURE_FMA)) && \
    !__has_builtin(__builtin_elementwise_fma)
template <class R>
TANDEM_HD Pack<R, 1> mul_add(const Pack<R, 1>& a, const Pack<R, 1>& b, const Pack<R, 1>& c) {
  return Pack<R, 1>(std::fma(a.lanes[0], b.lanes[0], c.lanes[0]));
}
#endif

template <class R>
TANDEM_HD void gather(const R* data, Index, Index row_stride, Index n_rows, int, Pack<R, 1>* tile) {
  for (Index row = 0; row < n_rows; ++row) tile[row].lanes[0] = data[row * row_stride];
}
template <class R>
TANDEM_HD void scatter(const Pack<R, 1>* tile, Index n_rows, int, R* data, Index, Index row_stride) {
  for (Index row = 0; row < n_rows; ++row) data[row * row_stride] = tile[row].lanes[0];
}

}  // namespace tandem::inline TANDEM_ISA
