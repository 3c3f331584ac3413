// SPDX-License-Identifier: Apache-2.0
/// Threads that share the parts of one call.
#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>

#include <atomic>
#include <numeric>
#include <vector>

#include "backends/cpu/threads.hpp"

namespace tandem::test {
namespace {

using cpu::Team;

/// How often each index was met.
std::vector<int> counts(Team& team, Index n, Index grain) {
  std::vector<std::atomic<int>> met(static_cast<std::size_t>(n));
  team.for_each_range(n, grain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) ++met[static_cast<std::size_t>(i)];
  });
  return {met.begin(), met.end()};
}

TEST(Team, MeetsEveryPartOnce) {
  for (const int wanted : {1, 2, 3, 0}) {
    const int threads = cpu::available_threads(wanted);
    Team team(threads);
    for (const Index n : {0, 1, 2, 7, 64, 1000})
      for (const Index grain : {1, 3, 1000})
        EXPECT_EQ(counts(team, n, grain), std::vector<int>(static_cast<std::size_t>(n), 1))
            << n << " parts, " << grain << " at a time, on " << threads << " threads";
  }
}

TEST(Team, SeesWhatWasWrittenBefore) {
  Team team(cpu::available_threads(4));
  std::vector<unsigned> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0U);
  for (int round = 0; round < 2000; ++round) {
    std::vector<unsigned> next(numbers.size());
    team.for_each_range(100, 1, [&](Index begin, Index end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        next[i] = numbers[i] + numbers[(i + 1) % 100] - numbers[(i + 2) % 100];  // the sum stays
    });
    numbers = next;
  }
  EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0U), 99U * 50U);
}

TEST(Team, WorksAloneInsideItsOwnParts) {
  Team team(cpu::available_threads(4));
  std::atomic<int> met = 0;
  team.for_each_range(8, 1, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      team.for_each_range(8, 1, [&](Index b, Index e) { met += static_cast<int>(e - b); });
  });
  EXPECT_EQ(met, 64);
}

TEST(Team, ManyWorkInThreadsOfTheCaller) {
  std::atomic<int> met = 0;
  oneapi::tbb::parallel_for(0, 200, [&](int) {
    Team team(cpu::available_threads(2));
    for (int phase = 0; phase < 5; ++phase)
      team.for_each_range(10, 1, [&](Index begin, Index end) { met += static_cast<int>(end - begin); });
  });
  EXPECT_EQ(met, 200 * 5 * 10);
}

}  // namespace
}  // namespace tandem::test
