// SPDX-License-Identifier: Apache-2.0
/// Task graphs of the six formulations of [Pond] against its table 2.7 and the numbers of its tasks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tandem/api/schedule.hpp"
#include "tandem/error.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

using ::testing::HasSubstr;

constexpr Method six[] = {Method::recne, Method::recneb, Method::resne, Method::classle, Method::recle, Method::hybrid};

double lg(Index n) { return n > 1 ? std::ceil(std::log2(static_cast<double>(n))) : 0; }

/// [Pond] table 2.7, whose longest path is that of the longest time without assignments.
TaskCost printed(Method formulation, Index links) {
  const double n = static_cast<double>(links);
  switch (formulation) {
    case Method::recne: return {48 * n + 49, 42 * n + 32, 2};
    case Method::recneb: return {27 * lg(links) + 116, 24 * lg(links) + 9 * lg(links + 1) + 84, 2};
    case Method::resne: return {27 * n + 52, 21 * n + 35 + (links > 1 ? 1 : 0), 2};
    case Method::hybrid: return {82 * n + 37, 82 * n + 14, 2};
    case Method::recle: return {146 * n - 24, 117 * n - 33, 2};
    default: break;
  }
  if (links <= 3 || links == 5 || links == 9) return {129 * n + 64 * lg(links) + 70, 101 * n + 48 * lg(links) + 49, 2};
  const double pairs = n * (n - 1) / 2;
  return {pairs + 128 * n + 64 * lg(links - 1) + 70, pairs + 100 * n + 48 * lg(links - 1) + 45, 2};
}

MachineModel without_assignments() {
  MachineModel machine = transputer();
  machine.assignment = 0;
  return machine;
}

TaskCost longest(Method formulation, Index links) {
  TaskCost cost = critical_path(printed_graph(formulation, links), without_assignments()).cost;
  cost.assignments = 0;
  return cost;
}

TEST(TaskGraph, HasThePrintedCriticalPaths) {
  for (const Method f : six) {
    if (f == Method::recneb) continue;
    for (Index n = 1; n <= 10; ++n) EXPECT_EQ(longest(f, n), printed(f, n)) << to_string(f) << " of " << n << " links";
  }
}

/// The row of recneb cannot come from any path: the thesis adds up the longest task of each kind. What its data wait
/// for is less, and grows as slowly.
TEST(TaskGraph, OfTheBaseFrameIsShorterThanThePrintedSum) {
  for (Index n = 1; n <= 10; ++n) {
    const TaskCost ours = longest(Method::recneb, n), theirs = printed(Method::recneb, n);
    EXPECT_LT(ours.multiplications, theirs.multiplications);
    EXPECT_LT(ours.additions, theirs.additions);
  }
  EXPECT_EQ(longest(Method::recneb, 6), (TaskCost{160, 143, 2}));
  EXPECT_EQ(to_string(longest(Method::recneb, 6)), "160 M + 143 A + 2 T");
}

/// [Pond] p. 54: linear for recne and recle, cubic for classle, else quadratic.
TEST(TaskGraph, HasAsManyTasksAsTheThesisSays) {
  const auto tasks = [](Method f, Index n) { return static_cast<Index>(printed_graph(f, n).tasks.size()); };
  const auto difference = [&](Method f, int order, Index n) {
    Index sum = 0, binomial = 1;
    for (int k = 0; k <= order; ++k) {
      sum += (k % 2 == 0 ? binomial : -binomial) * tasks(f, n + order - k);
      binomial = binomial * (order - k) / (k + 1);
    }
    return sum;
  };
  for (Index n = 3; n < 6; ++n) EXPECT_EQ(difference(Method::classle, 4, n), 0);
  for (Index n = 3; n < 12; ++n) {
    for (const Method f : {Method::recne, Method::recle}) EXPECT_EQ(difference(f, 2, n), 0) << to_string(f);
    for (const Method f : {Method::resne, Method::hybrid}) EXPECT_EQ(difference(f, 3, n), 0) << to_string(f);
  }
  EXPECT_EQ(tasks(Method::recne, 6), 71);
}

