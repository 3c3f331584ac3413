// SPDX-License-Identifier: Apache-2.0
/// Schedules carried out on threads: every order of messages gives the numbers that one thread finds.
#include "papers/schedules/thread_run.hpp"

#include <gtest/gtest.h>

#include "core/at.hpp"

namespace tandem {
namespace {

/// Tasks that mix up the numbers of those that they need; each processor has its own.
class Mixer {
 public:
  explicit Mixer(const TaskGraph& graph) : graph_(&graph) {
    for (const Task& task : graph.tasks) outputs_.emplace_back(at(task.outputs));
  }
  void run(Index k) {
    const Task& task = graph_->tasks[at(k)];
    double sum = static_cast<double>(k + 1);
    for (const Index needed : task.needs)
      for (const double x : outputs_[at(needed)]) sum = 0.5 * sum + x / (1 + x * x);
    for (std::size_t i = 0; i < outputs_[at(k)].size(); ++i) outputs_[at(k)][i] = sum + static_cast<double>(i);
  }
  std::vector<double>& outputs(Index k) { return outputs_[at(k)]; }

 private:
  const TaskGraph* graph_;
  std::vector<std::vector<double>> outputs_;
};

std::vector<Processor> processors_of(std::vector<Mixer>& mixers) {
  std::vector<Processor> all;
  for (Mixer& mixer : mixers)
    all.push_back(
        {[&mixer](Index k) { mixer.run(k); }, [&mixer](Index k) { return std::span<double>(mixer.outputs(k)); }});
  return all;
}

void expect_right(const TaskGraph& graph, const ScheduleOptions& options) {
  Mixer alone(graph);
  for (const Index k : in_order(graph)) alone.run(k);
  const Schedule schedule = make_schedule(graph, transputer(), options);
  std::vector<Mixer> mixers(schedule.processors.size(), Mixer(graph));
  const FinishTimes times = run_on_threads(schedule, processors_of(mixers), 20);
  EXPECT_EQ(times.rounds.size(), 20u);
  EXPECT_EQ(times.middle().size(), schedule.processors.size());
  for (std::size_t q = 0; q < schedule.processors.size(); ++q)
    for (const Slot& slot : schedule.processors[q]) {
      EXPECT_EQ(mixers[q].outputs(slot.task), alone.outputs(slot.task))
          << graph.tasks[at(slot.task)].name << " on " << q << ", " << to_string(options.scheduler);
      EXPECT_GT(times.middle()[q], 0);
    }
}

TEST(ThreadRun, GivesWhatOneThreadFinds) {
  for (const Scheduler scheduler : {Scheduler::earliest_first, Scheduler::level_and_messages, Scheduler::duplication})
    for (const Topology topology : {Topology::full, Topology::chain, Topology::tree})
      for (const Index processors : {1, 2, 4}) {
        ScheduleOptions options;
        options.processors = processors;
        options.scheduler = scheduler;
        options.topology = topology;
        expect_right(formulation_graph(Method::resne, 4), options);
      }
}

TEST(ThreadRun, HandsOnLongMessagesAndNone) {
  const TaskGraph graph = {
      "g", {{"a", 0, {9}, 100, {}}, {"b", 0, {9}, 0, {}}, {"c", 0, {9}, 7, {0, 1}}, {"d", 0, {9}, 1, {0}}}};
  ScheduleOptions options;
  options.processors = 2;
  expect_right(graph, options);
}

TEST(ThreadRun, TakesTheMiddleRound) {
  const FinishTimes times = {{{1, 9}, {5, 2}, {3, 1}}};
  EXPECT_EQ(times.middle(), (std::vector<double>{5, 2}));
}

}  // namespace
}  // namespace tandem
