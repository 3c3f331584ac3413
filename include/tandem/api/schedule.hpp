// SPDX-License-Identifier: Apache-2.0
/// Schedules of task graphs on machines, [Pond] 2.4: which processor does what, when, and who tells whom.
///
///     const TaskGraph graph = formulation_graph(Method::resne, 6);
///     const Schedule schedule = make_schedule(graph, transputer(), {.processors = 5});
///     schedule.length;                 // us
///     gantt_svg(schedule, graph);      // a picture
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

/// Ways to make a schedule.
enum class Scheduler : unsigned char {
  earliest_first,         ///< the ready task and processor that can begin first, [Pond] 2.4.2; messages may fill gaps
  earliest_first_append,  ///< the same, messages are appended
  critical_path,          ///< the ready task with the longest path ahead, then with most successors, after Kasahara and
                          ///< Narita
  largest_first,          ///< the longest ready task, after Vukobratovic
  level_and_messages,     ///< the longest path ahead with messages, on the processor where it ends first, after Lee and
                          ///< Chen
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
       "the ready task with the longest path ahead, then with most successors, after Kasahara and Narita"},
      {"largest_first", "the longest ready task, after Vukobratovic"},
      {"level_and_messages",
       "the longest path ahead with messages, on the processor where it ends first, after Lee and Chen"},
      {"annealing",
       "the shortest of earliest_first, critical_path, largest_first and level_and_messages, improved by "
       "simulated annealing"},
      {"fixed_links", "all tasks of a link on one processor, all orders tried within a time limit, after Luh and Lin"},
      {"backtracking", "earliest_first with backtracking within a time limit"},
      {"duplication", "earliest_first; a task is duplicated if its message takes longer"},
      {"one_each", "one processor per task: maximum parallelism", "maxpar"}};
};

/// What a processor does for a while.
enum class SlotKind : unsigned char {
  task,    ///< a task
  send,    ///< its outputs go to another processor
  receive  ///< they come from another processor
};
template <>
struct NamesOf<SlotKind> {
  static constexpr const char* kind = "slot";
  static constexpr Named table[] = {{"task", "a task"},
                                    {"send", "its outputs go to another processor"},
                                    {"receive", "they come from another processor"}};
};

/// A while of a processor.
struct Slot {
  SlotKind kind = SlotKind::task;  ///< what it does
  Index task = 0;                  ///< which, or whose outputs are sent
  Index other = -1;                ///< the processor at the other end of a message
  double begin = 0;                ///< us
  double end = 0;                  ///< us
};

/// Who does what when. Every task is done on one processor at least; a processor has the outputs of all that its tasks
/// need.
struct Schedule {
  std::vector<std::vector<Slot>> processors;  ///< what each does, in order of time; some may have nothing to do
  double length = 0;                          ///< us until the last one has finished
  bool optimal = false;                       ///< nothing shorter is there, among what the scheduler may choose

  Index used() const;        ///< processors that have something to do
  Index messages() const;    ///< that are sent
  double computing() const;  ///< us, of all processors together
};

/// How a schedule is made.
struct ScheduleOptions {
  Index processors = 1;                             ///< that there are
  Scheduler scheduler = Scheduler::earliest_first;  ///< how
  Topology topology = Topology::full;               ///< who can talk to whom
  bool list_order =
      false;  ///< equal choices of earliest_first, earliest_first_append, duplication: the task that is listed first,
              ///< not that with the longest way ahead
  double seconds = 1;      ///< that annealing, fixed_links and backtracking may take
  std::int64_t steps = 0;  ///< that they may take: the same schedule every time; 0: by time alone
  std::uint64_t seed = 1;  ///< of annealing
};

/// Throws Error for a graph, machine or options that are none.
Schedule make_schedule(const TaskGraph& graph, const MachineModel& machine, const ScheduleOptions& options = {});

/// What is wrong with a schedule, in a sentence: a task that is missing or begins before what it needs is there, two
/// things at a time, a message between processors that are no neighbours. Empty if nothing is.
std::string fault_of(const Schedule& schedule, const TaskGraph& graph, const MachineModel& machine,
                     Topology topology = Topology::full);