/// Tasks that are run are those of the thesis: their longest paths are those of its table. Where it tables more for
/// recne than its own equations take, they are shorter by what two moments, those of the last and the first link, take
/// less.
TEST(TaskGraph, OfTasksThatAreRunIsTheThesis) {
  for (Index n = 1; n <= 10; ++n)
    for (const Method f : {Method::recne, Method::recneb, Method::resne}) {
      const TaskGraph graph = formulation_graph(f, n);
      EXPECT_NO_THROW(check(graph));
      TaskCost ours = critical_path(graph, without_assignments()).cost, theirs = longest(f, n);
      ours.assignments = 0;
      if (f == Method::recne) ours += TaskCost{6, 9};
      EXPECT_EQ(ours, theirs) << to_string(f) << " of " << n << " links";
    }
  EXPECT_EQ(total_cost(formulation_graph(Method::resne, 6)), total_cost(printed_graph(Method::resne, 6)));
}

TEST(TaskGraph, IsInOrderAndChecked) {
  for (const Method f : six) {
    EXPECT_NO_THROW(check(printed_graph(f, 5))) << to_string(f);
    const TaskGraph graph = formulation_graph(f, 5);
    EXPECT_NO_THROW(check(graph)) << to_string(f);
    std::vector<char> seen(graph.tasks.size());
    for (const Index k : in_order(graph)) {
      for (const Index needed : graph.tasks[static_cast<std::size_t>(k)].needs)
        EXPECT_TRUE(seen[static_cast<std::size_t>(needed)]);
      seen[static_cast<std::size_t>(k)] = 1;
    }
  }
}

void expect_refused(const TaskGraph& graph, const std::string& why) {
  try {
    check(graph);
    ADD_FAILURE() << "not refused: " << why;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

TEST(TaskGraph, RefusesWhatIsNone) {
  expect_refused({"g", {}}, "expected 1 task or more");
  expect_refused({"g", {{"a", 0, {1}, 1, {1}}, {"b", 0, {1}, 1, {0}}}}, "is part of a cycle");
  expect_refused({"g", {{"a", 0, {1}, 1, {}}, {"a", 0, {1}, 1, {}}}}, "duplicate name");
  expect_refused({"g", {{"a", 0, {1}, 1, {7}}}}, "needs task number 7");
  expect_refused({"g", {{"a", 0, {1}, 1, {}}, {"b", 0, {1}, 1, {0, 0}}}}, "each once");
  expect_refused({"g", {{"a", 0, {-1}, 1, {}}}}, "of 0 or more");
  EXPECT_THROW(formulation_graph(Method::recne, 0), Error);
}

TEST(TaskGraph, IsOfMethodsThatAreFormulations) {
  ASSERT_EQ(formulations().size(), std::size(six));
  for (std::size_t k = 0; k < std::size(six); ++k) {
    EXPECT_EQ(std::string(formulations()[k].name), to_string(six[k]));
    EXPECT_EQ(formulation_from_name(to_string(six[k])), six[k]);
  }
  const auto refused = [](const auto& f) {
    try {
      f();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  for (const Method method : {Method::automatic, Method::scan, static_cast<Method>(100)})
    for (const std::string& error :
         {refused([&] { formulation_graph(method, 3); }), refused([&] { printed_graph(method, 3); }),
          refused([&] { printed_critical_path(method, 3); }), refused([&] { critical_path_formulas(method); }),
          refused([&] { run_schedule({}, method, load("arm6"), {}, {}, {}); })})
      EXPECT_THAT(error, testing::AllOf(HasSubstr("formulation"), HasSubstr("recne, recneb"), HasSubstr("hybrid")));
  EXPECT_THROW(formulation_from_name("scan"), Error);
}

TEST(TaskGraph, IsDrawnWithItsLongestPathBold) {
  const TaskGraph graph = {"g", {{"a", 1, {1}, 1, {}}, {"b", 1, {5}, 1, {0}}, {"c", 2, {1}, 1, {0}}}};
  const std::string dot = dot_text(graph, critical_path(graph, transputer()).tasks);
  EXPECT_THAT(dot, HasSubstr("t0 -> t1 [penwidth=3];"));
  EXPECT_THAT(dot, HasSubstr("t0 -> t2;"));
  EXPECT_THAT(dot, HasSubstr("label=\"link 2\""));
}

}  // namespace
}  // namespace tandem
