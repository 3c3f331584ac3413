// SPDX-License-Identifier: Apache-2.0
#include "overlap.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tandem {
namespace {

/// Floor of x / y, y above 0.
Index floor_of(Index x, Index y) { return x / y - (x % y < 0); }

/// Numbers in a row, the distance above 0 or one number.
struct Run {
  Index begin, distance, count, size;
  Index end() const { return begin + distance * (count - 1) + size; }
};

Run run_of(const Lattice& a, Index k) {
  return {a.begin + k * a.outer, std::max<Index>(a.inner, 1), a.n_inner, a.size};
}

/// For each number of the shorter one: of those of the other that begin before its end, the last one ends last.
bool overlap(Run a, Run b) {
  if (a.count > b.count) std::swap(a, b);
  for (Index i = 0; i < a.count; ++i) {
    const Index begin = a.begin + i * a.distance;
    const Index k = std::min(b.count - 1, floor_of(begin + a.size - 1 - b.begin, b.distance));
    if (k >= 0 && b.begin + k * b.distance + b.size > begin) return true;
  }
  return false;
}

/// The same numbers with the shorter distance inside, and no distance where there is one number.
Lattice in_order(Lattice a) {
  if (a.inner == 0) a.n_inner = 1;
  if (a.outer == 0) a.n_outer = 1;
  if (a.n_inner == 1 || (a.n_outer > 1 && a.outer < a.inner)) {
    std::swap(a.outer, a.inner);
    std::swap(a.n_outer, a.n_inner);
  }
  return a;
}

}  // namespace

bool Lattice::overlaps_itself() const {
  if (begin == end) return false;
  if (n_outer == 1 || n_inner == 1) {
    const Index distance = n_outer == 1 ? inner : outer;
    return std::max(n_outer, n_inner) > 1 && distance < size;
  }
  if (inner == 0 || outer == 0) return true;
  // i states on and k rows back are the same number for no i and k but multiples of these
  const Index common = std::gcd(outer, inner);
  return inner / common < n_outer && outer / common < n_inner;
}

bool overlap(const Lattice& first, const Lattice& second) {
  if (first.begin == first.end || second.begin == second.end || !first.reaches_into(second)) return false;
  Lattice a = in_order(first), b = in_order(second);
  if (a.n_outer > b.n_outer) std::swap(a, b);
  if (a.outer == b.outer && a.n_outer > 1) {  // only how far apart two runs are counts: one run against all distances
    b.begin -= (a.n_outer - 1) * a.outer;
    b.n_outer += a.n_outer - 1;
    a.n_outer = 1;
  }
  const Index step = std::max<Index>(b.outer, 1), length = run_of(b, 0).end() - b.begin;
  for (Index i = 0; i < a.n_outer; ++i) {
    const Run run = run_of(a, i);
    const Index from = std::max<Index>(0, floor_of(run.begin - length - b.begin, step) + 1);
    const Index to = std::min(b.n_outer - 1, floor_of(run.end() - 1 - b.begin, step));
    for (Index k = from; k <= to; ++k)
      if (overlap(run, run_of(b, k))) return true;
  }
  return false;
}

}  // namespace tandem