/// How a schedule went.
struct ScheduleRun {
  std::vector<double> finished;  ///< us after all had begun, when each processor had done its part, in the middle round
  double length = 0;             ///< us until the last one had
  double serial = 0;             ///< us of all tasks one after the other on one thread, the middle of many
  std::vector<double> tau;       ///< [nv] what came out of a formulation
  std::vector<std::vector<double>> outputs;  ///< what came out of a function: rows of every output
};

/// Carries out a schedule of formulation_graph(formulation, model) on a thread for each processor, so many times: each
/// has memory of its own and does its tasks in their order, numbers are handed on as the schedule has it. Throws Error
/// for a schedule of another graph.
ScheduleRun run_schedule(const Schedule& schedule, Method formulation, const Model& model, std::span<const double> q,
                         std::span<const double> v, std::span<const double> a, int rounds = 1000);

/// The same with a schedule of recorded_graph(algorithm, model, grain, options). Inputs are those that cannot be left
/// out, in the order of the algorithm's table, or none: then some state's. A task is carried out operation by
/// operation, which takes several times what compiled code does; machine_for tells what to expect.
ScheduleRun run_schedule(const Schedule& schedule, const Algorithm& algorithm, const Model& model,
                         const std::vector<std::vector<double>>& inputs = {}, Grain grain = Grain::step,
                         const Options& options = {}, int rounds = 1000);
/// The machine with times of operations fitted to what the tasks of that graph take here, run so on one thread;
/// messages as they are.
MachineModel machine_for(const MachineModel& machine, const Algorithm& algorithm, const Model& model,
                         Grain grain = Grain::step, const Options& options = {}, double milliseconds = 2);

/// The longest way through a graph.
struct CriticalPath {
  std::vector<Index> tasks;  ///< along it
  TaskCost cost;             ///< of them together
  double time = 0;           ///< us, of them together
};
/// By what tasks take on a machine, messages left out.
CriticalPath critical_path(const TaskGraph& graph, const MachineModel& machine);

/// What no schedule can fall below, and what none need exceed, [Pond] 2.5.2.
struct ScheduleBounds {
  double critical_path = 0;     ///< us: no schedule is shorter
  double serial = 0;            ///< us on one processor
  double least = 0;             ///< us on so many processors: their share of the work, if that is longer
  double messages = 0;          ///< us of all messages that there may be
  double longest_messages = 0;  ///< us along the way with most messages, tasks for nothing
  double most = 0;              ///< us: serial and all messages together
};
/// For so many processors, by what tasks and messages take on a machine.
ScheduleBounds schedule_bounds(const TaskGraph& graph, const MachineModel& machine, Index processors);

/// A schedule on the number of processors that serves best.
struct BestSchedule {
  Index processors = 0;  ///< that it was made for
  Schedule schedule;     ///< the shortest one
  Index tried = 0;       ///< numbers of processors that were tried
};
/// Called after each number of processors that was tried, with the length of its schedule, us, how many numbers are
/// dealt with and how many there are at most.
using ScheduleProgress = std::function<void(Index processors, double length, Index done, Index all)>;
/// Tries 1, 2, .. `most` processors (0: as many as tasks), [Pond] 2.5.1, but for numbers on which no schedule can be
/// shorter than one that was found, by their share of the work. Of graphs so large that this takes long (tasks times
/// most^2 above 5e7) list schedulers are tried on one number in sixteen or so above 64, then next to the best.
BestSchedule best_schedule(const TaskGraph& graph, const MachineModel& machine, ScheduleOptions options, Index most = 0,
                           const ScheduleProgress& progress = {});
/// By bisection, after Kwan: more processors while the schedule is longer than that of one processor for each task.
BestSchedule bisected_schedule(const TaskGraph& graph, const MachineModel& machine, ScheduleOptions options,
                               const ScheduleProgress& progress = {});

/// The schedule, its tasks and what they take, bounds and the longest path, JSON in one line.
std::string schedule_json(const Schedule& schedule, const TaskGraph& graph, const MachineModel& machine,
                          const ScheduleOptions& options);

/// A picture, SVG: a row for every processor, tasks with their names, messages.
std::string gantt_svg(const Schedule& schedule, const TaskGraph& graph, const std::string& title = "");

}  // namespace tandem
