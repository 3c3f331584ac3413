// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/core/column.hpp"

namespace tandem::inline TANDEM_ISA {

/// Who carries out work that falls into independent parts. An engine is anything with
///
///     engine.for_each(n, f)     calls f(0) .. f(n - 1), in any order, some of them at the same time
///
/// An algorithm cuts its work into parts by the size of the problem, never by the number of workers: the same bits come out
/// of every engine. This one works alone; backends/cpu has one with threads; tests and `compare` have one that counts the
/// longest chain of operations that wait for each other.
struct SerialEngine {
  template <class F>
  TANDEM_HD void for_each(Index n, F&& f) const {
    for (Index i = 0; i < n; ++i) f(i);
  }
};

/// f(0) .. f(n - 1) within a part: independent again, but too small to be handed on, so that whoever has the part carries
/// them out one after the other. An engine that has a worker for each says so, as `divides_parts`.
template <class Engine, class F>
TANDEM_HD void for_each_in_part(const Engine& engine, Index n, F&& f) {
  if constexpr (requires { requires Engine::divides_parts; })
    engine.for_each(n, f);
  else
    for (Index i = 0; i < n; ++i) f(i);
}

/// For parts of a hundred operations: another engine gets them where they are so many that waking its workers pays.
template <class Engine>
struct SmallPartsEngine {
  const Engine& engine;
  template <class F>
  TANDEM_HD void for_each(Index n, F&& f) const {
    constexpr Index worth_waking = 64;
    if (n >= worth_waking)
      engine.for_each(n, f);
    else
      for_each_in_part(engine, n, f);
  }
};
template <class Engine>
TANDEM_HD SmallPartsEngine<Engine> in_small_parts(const Engine& engine) {
  return {engine};
}

}  // namespace tandem::inline TANDEM_ISA
