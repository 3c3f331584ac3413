// SPDX-License-Identifier: Apache-2.0
/// Schedules of task graphs on multiprocessors, [Pond] 2.4: the processor and time of every task and message.
///
///     const TaskGraph graph = formulation_graph(Method::resne, 6);
///     const Schedule schedule = make_schedule(graph, transputer(), {.processors = 5});
///     schedule.length;                 // makespan, us
///     gantt_svg(schedule, graph);      // Gantt chart, SVG
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tandem/api/machine_model.hpp"
#include "tandem/api/task_graph.hpp"

namespace tandem {

/// Scheduling algorithms.
enum class Scheduler : unsigned char {
  earliest_first,         ///< the ready task and processor that can begin first, [Pond] 2.4.2; messages may fill gaps
  earliest_first_append,  ///< the same, messages are appended
  critical_path,          ///< the ready task with the longest path to the end, then with most successors, after
                          ///< Kasahara and Narita
  largest_first,          ///< the longest ready task, after Vukobratovic
  level_and_messages,     ///< the longest path to the end with messages, on the processor where it ends first, after
                          ///< Lee and Chen
  annealing,              ///< the shortest of earliest_first, critical_path, largest_first and level_and_messages,
                          ///< improved by simulated annealing
  fixed_links,            ///< all tasks of a link on one processor, all orders tried within a time limit, after Luh and
                          ///< Lin
  backtracking,           ///< earliest_first with backtracking within a time limit
  duplication,            ///< earliest_first; a task is duplicated if its message takes longer
  one_each                ///< one processor per task: maximum parallelism
};
template <>
struct NamesOf<Scheduler> {
  static constexpr const char* kind = "scheduler";
  static constexpr Named table[] = {
      {"earliest_first", "the ready task and processor that can begin first, [Pond] 2.4.2; messages may fill gaps",
       "etf"},
      {"earliest_first_append", "the same, messages are appended"},
      {"critical_path",
       "the ready task with the longest path to the end, then with most successors, after Kasahara and Narita"},
      {"largest_first", "the longest ready task, after Vukobratovic"},
      {"level_and_messages",
       "the longest path to the end with messages, on the processor where it ends first, after Lee and Chen"},
      {"annealing",
       "the shortest of earliest_first, critical_path, largest_first and level_and_messages, improved by "
       "simulated annealing"},
      {"fixed_links", "all tasks of a link on one processor, all orders tried within a time limit, after Luh and Lin"},
      {"backtracking", "earliest_first with backtracking within a time limit"},
      {"duplication", "earliest_first; a task is duplicated if its message takes longer"},
      {"one_each", "one processor per task: maximum parallelism", "maxpar"}};
};

/// Kinds of slots, which are intervals of a processor's time.
enum class SlotKind : unsigned char {
  task,    ///< computes a task
  send,    ///< sends the outputs of a task to another processor
  receive  ///< receives the outputs of a task from another processor
};
template <>
struct NamesOf<SlotKind> {
  static constexpr const char* kind = "slot";
  static constexpr Named table[] = {{"task", "computes a task"},
                                    {"send", "sends the outputs of a task to another processor"},
                                    {"receive", "receives the outputs of a task from another processor"}};
};

/// An interval of a processor's time.
struct Slot {
  SlotKind kind = SlotKind::task;  ///< computation or message
  Index task = 0;                  ///< the task that is computed, or whose outputs are sent
  Index other = -1;                ///< the processor at the other end of a message; -1 for a task
  double begin = 0;                ///< us
  double end = 0;                  ///< us
};

/// Assignment of tasks and messages to processors and times. Every task has one processor or, if it is duplicated,
/// several; messages bring the inputs of a task that are computed on other processors.
struct Schedule {
  std::vector<std::vector<Slot>> processors;  ///< slots of every processor in order of time; idle ones have none
  double length = 0;                          ///< makespan: end of the last slot, us
  bool optimal = false;                       ///< the scheduler has no shorter schedule among its choices

