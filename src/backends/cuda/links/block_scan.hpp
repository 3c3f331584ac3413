// SPDX-License-Identifier: Apache-2.0
/// Scans of records over the threads of a block, and by one block over blocks, with the operators of
/// executors/scan.hpp.
#pragma once
#include "backends/cuda/links/scan_shape.hpp"
#include "backends/cuda/links/team.hpp"
#include "tandem/detail/executors/scan.hpp"

namespace tandem::cuda {

/// The operator of a scan that goes from the outer end of a row to the inner one.
template <class Op>
struct Backwards {
  Op op;
  TANDEM_HD auto identity() const { return op.identity(); }
  TANDEM_HD auto operator()(const ElementOf<Op>& outer, const ElementOf<Op>& inner) const { return op(inner, outer); }
};

/// f(number) of all numbers of a record.
template <class E, class F>
TANDEM_BLOCK E of_numbers(const E& e, F&& f) {
  using S = NumberOf<E>;
  S x[tandem::rows_of<E>];
  TANDEM_UNROLLED for (int i = 0; i < tandem::rows_of<E>; ++i) x[i] = f(reinterpret_cast<const S*>(&e)[i]);
  return load<E>(x, 0);
}
template <class ThreadBlock, class E>
TANDEM_BLOCK E fresh_record(const E* from) {
  using S = NumberOf<E>;
  S x[tandem::rows_of<E>];
  TANDEM_UNROLLED for (int i = 0; i < tandem::rows_of<E>; ++i) x[i] =
      ThreadBlock::fresh(reinterpret_cast<const S*>(from) + i);
  return load<E>(x, 0);
}

/// Inclusive over the threads of a block, from thread `first` on. totals: one for each warp
template <class ThreadBlock, class Op, class E>
TANDEM_BLOCK E scan_of_block(const Op& op, E e, int first, E* totals) {
  const int thread = ThreadBlock::thread(), lane = thread % warp_lanes, number = thread / warp_lanes;
  TANDEM_NOT_UNROLLED for (int d = 1; d < warp_lanes; d *= 2) {
    const E other = of_numbers(e, [&](const auto& x) TANDEM_INLINE { return ThreadBlock::before(x, d); });
    if (lane >= d && thread - d >= first) e = op(other, e);
  }
  if (lane == warp_lanes - 1) totals[number] = e;
  ThreadBlock::sync();
  if (first < number * warp_lanes) {
    E inner = totals[first / warp_lanes];
    TANDEM_NOT_UNROLLED for (int w = first / warp_lanes + 1; w < number; ++w) inner = op(inner, totals[w]);
    e = op(inner, e);
  }
  ThreadBlock::sync();
  return e;
}

/// What lies before each of n blocks, by one block; with `backwards` what lies behind it. s: one for each thread
template <class ThreadBlock, class Op, class E>
TANDEM_BLOCK void scan_blocks(const Op& op, int n, const E* total, E* before, E* s, bool backwards = false) {
  const int per = (n + ThreadBlock::threads() - 1) / ThreadBlock::threads();
  const int first = ThreadBlock::thread() * per, end = first + per < n ? first + per : n;
  const auto at = [&](int b) TANDEM_INLINE { return backwards ? n - 1 - b : b; };
  E e = op.identity();
  TANDEM_NOT_UNROLLED for (int b = first; b < end; ++b) e = op(e, fresh_record<ThreadBlock>(total + at(b)));
  const E own = scan_of_block<ThreadBlock>(op, e, 0, s);
  s[ThreadBlock::thread()] = own;
  ThreadBlock::sync();
  e = ThreadBlock::thread() > 0 ? s[ThreadBlock::thread() - 1] : op.identity();
  TANDEM_NOT_UNROLLED for (int b = first; b < end; ++b) {
    before[at(b)] = e;
    e = op(e, fresh_record<ThreadBlock>(total + at(b)));
  }
}

}  // namespace tandem::cuda
