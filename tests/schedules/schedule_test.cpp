// SPDX-License-Identifier: Apache-2.0
/// Schedules against those of [Pond] 2.4 and 2.5, and against what every schedule must keep to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/at.hpp"
#include "tandem/api/schedule.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

std::vector<double> ends(const Schedule& schedule) {
  std::vector<double> all;
  for (const auto& slots : schedule.processors) all.push_back(slots.empty() ? 0 : slots.back().end);
  std::sort(all.begin(), all.end());
  return all;
}

/// A machine of today's kind: messages travel while both ends do something else.
MachineModel shared_memory() {
  MachineModel machine;
  machine.name = "shared memory";
  machine.multiplication = machine.addition = 0.0005;
  machine.trigonometric = 0.01;
  machine.assignment = 0.0005;
  machine.task = 0.002;
  machine.send = {0.01, 0.001};
  machine.travel = {0.1, 0.001};
  machine.receive = {0.01, 0.001};
  return machine;
}

/// [Pond] p. 46: predicted 857, 1075, 1090 us, measured 853, 1077, 1091 on transputers.
TEST(Schedule, OfResneOnThreeTransputersIsThePrintedOne) {
  const Schedule schedule = make_schedule(printed_graph(Method::resne, 3), transputer(), {.processors = 3});
  const std::vector<double> at = ends(schedule);
  EXPECT_NEAR(at[0], 857, 4);
  EXPECT_NEAR(at[1], 1075, 1);
  EXPECT_NEAR(at[2], 1090, 1);
}

/// [Pond] p. 56: 2007 and 5365 us. With ties by the order of the list and messages behind all else: 2025 and 5377.
TEST(Schedule, OfSixLinksIsNearThePrintedOnes) {
  const auto length = [](Method f, Index processors, Scheduler scheduler, bool list_order) {
    ScheduleOptions options;
    options.processors = processors;
    options.scheduler = scheduler;
    options.list_order = list_order;
    return make_schedule(printed_graph(f, 6), transputer(), options).length;
  };
  EXPECT_NEAR(length(Method::recne, 5, Scheduler::earliest_first, false), 1975, 1);
  EXPECT_NEAR(length(Method::recne, 5, Scheduler::earliest_first_append, true), 2025, 1);
  EXPECT_NEAR(length(Method::recle, 7, Scheduler::earliest_first, false), 4265, 1);
  EXPECT_NEAR(length(Method::recle, 7, Scheduler::earliest_first_append, true), 5377, 1);
}

TEST(Schedule, CanBeCarriedOut) {
  for (std::size_t s = 0; s < std::size(NamesOf<Scheduler>::table); ++s)
    for (std::size_t t = 0; t < std::size(NamesOf<Topology>::table); ++t)
      for (const Method f : {Method::recne, Method::resne, Method::recle})
        for (const MachineModel& machine : {transputer(), shared_memory()}) {
          ScheduleOptions options;
          options.processors = 5;
          options.scheduler = static_cast<Scheduler>(s);
          options.topology = static_cast<Topology>(t);
          options.steps = 40;
          const TaskGraph graph = printed_graph(f, 4);
          const Schedule schedule = make_schedule(graph, machine, options);
          EXPECT_EQ(fault_of(schedule, graph, machine, options.topology), "")
              << to_string(options.scheduler) << ", " << to_string(options.topology) << ", " << graph.name << " on "
              << machine.name;
          EXPECT_GE(schedule.length, schedule_bounds(graph, machine, 5).critical_path);
          EXPECT_LE(schedule.length,
                    schedule_bounds(graph, machine, 5).most * (options.topology == Topology::full ? 1 : 5));
        }
}

TEST(Schedule, FaultsAreFound) {
  const TaskGraph graph = printed_graph(Method::recne, 2);
  const Schedule good = make_schedule(graph, transputer(), {.processors = 2});
  const auto fault = [&](const Schedule& s) { return fault_of(s, graph, transputer()); };
  Schedule bad = good;
  bad.processors[0].pop_back();
  EXPECT_NE(fault(bad), "");
  bad = good;
  bad.processors[0][1].begin -= 10;
  EXPECT_THAT(fault(bad), ::testing::HasSubstr("begins before the previous slot ends"));
  bad = good;
  std::swap(bad.processors[0], bad.processors[1]);
  EXPECT_NE(fault(bad), "");
  bad = good;
  bad.length = 100;
  EXPECT_THAT(fault(bad), ::testing::HasSubstr("ends after the end of the schedule"));
}

