// SPDX-License-Identifier: Apache-2.0
/// Critical paths as formulas, against table 2.7 of [Pond] and the graphs themselves.
#include "tandem/api/critical_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tandem/error.hpp"

namespace tandem {
namespace {

using ::testing::ElementsAre;
using Name = Method;

std::vector<std::string> texts(Name formulation, TasksOf tasks = TasksOf::thesis, Index most = 10) {
  std::vector<std::string> all;
  for (const PathFormula& piece : critical_path_formulas(formulation, tasks, most)) all.push_back(to_string(piece));
  return all;
}

TEST(CriticalPathFormulas, AreTheRowsOfTheThesis) {
  EXPECT_THAT(texts(Name::recne), ElementsAre("(48 n + 49) M + (42 n + 32) A + 2 T for n = 1 .. 10"));
  EXPECT_THAT(texts(Name::resne),
              ElementsAre("(27 n + 52) M + (21 n + 36) A + 2 T for n = 2 .. 10", "79 M + 56 A + 2 T for n = 1"));
  EXPECT_THAT(texts(Name::hybrid), ElementsAre("(82 n + 37) M + (82 n + 14) A + 2 T for n = 1 .. 10"));
  EXPECT_THAT(texts(Name::recle), ElementsAre("(146 n - 24) M + (117 n - 33) A + 2 T for n = 1 .. 10"));
  for (const Name f : {Name::recne, Name::resne, Name::hybrid, Name::recle, Name::classle}) {
    Index covered = 0;
    for (const PathFormula& piece : critical_path_formulas(f))
      for (const Index n : piece.links) {
        EXPECT_EQ(piece.cost.of(n), printed_critical_path(f, n).of(n)) << to_string(f) << ", " << n;
        ++covered;
      }
    EXPECT_EQ(covered, 10);
  }
}

TEST(CriticalPathFormulas, AreTwoForTheClassicalOne) {
  // for these n the thesis' lg (n - 1) is lg n
  EXPECT_THAT(texts(Name::classle),
              ElementsAre("(129 n + 64 lg n + 70) M + (101 n + 48 lg n + 49) A + 2 T for n = 1 .. 3, 5, 9",
                          "(n (n - 1) / 2 + 128 n + 64 lg n + 70) M + (n (n - 1) / 2 + 100 n + 48 lg n + 45) A + 2 T "
                          "for n = 4, 6 .. 8, 10"));
}

TEST(CriticalPathFormulas, OfTheBaseFrameArePhasesInTheThesis) {
  for (Index n = 1; n <= 64; ++n) {
    TaskCost sum;
    for (const Phase& phase : recneb_phases()) sum += phase.cost.of(n);
    EXPECT_EQ(sum, printed_critical_path(Name::recneb, n).of(n));
  }
  for (const PathFormula& piece : critical_path_formulas(Name::recneb))
    for (const Index n : piece.links)
      EXPECT_LT(piece.cost.of(n).multiplications, printed_critical_path(Name::recneb, n).of(n).multiplications);
}

TEST(CriticalPathFormulas, HoldForGraphsThatTheyWereNotMadeFrom) {
  MachineModel machine = transputer();
  machine.assignment = 0;
  for (const Name f : {Name::recne, Name::resne, Name::hybrid, Name::recle})
    for (const TasksOf tasks : {TasksOf::thesis, TasksOf::library}) {
      const auto pieces = critical_path_formulas(f, tasks, 8);
      const TaskGraph graph = tasks == TasksOf::thesis ? printed_graph(f, 12) : formulation_graph(f, 12);
      TaskCost cost = critical_path(graph, machine).cost;
      cost.assignments = 0;
      EXPECT_EQ(pieces.front().cost.of(12), cost) << to_string(f) << ", tasks of the " << to_string(tasks);
    }
}

TEST(CriticalPathFormulas, HaveTheRowOfHashimotoAndKimura) {
  EXPECT_EQ(to_string(hashimoto_critical_path()), "(33 n + 105) M + (27 n + 91) A");
  EXPECT_EQ(hashimoto_critical_path().of(6), (TaskCost{303, 253}));
}

TEST(CriticalPathFormulas, KnowWhatTheyAreFor) {
  EXPECT_THROW(critical_path_formulas(Name::recne, TasksOf::thesis, 3), Error);
  EXPECT_THROW(critical_path_formulas(Name::recne, TasksOf::thesis, 65), Error);
  EXPECT_THROW(printed_critical_path(Name::recne, 0), Error);
  EXPECT_THROW(hashimoto_critical_path().of(0), Error);
}

TEST(LowerBound, IsFittedByItsConstants) {
  EXPECT_EQ(lower_bound(10, 3, 7, 2), 43);
  EXPECT_EQ(lower_bound(10, 3, 7, 1), 70);
  EXPECT_THROW(lower_bound(1, 1, 0, 1), Error);
  EXPECT_THROW(fit_lower_bound({}), Error);
  EXPECT_THROW(fit_lower_bound({{1, 1, 0}}), Error);
  std::vector<LowerBoundTimes> times;
  for (Index n = 1; n <= 10; ++n)
    for (Index p = 1; p <= n; ++p) times.push_back({n, p, lower_bound(12.5, 40, n, p)});
  const LowerBoundConstants exact = fit_lower_bound(times);
  EXPECT_NEAR(exact.k1, 12.5, 1e-9);
  EXPECT_NEAR(exact.k2, 40, 1e-9);
  EXPECT_LT(exact.misfit, 1e-12);
  // where more processors help more than k1 alone can, k2 is none, not less than none
  const LowerBoundConstants steep = fit_lower_bound({{8, 1, 100}, {8, 8, 1}});
  EXPECT_GE(steep.k1, 0);
  EXPECT_GE(steep.k2, 0);
  EXPECT_GT(steep.misfit, 0);
}

}  // namespace
}  // namespace tandem