  Index used() const;        ///< number of processors that are not idle
  Index messages() const;    ///< number of messages
  double computing() const;  ///< computing time of all processors, us
};

/// Options of make_schedule().
struct ScheduleOptions {
  Index processors = 1;                             ///< number of processors
  Scheduler scheduler = Scheduler::earliest_first;  ///< scheduling algorithm
  Topology topology = Topology::full;               ///< connections between processors
  /// Tie break of earliest_first, earliest_first_append and duplication: true, the first task of the list; false, the
  /// task with the longest path to the end.
  bool list_order = false;
  double seconds = 1;  ///< time limit of annealing, fixed_links and backtracking, s
  /// Step limit of these, which makes their schedules reproducible; 0: only the time limit.
  std::int64_t steps = 0;
  std::uint64_t seed = 1;  ///< seed of annealing
};

/// Make a schedule of a task graph. Throws Error if the graph, the machine or an option is not valid.
Schedule make_schedule(const TaskGraph& graph, const MachineModel& machine, const ScheduleOptions& options = {});

/// Description of the first error in a schedule, or an empty string if it is valid. Errors are a missing task, a task
/// that begins before its inputs are available, overlapping slots, and a message between processors that are not
/// neighbours.
std::string fault_of(const Schedule& schedule, const TaskGraph& graph, const MachineModel& machine,
                     Topology topology = Topology::full);

/// Times and results of run_schedule().
struct ScheduleRun {
  std::vector<double> finished;  ///< end of each processor's last task in the median round, us after the common start
  double length = 0;             ///< the latest of these, us
  double serial = 0;             ///< median time of all tasks in sequence on one thread, us
  std::vector<double> tau;       ///< [nv] N m|N, joint torques of a formulation
  std::vector<std::vector<double>> outputs;  ///< outputs of an algorithm, in the order of its table
};

/// Run a schedule of formulation_graph(formulation, model) `rounds` times, on one thread per processor. Each thread
/// has its own memory, computes its tasks in the order of the schedule, and receives inputs by messages of the
/// schedule. Throws Error for a schedule of another graph.
ScheduleRun run_schedule(const Schedule& schedule, Method formulation, const Model& model, std::span<const double> q,
                         std::span<const double> v, std::span<const double> a, int rounds = 1000);

/// The same for a schedule of recorded_graph(algorithm, model, grain, options). `inputs` are the required inputs in
/// the order of the algorithm's table; if it is empty, those of a random state. Tasks are interpreted operation by
/// operation, which takes several times as long as compiled code; machine_for() gives a machine model with these
/// times.
ScheduleRun run_schedule(const Schedule& schedule, const Algorithm& algorithm, const Model& model,
                         const std::vector<std::vector<double>>& inputs = {}, Grain grain = Grain::step,
                         const Options& options = {}, int rounds = 1000);
/// A machine whose operation times are fitted to the measured times of the tasks of recorded_graph(), interpreted on
/// one thread. Message times are those of `machine`.
MachineModel machine_for(const MachineModel& machine, const Algorithm& algorithm, const Model& model,
                         Grain grain = Grain::step, const Options& options = {}, double milliseconds = 2);

/// Longest path through a task graph.
struct CriticalPath {
  std::vector<Index> tasks;  ///< tasks of the path, in order
  TaskCost cost;             ///< sum of their costs
  double time = 0;           ///< sum of their times, us
};
/// Longest path by the times of tasks on a machine, without messages.
CriticalPath critical_path(const TaskGraph& graph, const MachineModel& machine);

/// Lower and upper bounds of the length of schedules, [Pond] 2.5.2.
struct ScheduleBounds {
  double critical_path = 0;     ///< lower bound for any number of processors, us
  double serial = 0;            ///< time on one processor, us
  double least = 0;             ///< lower bound: the larger of critical_path and serial / processors, us
  double messages = 0;          ///< time of all possible messages, us
  double longest_messages = 0;  ///< largest message time along a path, without tasks, us
  double most = 0;              ///< upper bound: serial + messages, us
};
/// Bounds for a number of processors.
ScheduleBounds schedule_bounds(const TaskGraph& graph, const MachineModel& machine, Index processors);

/// The shortest schedule over several numbers of processors.
struct BestSchedule {
  Index processors = 0;  ///< number of processors of the schedule
  Schedule schedule;     ///< the shortest schedule
  Index tried = 0;       ///< how many numbers of processors were tried
};
/// Callback after each number of processors: the number, the length of its schedule in us, how many numbers have been
/// considered, and the largest possible count of them.
using ScheduleProgress = std::function<void(Index processors, double length, Index done, Index all)>;
/// The shortest schedule on 1, 2, .. `most` processors (0: as many as tasks), [Pond] 2.5.1. Numbers of processors
/// whose lower bound exceeds the best length are skipped. For large graphs (tasks times most^2 above 5e7), list
/// schedulers try about one number in sixteen above 64, then the neighbours of the best.
BestSchedule best_schedule(const TaskGraph& graph, const MachineModel& machine, ScheduleOptions options, Index most = 0,
                           const ScheduleProgress& progress = {});
/// Bisection, after Kwan, for the smallest number of processors whose schedule is as short as that with one processor
/// per task. Returns the shortest schedule tried.
BestSchedule bisected_schedule(const TaskGraph& graph, const MachineModel& machine, ScheduleOptions options,
                               const ScheduleProgress& progress = {});

/// JSON in one line: the schedule, the tasks with their times, the bounds and the critical path.
std::string schedule_json(const Schedule& schedule, const TaskGraph& graph, const MachineModel& machine,
                          const ScheduleOptions& options);

/// Gantt chart as SVG: one row per processor, with the names of tasks and with messages.
std::string gantt_svg(const Schedule& schedule, const TaskGraph& graph, const std::string& title = "");

}  // namespace tandem