/// [Pond] figures 2.9 to 2.16: resne is fastest, recneb behind recne, about a processor a link serves recne best, and a
/// processor a task serves all of them better still. So it is with messages behind all that is there; with messages in
/// gaps it is not.
TEST(Schedule, OfTransputersSaysWhatTheThesisSays) {
  for (Index n = 3; n <= 6; ++n) {
    std::vector<double> best;
    for (const Method f : {Method::recne, Method::recneb, Method::resne}) {
      const TaskGraph graph = printed_graph(f, n);
      ScheduleOptions options;
      options.scheduler = Scheduler::earliest_first_append;
      const BestSchedule found = best_schedule(graph, transputer(), options);
      options.scheduler = Scheduler::one_each;
      EXPECT_GT(found.schedule.length, make_schedule(graph, transputer(), options).length) << graph.name << " of " << n;
      if (f == Method::recne) {
        EXPECT_LE(std::abs(found.processors - n), 2);
      }
      best.push_back(found.schedule.length);
    }
    EXPECT_LT(best[0], best[1]);
    EXPECT_LT(best[2], 1.02 * best[0]);
  }
  const TaskGraph graph = printed_graph(Method::recne, 9);
  ScheduleOptions one_each;
  one_each.scheduler = Scheduler::one_each;
  EXPECT_LT(best_schedule(graph, transputer(), {}, 9).schedule.length,
            make_schedule(graph, transputer(), one_each).length);
}

TEST(Schedule, OfSearchesIsNotLongerThanWhereTheyBegin) {
  const TaskGraph graph = printed_graph(Method::recne, 4);
  const auto length = [&](Scheduler scheduler) {
    ScheduleOptions options;
    options.processors = 3;
    options.scheduler = scheduler;
    options.steps = 2000;
    return make_schedule(graph, transputer(), options).length;
  };
  EXPECT_LE(length(Scheduler::backtracking), length(Scheduler::earliest_first));
  EXPECT_LT(length(Scheduler::annealing), length(Scheduler::level_and_messages));
}

TEST(Schedule, OfAnnealingIsNotLongerThanThoseOfLists) {
  for (const Method f : {Method::recne, Method::resne, Method::recle})
    for (const Index processors : {2, 4, 7}) {
      const TaskGraph graph = printed_graph(f, 6);
      const auto length = [&](Scheduler scheduler) {
        ScheduleOptions options;
        options.processors = processors;
        options.scheduler = scheduler;
        options.steps = 1;
        return make_schedule(graph, transputer(), options).length;
      };
      for (const Scheduler list : {Scheduler::earliest_first, Scheduler::critical_path, Scheduler::largest_first,
                                   Scheduler::level_and_messages})
        EXPECT_LE(length(Scheduler::annealing), length(list)) << graph.name << " on " << processors;
    }
}

/// The best of all numbers of processors up to `most`, one after the other.
BestSchedule best_of_all(const TaskGraph& graph, ScheduleOptions options, Index most) {
  BestSchedule best;
  for (options.processors = 1; options.processors <= most; ++options.processors) {
    Schedule schedule = make_schedule(graph, transputer(), options);
    if (best.processors == 0 || schedule.length < best.schedule.length)
      best = {options.processors, std::move(schedule), options.processors};
  }
  return best;
}

TEST(Schedule, BestIsTheShortestOfAllNumbersOfProcessors) {
  for (const Method f : {Method::recne, Method::resne, Method::classle})
    for (const Topology topology : {Topology::full, Topology::chain})
      for (const Scheduler scheduler : {Scheduler::earliest_first_append, Scheduler::critical_path}) {
        const TaskGraph graph = printed_graph(f, 4);
        ScheduleOptions options;
        options.scheduler = scheduler;
        options.topology = topology;
        Index told = 0;
        const BestSchedule best =
            best_schedule(graph, transputer(), options, 16, [&](Index, double, Index done, Index all) {
              ++told;
              EXPECT_LE(done, all);
            });
        const BestSchedule all = best_of_all(graph, options, 16);
        EXPECT_EQ(best.processors, all.processors) << graph.name;
        EXPECT_EQ(best.schedule.length, all.schedule.length) << graph.name;
        EXPECT_EQ(best.schedule.processors.size(), at(best.processors)) << graph.name;
        EXPECT_EQ(best.tried, told);
      }
}

