// SPDX-License-Identifier: Apache-2.0
/// Scans over any associative operator, on any executor: all partial combinations of a row of elements in logarithmic
/// depth.
///
/// Operator   a plain struct with  T operator()(const T& inner, const T& outer) const  and  T identity() const.  It
///            need not commute: `inner` always comes before `outer` in the row. T is trivially copyable and holds no
///            pointers, so that elements can pass between threads, devices and processes.
/// Slots      anything with load(i) and store(i, x), i = 0 .. n - 1: what was stored is loaded again. The caller keeps
///            any layout. Results take the place of the elements; serial and chunked scans may instead load elements
///            made on the spot, load(i), and store results elsewhere. Those call load(i) before store(i, x), and for no
///            other i in another part of the work.
/// Scratch    slots of the caller's, how many see each schedule; nothing is allocated
///
/// Schedules  serial    n combinations, depth n
///            tree      less than 2 n combinations, depth 2 log2 n: up-sweep and down-sweep, [Brent, Kung 1982] for
///                      inclusive scans, [Blelloch 1990] for exclusive ones
///            Hillis-Steele  n log2 n combinations, depth log2 n: each element with the one 1, 2, 4, ... before it,
///                      [Hillis, Steele 1986]. Here to be compared with
///            chunked   2 n combinations, depth m + 2 log2 (n / m) + 1: m elements of a chunk one after the other, a
///                      tree over the totals of chunks, one combination more for every element
/// scan_on    a scan as the executor at hand does it: the tree, if the executor can no more than for_each. An executor
///            whose elements lie elsewhere brings  scan<kind>(op, n, slots)  of its own: backends/mpi has one for
///            elements of which every process holds a part.
/// Order      which elements are combined in which order depends on n and m only: the same bits from every executor
#pragma once
#include <utility>

#include "tandem/detail/core/record.hpp"
#include "tandem/detail/executors/join_tree.hpp"

