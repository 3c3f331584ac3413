// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/engines/scan.hpp"

namespace tandem::inline TANDEM_ISA {

/// Number `c` of each pack of x. Wide consists of nothing but packs of numbers of type R, and Narrow of as many single ones.
template <class Narrow, class R, class Wide>
TANDEM_HD Narrow lane(const Wide& x, int c) {
  constexpr std::size_t rows = sizeof(Narrow) / sizeof(R), width = sizeof(Wide) / sizeof(Narrow);
  struct Packs {
    R x[rows][width];
  };
  struct Numbers {
    R x[rows];
  };
  const auto packs = __builtin_bit_cast(Packs, x);
  Numbers numbers;
  for (std::size_t k = 0; k < rows; ++k) numbers.x[k] = packs.x[k][c];
  return __builtin_bit_cast(Narrow, numbers);
}

/// The element whose number in lane c is that of narrow(c).
template <class Wide, class R, class F>
TANDEM_HD Wide from_lanes(F&& narrow) {
  using Narrow = std::remove_cvref_t<decltype(narrow(0))>;
  constexpr std::size_t rows = sizeof(Narrow) / sizeof(R), width = sizeof(Wide) / sizeof(Narrow);
  struct Packs {
    R x[rows][width];
  };
  struct Numbers {
    R x[rows];
  };
  Packs packs;
  for (std::size_t c = 0; c < width; ++c) {
    const auto numbers = __builtin_bit_cast(Numbers, narrow(static_cast<int>(c)));
    for (std::size_t k = 0; k < rows; ++k) packs.x[k][c] = numbers.x[k];
  }
  return __builtin_bit_cast(Wide, packs);
}

/// A chunked scan whose chunks go in lockstep, one in every lane of a pack, see scan.hpp. A group is as many chunks as there
/// are lanes, W; groups go to the engine.
///
/// In        load(j): wide element j = group * chunk + step, whose lane c is element (group * W + c) * chunk + step of the
///           row; lanes behind the end of the row hold the identity. op on packs, narrow_op the same on numbers of type R.
/// Out       results, slots of wide elements, numbered like those
/// Scratch   totals, groups * W slots of narrow elements
/// Order     that of a scan_chunked whose chunks are the lanes, on every engine
template <Scan kind, class R, class Engine, class Op, class NarrowOp, class Load, class Results, class Totals>
TANDEM_HD void scan_in_lanes(const Engine& engine, const Op& op, const NarrowOp& narrow_op, Index groups, Index chunk,
                             const Load& load, const Results& results, const Totals& totals) {
  using Wide = ElementOf<Op>;
  using Narrow = ElementOf<NarrowOp>;
  constexpr Index W = sizeof(Wide) / sizeof(Narrow);
  const InScanOrder<kind, Op> row = {op, chunk};
  engine.for_each(groups, [&](Index g) TANDEM_INLINE {
    const auto load_step = [&](Index step) TANDEM_INLINE { return load(g * chunk + step); };
    const auto store_step = [&](Index step, const Wide& x) TANDEM_INLINE { results.store(g * chunk + step, x); };
    const Wide total = scan_range(row, 0, chunk, load_step, Slots{load_step, store_step});
    for (int c = 0; c < W; ++c) totals.store(g * W + c, lane<Narrow, R>(total, c));
  });
  const Index chunks = groups * W;
  scan_on<inclusive(kind)>(engine, narrow_op, chunks, totals);
  const auto before = [&](Index c) TANDEM_INLINE {
    const Index neighbour = is_suffix(kind) ? c + 1 : c - 1;
    return neighbour < 0 || neighbour == chunks ? narrow_op.identity() : Narrow(totals.load(neighbour));
  };
  engine.for_each(groups, [&](Index g) TANDEM_INLINE {
    const Wide before_g = from_lanes<Wide, R>([&](int c) TANDEM_INLINE { return before(g * W + c); });
    for (Index k = g * chunk; k < (g + 1) * chunk; ++k) results.store(k, row.combine(before_g, results.load(k)));
  });
}

}  // namespace tandem::inline TANDEM_ISA