/// Of graphs whose numbers of processors are not all tried.
TEST(SlowSchedule, BestOfLargeGraphsIsNearTheShortest) {
  const TaskGraph graph = printed_graph(Method::hybrid, 40);
  const BestSchedule best = best_schedule(graph, transputer(), {}, 160), all = best_of_all(graph, {}, 160);
  EXPECT_LT(best.tried, 100);
  EXPECT_LE(best.schedule.length, 1.1 * all.schedule.length);
}

TEST(Schedule, OfFixedLinksIsOptimalOnceAllOrdersWereTried) {
  TaskGraph graph = {"two", {{"a", 1, {10}, 1, {}}, {"b", 1, {1}, 1, {}}, {"c", 2, {10}, 1, {1}}}};
  ScheduleOptions options;
  options.processors = 2;
  options.scheduler = Scheduler::fixed_links;
  options.steps = 1000;
  const Schedule schedule = make_schedule(graph, transputer(), options);
  EXPECT_TRUE(schedule.optimal);
  EXPECT_DOUBLE_EQ(schedule.length, 1.37 + 10 + 13.7);  // b, its message, c
  options.steps = 1;
  EXPECT_FALSE(make_schedule(graph, transputer(), options).optimal);
}

TEST(Schedule, DoesAgainWhatCostsMoreToSend) {
  const TaskGraph graph = {"fan", {{"a", 1, {1}, 9, {}}, {"b", 1, {100}, 1, {0}}, {"c", 2, {100}, 1, {0}}}};
  ScheduleOptions options;
  options.processors = 2;
  options.scheduler = Scheduler::duplication;
  const Schedule schedule = make_schedule(graph, transputer(), options);
  EXPECT_EQ(schedule.messages(), 0);
  EXPECT_DOUBLE_EQ(schedule.length, 1.37 + 137);
  EXPECT_DOUBLE_EQ(schedule.computing(), 2 * (1.37 + 137));
}

TEST(Schedule, BoundsAreThoseOfTheThesis) {
  const TaskGraph graph = {"three", {{"a", 1, {10}, 1, {}}, {"b", 1, {20}, 1, {0}}, {"c", 2, {5}, 1, {0}}}};
  const ScheduleBounds bounds = schedule_bounds(graph, transputer(), 2);
  EXPECT_DOUBLE_EQ(bounds.critical_path, 30 * 1.37);
  EXPECT_DOUBLE_EQ(bounds.serial, 35 * 1.37);
  EXPECT_DOUBLE_EQ(bounds.messages, 20);
  EXPECT_DOUBLE_EQ(bounds.longest_messages, 10);
  EXPECT_DOUBLE_EQ(bounds.most, 35 * 1.37 + 20);
}

TEST(Schedule, BisectionFindsAboutAsManyProcessors) {
  const TaskGraph graph = printed_graph(Method::recne, 6);
  const BestSchedule all = best_schedule(graph, transputer(), {}),
                     bisected = bisected_schedule(graph, transputer(), {});
  EXPECT_LT(bisected.tried, all.tried);
  EXPECT_LT(bisected.schedule.length, 1.1 * all.schedule.length);
}

TEST(Schedule, RefusesWhatIsNone) {
  const TaskGraph graph = printed_graph(Method::recne, 2);
  EXPECT_THROW(make_schedule(graph, transputer(), {.processors = 0}), Error);
  EXPECT_THROW(make_schedule(graph, MachineModel{}, {.processors = 1}), Error);
  EXPECT_THROW(schedule_bounds(graph, transputer(), 0), Error);
  ScheduleOptions options;
  options.list_order = true;
  options.scheduler = Scheduler::largest_first;
  EXPECT_THROW(make_schedule(graph, transputer(), options), Error);
}

TEST(Schedule, IsDrawn) {
  const TaskGraph graph = printed_graph(Method::recne, 2);
  const std::string svg = gantt_svg(make_schedule(graph, transputer(), {.processors = 2}), graph, "a < b");
  EXPECT_THAT(svg, ::testing::HasSubstr("a &lt; b"));
  EXPECT_THAT(svg, ::testing::HasSubstr("<title>w1, "));
  EXPECT_THAT(svg, ::testing::EndsWith("</svg>\n"));
}

}  // namespace
}  // namespace tandem