namespace tandem::inline TANDEM_ISA {

/// What result i combines: elements 0 .. i, 0 .. i - 1, i .. n - 1, or i + 1 .. n - 1.
enum class Scan : unsigned char { inclusive_prefix, exclusive_prefix, inclusive_suffix, exclusive_suffix };

TANDEM_HD constexpr bool is_suffix(Scan kind) {
  return kind == Scan::inclusive_suffix || kind == Scan::exclusive_suffix;
}
TANDEM_HD constexpr bool is_exclusive(Scan kind) {
  return kind == Scan::exclusive_prefix || kind == Scan::exclusive_suffix;
}
TANDEM_HD constexpr Scan inclusive(Scan kind) {
  return is_suffix(kind) ? Scan::inclusive_suffix : Scan::inclusive_prefix;
}

template <class Op>
using ElementOf = decltype(std::declval<const Op&>().identity());

/// Slots that are the elements of an array.
template <class T>
struct ArraySlots {
  T* data;
  TANDEM_HD const T& load(Index i) const { return data[i]; }
  TANDEM_HD void store(Index i, const T& x) const { data[i] = x; }
};

/// A row of n elements in the order in which a scan takes them: position 0 is element 0, or n - 1 in a suffix scan.
template <Scan kind, class Op>
struct InScanOrder {
  using T = ElementOf<Op>;
  const Op& op;
  Index n;
  TANDEM_HD Index at(Index position) const { return is_suffix(kind) ? n - 1 - position : position; }
  TANDEM_HD T combine(const T& earlier, const T& later) const {
    return is_suffix(kind) ? op(later, earlier) : op(earlier, later);
  }
};

/// Positions begin .. end - 1 of a row, one after the other; gives what all of them combine to. Not for empty ranges.
template <Scan kind, class Op, class Load, class Results>
TANDEM_HD ElementOf<Op> scan_range(const InScanOrder<kind, Op>& row, Index begin, Index end, const Load& load,
                                   const Results& results) {
  auto total = load(row.at(begin));
  results.store(row.at(begin), is_exclusive(kind) ? row.op.identity() : total);
  for (Index position = begin + 1; position < end; ++position) {
    const Index i = row.at(position);
    const auto next = row.combine(total, load(i));
    results.store(i, is_exclusive(kind) ? total : next);
    total = next;
  }
  return total;
}

/// Up and down a tree of joins, in place.
template <Scan kind, class Executor, class Op, class Elements>
TANDEM_HD void scan_tree(const Executor& executor, const Op& op, Index n, const Elements& x) {
  if constexpr (is_exclusive(kind)) {
    if (n == 0) return;
    // what a run combines to stands at its last element, in suffix scans at its first one
    constexpr bool suffix = is_suffix(kind);
    const auto near = [](const Join& j) TANDEM_INLINE { return suffix ? j.middle : j.middle - 1; };
    const auto whole = [](const Join& j) TANDEM_INLINE { return suffix ? j.first : j.end - 1; };
    const JoinTree tree{n};
    tree.upward(executor, [&](const Join& j) TANDEM_INLINE {
      x.store(whole(j), op(x.load(suffix ? j.first : j.middle - 1), x.load(suffix ? j.middle : j.end - 1)));
    });
    on_one(executor, [&]() TANDEM_INLINE { x.store(suffix ? 0 : n - 1, op.identity()); });
    tree.downward(executor, [&](const Join& j) TANDEM_INLINE {
      // what lies beyond both lies beyond the near run; the far one has the near one before it as well
      const auto beyond = x.load(whole(j));
      const auto total = x.load(near(j));
      x.store(near(j), beyond);
      x.store(whole(j), suffix ? op(total, beyond) : op(beyond, total));
    });
  } else {
    const InScanOrder<kind, Op> row = {op, n};
    const auto append = [&](Index left, Index right) TANDEM_INLINE {
      const Index l = row.at(left), r = row.at(right);
      x.store(r, row.combine(x.load(l), x.load(r)));
    };
    const auto up = [&](Index h, Index k) TANDEM_INLINE {
      if (2 * h * (k + 1) <= n) append(2 * h * k + h - 1, 2 * h * (k + 1) - 1);
    };
    if constexpr (requires { executor.levels_up(n, up); }) {
      executor.levels_up(n, up);
      executor.levels_down(n, [&](Index h, Index k) TANDEM_INLINE {
        if (k > 0) append(2 * h * k - 1, 2 * h * k + h - 1);
      });
      return;
    }
    Index h = 1;
    for (; 2 * h <= n; h *= 2)
      executor.for_each(n / (2 * h), [&](Index k) TANDEM_INLINE { append(2 * h * k + h - 1, 2 * h * k + 2 * h - 1); });
    for (; h >= 1; h /= 2) {
      if (n < 3 * h) continue;
      executor.for_each((n - 3 * h) / (2 * h) + 1,
                        [&](Index k) TANDEM_INLINE { append(2 * h * k + 2 * h - 1, 2 * h * k + 3 * h - 1); });
    }
  }
}

/// The scan of an executor, in place: its own, where it has one, else up and down a tree.
template <Scan kind, class Executor, class Op, class Elements>
TANDEM_HD void scan_on(const Executor& executor, const Op& op, Index n, const Elements& x) {
  if constexpr (requires { executor.template scan<kind>(op, n, x); })
    executor.template scan<kind>(op, n, x);
  else
    scan_tree<kind>(executor, op, n, x);
}

/// Every element with the one 1, 2, 4, ... before it, from one row of slots into the other and back; `spare` is the
/// other. An exclusive scan is the inclusive one, moved on by one.
template <Scan kind, class Executor, class Op, class Elements, class Spare>
TANDEM_HD void scan_hillis_steele(const Executor& executor, const Op& op, Index n, const Elements& x,
                                  const Spare& spare) {
  const InScanOrder<kind, Op> row = {op, n};
  const auto step = [&](const auto& from, const auto& to, Index h) TANDEM_INLINE {
    executor.for_each(n, [&](Index position) TANDEM_INLINE {
      const Index i = row.at(position);
      if (position < h)
        to.store(i, from.load(i));
      else
        to.store(i, row.combine(from.load(row.at(position - h)), from.load(i)));
    });
  };
  const auto moved_on = [&](const auto& from, const auto& to) TANDEM_INLINE {
    executor.for_each(n, [&](Index position) TANDEM_INLINE {
      if (position == 0)
        to.store(row.at(0), op.identity());
      else
        to.store(row.at(position), from.load(row.at(position - 1)));
    });
  };
  bool in_spare = false;
  for (Index h = 1; h < n; h *= 2, in_spare = !in_spare) {
    if (in_spare)
      step(spare, x, h);
    else
      step(x, spare, h);
  }
  if constexpr (is_exclusive(kind)) {
    if (in_spare)
      moved_on(spare, x);
    else
      moved_on(x, spare);
    in_spare = !in_spare;
  }
  if (in_spare) executor.for_each(n, [&](Index i) TANDEM_INLINE { x.store(i, spare.load(i)); });
}

/// Chunks of a row of n elements.
TANDEM_HD constexpr Index chunks_of(Index n, Index chunk) { return (n + chunk - 1) / chunk; }

/// Chunks of `chunk` elements, each serial; a tree over their totals; and what comes before a chunk put before each of
/// its results. Scratch: totals, chunks_of(n, chunk) slots.
template <Scan kind, class Executor, class Op, class Load, class Results, class Totals>
TANDEM_HD void scan_chunked(const Executor& executor, const Op& op, Index n, Index chunk, const Load& load,
                            const Results& results, const Totals& totals) {
  const InScanOrder<kind, Op> row = {op, n}, row_of_chunks = {op, chunks_of(n, chunk)};
  const Index chunks = chunks_of(n, chunk);
  executor.for_each(chunks, [&](Index c) TANDEM_INLINE {
    const Index end = (c + 1) * chunk < n ? (c + 1) * chunk : n;
    totals.store(row_of_chunks.at(c), scan_range(row, c * chunk, end, load, results));
  });
  if (chunks < 2) return;
  scan_on<inclusive(kind)>(in_small_parts(executor), op, chunks, totals);
  executor.for_each(n - chunk, [&](Index k) TANDEM_INLINE {
    const Index position = k + chunk, i = row.at(position);
    const auto before = totals.load(row_of_chunks.at(position / chunk - 1));
    results.store(i, is_exclusive(kind) && position % chunk == 0 ? before : row.combine(before, results.load(i)));
  });
}

/// What all elements combine to, the identity if there are none. Scratch as for a chunked scan.
template <class Executor, class Op, class Load, class Totals>
TANDEM_HD ElementOf<Op> reduce_chunked(const Executor& executor, const Op& op, Index n, Index chunk, const Load& load,
                                       const Totals& totals) {
  if (n <= 0) return op.identity();
  const Index chunks = chunks_of(n, chunk);
  executor.for_each(chunks, [&](Index c) TANDEM_INLINE {
    auto total = load(c * chunk);
    for (Index i = c * chunk + 1; i < n && i < (c + 1) * chunk; ++i) total = op(total, load(i));
    totals.store(c, total);
  });
  JoinTree{chunks}.upward(executor, [&](const Join& j) TANDEM_INLINE {
    totals.store(j.end - 1, op(totals.load(j.middle - 1), totals.load(j.end - 1)));
  });
  const auto total = totals.load(chunks - 1);
  wait_for_all(executor);
  return total;
}

}  // namespace tandem::inline TANDEM_ISA
