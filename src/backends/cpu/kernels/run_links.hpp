// SPDX-License-Identifier: Apache-2.0
/// The driver of methods that divide one robot: state after state, each on as many threads as the call has.
#pragma once
#include "backends/cpu/threads.hpp"
#include "flush_to_zero.hpp"
#include "run.hpp"

namespace tandem::inline TANDEM_ISA {

/// Parts of a method's work on the threads of a team.
struct ThreadsExecutor {
  int threads = 1;
  cpu::Team* team = nullptr;

  /// With fewer than `least` parts it is not worth handing any on.
  template <class F>
  void for_each(Index n, F&& f, Index least = 2) const {
    team->for_each_range(n, n < least ? n : grain(n), [&](Index begin, Index end) {
      const FlushToZero guard;
      for (Index i = begin; i < end; ++i) f(i);
    });
  }
  template <class F>
  void for_each_backwards(Index n, F&& f) const {
    auto range = [&](Index begin, Index end) {
      const FlushToZero guard;
      for (Index i = end; i-- > begin;) f(i);
    };
    team->for_each_range(n, grain(n), range, true);
  }

 private:
  Index grain(Index n) const { return (n + 4 * threads - 1) / (4 * threads); }
};

/// A method with its executor, in the shape of an algorithm.
template <class A>
struct OnThreads : A {
  static constexpr auto& arguments = A::Problem::arguments;
  static constexpr bool inverts_mass_matrix = tandem::inverts_mass_matrix<typename A::Problem>;
  int threads;

  template <class T>
  explicit OnThreads(const Call<T>& call) : A(with_options<A>(call.options)), threads(call.threads) {}

  /// Calls f with an executor that has its team.
  template <class F>
  auto with_team(F&& f) const {
    const FlushToZero guard;
    cpu::Team team(threads);
    return f(ThreadsExecutor{threads, &team});
  }
  template <class S, class M, class... Column>
  auto body(const ModelView<M>& m, Column... columns) const {
    return with_team([&](const ThreadsExecutor& executor) { return A::template body<S>(executor, m, columns...); });
  }
};

/// State after state by a method that carries its executor.
template <class Method, class T>
struct DriverOf {
  using Whole = Method;
  static constexpr int lanes = 1;

  static Index scratch_size(const Call<T>& call) {
    return buffer_rows<Whole>(call.model) + Whole(call).work_rows(call.model);
  }
  static void run(const Call<T>& call, Index begin, Index end, T* scratch) {
    if (end - begin == 1 && run_in_place<Whole>(call, begin, scratch)) return;
    const Whole whole(call);
    run_tiles(call, tile_body<T>(whole), begin, end, scratch);
  }
};
template <class A, class T>
using LinkDriver = DriverOf<OnThreads<A>, T>;

}  // namespace tandem::inline TANDEM_ISA
