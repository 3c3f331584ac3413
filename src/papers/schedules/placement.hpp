// SPDX-License-Identifier: Apache-2.0
/// A schedule while it is made: one task after the other is put behind what its processor does already, with the
/// messages that it needs.
#pragma once
#include <utility>
#include <vector>

#include "papers/schedules/network.hpp"
#include "tandem/api/schedule.hpp"

namespace tandem {

/// What does not change while schedules of a graph are made.
struct Workload {
  Workload(const TaskGraph& all_tasks, const MachineModel& on, Network among);

  const TaskGraph& graph;
  const MachineModel& machine;
  Network network;
  std::vector<std::vector<Index>> readers;
  std::vector<double> time;     ///< of each task, us
  std::vector<double> message;  ///< of its outputs, from a neighbour's beginning to an end, us
  std::vector<double> level;    ///< of each task and the longest way behind it, us
};

/// How messages are put into a schedule, and whether tasks are done twice.
struct PlacementRules {
  bool into_gaps = true;
  bool duplicates = false;
};

class Placement {
 public:
  /// Where a task's outputs are, and from when on.
  struct Copy {
    Index processor;
    double time;
  };

  Placement(const Workload& work, const PlacementRules& rules);

  /// When a processor has finished what it has been given.
  double end(Index q) const;
  /// When the last task that this one needs is done; all must have been placed.
  double needs_done(Index task) const;
  /// What it takes to bring to q what the task needs, all messages one after the other, [Pond] p. 51.
  double bringing(Index task, Index q) const;
  /// The same for each of the first processors.
  std::vector<double> bringing_to_first(std::size_t processors, Index task) const;
  /// When it may begin there at the earliest, as the modified ETF has it.
  double earliest(Index task, Index q) const {
    const double done = needs_done(task), free = end(q);
    return (done > free ? done : free) + bringing(task, q);
  }
  /// Processors, or those that are used and one more where all are alike.
  Index worth_a_look() const;
  /// Where the outputs of a task are, first where it was done.
  const std::vector<Copy>& copies(Index task) const { return copies_[static_cast<std::size_t>(task)]; }

  /// What giving a task to a processor changes.
  struct Changes {
    std::vector<std::pair<Index, Index>> arrived;  ///< tasks whose outputs came to a processor, and which
    std::vector<Index> busy;                       ///< processors that have more to do
  };
  /// Gives the task to q; `changes`, if there, becomes what that changes.
  void place(Index task, Index q, Changes* changes = nullptr);
  double length() const { return length_; }
  /// The tasks in the order in which they were placed, and where.
  const std::vector<std::pair<Index, Index>>& decisions() const { return decisions_; }
  Schedule finish() &&;

 private:
  const Copy* copy_at(Index task, Index q) const;
  const Copy& nearest(Index task, Index q) const;
  bool is_cheaper_again(Index task, Index q) const;
  double gap(Index a, Index b, double from, double takes) const;
  void put(Index q, const Slot& slot);
  void run(Index task, Index q);
  void deliver(Index task, Index q);
  double pass_on(Index task, Index from, Index to, double ready);
  void note(Index task, Index q, double time);

  const Workload* work_;
  PlacementRules rules_;
  std::vector<std::vector<Slot>> slots_;
  std::vector<std::vector<Copy>> copies_;
  std::vector<std::pair<Index, Index>> decisions_;
  Index used_ = 0;
  double length_ = 0;
  Changes* changes_ = nullptr;
};

/// Tasks all of whose needs have been placed, in the order in which they became so.
class ReadyTasks {
 public:
  explicit ReadyTasks(const Workload& work);
  const std::vector<Index>& list() const { return ready_; }
  /// Takes the task off, and adds those that waited for it alone. How many came.
  std::size_t take(Index task);

 private:
  const Workload* work_;
  std::vector<Index> ready_;
  std::vector<std::size_t> missing_;
};

}  // namespace tandem
