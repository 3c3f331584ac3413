// SPDX-License-Identifier: Apache-2.0
/// Which states of a long way are kept, so that it can be gone back step by step: each step needs the state that it
/// began in, which is found anew from the nearest one that was kept.
#pragma once
#include "tandem/detail/core/config.hpp"
#include "tandem/index.hpp"

namespace tandem::inline TANDEM_ISA {

/// After [Griewank, Walther 2000]: with s states kept at a time, the one that a stretch begins in included, (s + r)! /
/// (s! r!) steps are gone back with no step done more than r times besides. That is the least there is.
struct Checkpoints {
  /// (s + r)! / (s! r!), or `most` if that is less.
  TANDEM_HD static constexpr Index reach(Index s, Index r, Index most) {
    if (s < 0 || r < 0) return 0;
    Index steps = 1;
    const Index n = s < r ? s : r, other = s < r ? r : s;
    for (Index k = 1; k <= n; ++k) {
      steps = steps * (other + k) / k;
      if (steps > most) return most;
    }
    return steps;
  }
  /// Of a stretch of n >= 2 steps, with s >= 2 states kept: after how many of them the next state is kept.
  TANDEM_HD static constexpr Index next(Index n, Index s) {
    Index r = 1;
    while (reach(s, r, n) < n) ++r;
    const Index behind = n - reach(s - 1, r, n), before = reach(s, r - 2, n);
    const Index steps = behind < before ? before : behind;
    return steps < 1 ? 1 : steps;
  }
};

}  // namespace tandem::inline TANDEM_ISA
