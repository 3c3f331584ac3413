// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/core/column.hpp"

/// A function that a method calls at several places, and that is large: on a GPU it is called, which compiles in half
/// the time, elsewhere inlined as all are.
#if defined(__CUDACC__)
#define TANDEM_CALLED __host__ __device__ __noinline__
#else
#define TANDEM_CALLED TANDEM_HD
#endif

namespace tandem::inline TANDEM_ISA {

/// Who carries out work that falls into independent parts. An executor is anything with
///
///     for_each(n, f)                calls f(0) .. f(n - 1), in any order, some of them at the same time
///
/// Methods say what is to be combined through  scan_on (scan.hpp)  and  gather_runs, spread_ports (runs.hpp).  These
/// need no more than for_each; an executor whose elements lie elsewhere, in other processes or on a device, brings its
/// own:
///
///     scan<kind>(op, n, slots)      exclusive scans of the elements here as part of the whole row, in place
///     tree_over(n)                  the tree of joins over the whole row, of which the n elements here are a part
///     gather_runs(runs)  spread_ports(runs, port)
///
/// An executor whose workers all go through the text of a method, each for itself, as the threads of a GPU do, brings
/// besides
///
///     on_one(f)  wait()  levels_up(n, f)  levels_down(n, f)
///
/// and is given bias_torque as what is left to find: a robot at rest, its joint forces less ID(q, v, 0).
///
/// An algorithm cuts its work into parts by the size of the problem, never by the number of workers: the same bits come
/// out of every executor. This one works alone; backends/cpu has one with threads, backends/mpi one with processes;
/// tests and `compare` have one that counts the longest chain of operations that wait for each other.
struct SerialExecutor {
  template <class F>
  TANDEM_HD void for_each(Index n, F&& f) const {
    for (Index i = 0; i < n; ++i) f(i);
  }
};

/// An executor that has a worker for everything that is independent, also within a part.
template <class Executor>
constexpr bool divides_parts_of = requires {
  requires Executor::divides_parts;
};

/// f(0) .. f(n - 1) within a part: independent again, but too small to be handed on, so that whoever has the part
/// carries them out one after the other. An executor that has a worker for each says so, as `divides_parts`.
template <class Executor, class F>
TANDEM_HD void for_each_in_part(const Executor& executor, Index n, F&& f) {
  if constexpr (divides_parts_of<Executor>)
    executor.for_each(n, f);
  else
    for (Index i = 0; i < n; ++i) f(i);
}

/// The same for f(begin) .. f(end - 1), a few operations each: as many at a time as vector registers hold.
template <class Executor, class F>
TANDEM_HD void for_each_entry(const Executor& executor, Index begin, Index end, F&& f) {
  if constexpr (divides_parts_of<Executor>) {
    executor.for_each(end - begin, [&](Index k) TANDEM_INLINE { f(begin + k); });
  } else {
#pragma omp simd
    for (Index i = begin; i < end; ++i) f(i);
  }
}

/// f(0) .. f(n - 1); an executor that has to wake its workers does so for `least` parts or more.
template <class Executor, class F>
TANDEM_HD void for_each_of(const Executor& executor, Index n, Index least, F&& f) {
  if constexpr (requires { executor.for_each(n, f, least); })
    executor.for_each(n, f, least);
  else
    executor.for_each(n, f);
}

/// f(n - 1) .. f(0): whoever had a part in the for_each before has it again, with what is still in its cache first.
template <class Executor, class F>
TANDEM_HD void for_each_backwards(const Executor& executor, Index n, F&& f) {
  if constexpr (requires { executor.for_each_backwards(n, f); })
    executor.for_each_backwards(n, f);
  else
    executor.for_each(n, [&](Index i) TANDEM_INLINE { f(n - 1 - i); });
}

/// An executor whose workers all go through the text of a method.
template <class Executor>
constexpr bool is_of_threads = requires(const Executor& executor) {
  executor.wait();
};

/// f(0) .. f(n - 1), a few operations each, by whoever is at it: handed on only where all workers are at it.
template <class Executor, class F>
TANDEM_HD void for_each_number(const Executor& executor, Index n, F&& f) {
  if constexpr (is_of_threads<Executor>)
    executor.for_each(n, f);
  else
    for (Index i = 0; i < n; ++i) f(i);
}
/// f() by one worker, before anyone goes on: for what is read and written outside of for_each.
template <class Executor, class F>
TANDEM_HD void on_one(const Executor& executor, F&& f) {
  if constexpr (is_of_threads<Executor>)
    executor.on_one(f);
  else
    f();
}
/// Before something is overwritten that workers read outside of for_each: they all have.
template <class Executor>
TANDEM_HD void wait_for_all([[maybe_unused]] const Executor& executor) {
  if constexpr (is_of_threads<Executor>) executor.wait();
}

/// For parts that are small: it takes `least` of them to be worth waking anyone.
template <class Executor>
struct SmallPartsExecutor {
  const Executor& executor;
  Index least;
  template <class F>
  TANDEM_HD void for_each(Index n, F&& f) const {
    for_each_of(executor, n, least, f);
  }
  template <auto kind, class Op, class Slots>
  TANDEM_HD void scan(const Op& op, Index n, const Slots& slots) const requires requires {
    executor.template scan<kind>(op, n, slots);
  }
  { executor.template scan<kind>(op, n, slots); }
  template <class Runs>
  TANDEM_HD void gather_runs(const Runs& runs) const requires requires {
    executor.gather_runs(runs);
  }
  { executor.gather_runs(runs); }
  template <class Runs, class Port>
  TANDEM_HD void spread_ports(const Runs& runs, const Port& port) const requires requires {
    executor.spread_ports(runs, port);
  }
  { executor.spread_ports(runs, port); }
};
/// Parts of a hundred operations, if nothing else is said.
template <class Executor>
TANDEM_HD SmallPartsExecutor<Executor> in_small_parts(const Executor& executor, Index least = 64) {
  return {executor, least};
}

}  // namespace tandem::inline TANDEM_ISA
