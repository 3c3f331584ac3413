// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/executors/executor.hpp"

namespace tandem::inline TANDEM_ISA {

/// Two neighbouring runs of a row, first .. middle - 1 and middle .. end - 1, that become one.
struct Join {
  Index first, middle, end;
};

/// How the n elements of a row become one run, two runs at a time, and part again: the one walk below every scan, sweep
/// and divide-and-conquer. Level h has the runs 2^h k .. 2^h (k + 1) - 1, as far as there are elements; the joins of a
/// level may happen at the same time. Where that gains nothing the row is joined from its end inward, one element a
/// step.
///
/// Which elements are joined in which order depends on n alone: an executor that holds but a part of the row, begin ..
/// end - 1, does the joins within that part, and has the same bits as one that holds all.
struct JoinTree {
  Index n;
  bool in_a_row = false;
  Index begin = 0, end = n;

  /// A place for every run among 2 n - 1: elements come first, then runs by the middle of their join.
  TANDEM_HD Index place(Index first, Index last) const {
    return last - first == 1 ? first : n + middle(first, last) - 1;
  }
  TANDEM_HD Index root() const { return place(0, n); }
  TANDEM_HD Index places() const { return n > 0 ? 2 * n - 1 : 0; }
  /// Where a run of two or more elements was joined.
  TANDEM_HD Index middle(Index first, Index last) const {
    Index h = 1;
    while (!in_a_row && 2 * h < last - first) h *= 2;
    return first + h;
  }

  /// Calls f(join) for all joins, from the elements to the whole row.
  template <class Executor, class F>
  TANDEM_HD void upward(const Executor& executor, F&& f) const {
    if (in_a_row) {
      for (Index m = n - 1; m > 0; --m) f(Join{m - 1, m, n});
      return;
    }
    if constexpr (requires { executor.levels_up(n, at(f)); }) {
      executor.levels_up(n, at(f));
    } else {
      for (Index h = 1; h < end - begin; h *= 2) on_level(executor, h, f);
    }
  }
  /// The same joins from the whole row to the elements.
  template <class Executor, class F>
  TANDEM_HD void downward(const Executor& executor, F&& f) const {
    if (in_a_row) {
      for (Index m = 1; m < n; ++m) f(Join{m - 1, m, n});
      return;
    }
    if constexpr (requires { executor.levels_down(n, at(f)); }) {
      executor.levels_down(n, at(f));
    } else {
      Index h = 1;
      while (2 * h < end - begin) h *= 2;
      for (; h > 0; h /= 2) on_level(executor, h, f);
    }
  }

 private:
  /// Calls f for the join of a level, by its number there, if it is one.
  template <class F>
  TANDEM_HD auto at(F& f) const {
    return [&f, this](Index h, Index k) TANDEM_INLINE {
      const Index left = 2 * h * k;
      if (left + h < n) f(Join{left, left + h, left + 2 * h < n ? left + 2 * h : n});
    };
  }
  /// Runs of h elements become runs of 2 h.
  template <class Executor, class F>
  TANDEM_HD void on_level(const Executor& executor, Index h, F&& f) const {
    const Index first = (begin + 2 * h - 1) / (2 * h), stop = end == n ? (n + h - 1) / (2 * h) : end / (2 * h);
    if (first < stop)
      executor.for_each(stop - first, [&](Index k) TANDEM_INLINE {
        const Index left = 2 * h * (first + k);
        f(Join{left, left + h, left + 2 * h < n ? left + 2 * h : n});
      });
  }
};

}  // namespace tandem::inline TANDEM_ISA
