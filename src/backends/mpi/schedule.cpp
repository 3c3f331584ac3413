// SPDX-License-Identifier: Apache-2.0
/// Schedules of task graphs carried out by processes, one for each processor.
#include <algorithm>
#include <chrono>

#include "communicators.hpp"
#include "core/at.hpp"
#include "core/text.hpp"
#include "papers/schedules/formulation_tasks.hpp"
#include "papers/schedules/measured_machine.hpp"
#include "papers/schedules/thread_run.hpp"
#include "tandem/api/mpi.hpp"

namespace tandem::mpi {
namespace {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Processes 0 and 1, each of which sees the other.
class Pair final : public Ends {
 public:
  explicit Pair(MPI_Comm comm) : comm_(comm), other_(1 - rank_in(comm)) {}
  void send(int box, const double* numbers, Index size) override {
    MPI_Send(numbers, static_cast<int>(size), MPI_DOUBLE, other_, box, comm_);
  }
  void receive(int box, double* numbers, Index size) override {
    MPI_Recv(numbers, static_cast<int>(size), MPI_DOUBLE, other_, box, comm_, MPI_STATUS_IGNORE);
  }

 private:
  MPI_Comm comm_;
  int other_;
};

/// What a process does in a round: sends may go on while it computes, receives are waited for.
void do_round(const std::vector<Slot>& slots, TaskList& list, MPI_Comm comm, std::vector<MPI_Request>& sent) {
  sent.clear();
  for (const Slot& slot : slots) {
    const int task = static_cast<int>(slot.task);
    const std::span<double> outputs = list.result(task);
    const int size = static_cast<int>(outputs.size()), other = static_cast<int>(slot.other);
    switch (slot.kind) {
      case SlotKind::task: list.run(task); break;
      case SlotKind::send: MPI_Isend(outputs.data(), size, MPI_DOUBLE, other, task, comm, &sent.emplace_back()); break;
      case SlotKind::receive: MPI_Recv(outputs.data(), size, MPI_DOUBLE, other, task, comm, MPI_STATUS_IGNORE); break;
    }
  }
}

/// The process that does a task first.
std::vector<int> owners(const Schedule& schedule, int tasks) {
  std::vector<int> all(static_cast<std::size_t>(tasks), -1);
  for (std::size_t p = schedule.processors.size(); p-- > 0;)
    for (const Slot& slot : schedule.processors[p])
      if (slot.kind == SlotKind::task) all[at(slot.task)] = static_cast<int>(p);
  return all;
}

void check_tasks(const Schedule& schedule, const TaskList& list, MPI_Comm comm) {
  void* bound = nullptr;
  int is_there = 0;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&bound), &is_there);
  if (is_there && *static_cast<int*>(bound) < list.size())
    throw Error(
        sentence("this MPI library has ", *static_cast<int*>(bound), " tags, fewer than the ", list.size(), " tasks"));
  for (const auto& slots : schedule.processors)
    for (const Slot& slot : slots)
      if (slot.task < 0 || slot.task >= list.size())
        throw Error(sentence("the schedule has task number ", slot.task, ", but there are ", list.size(), " tasks"));
}

}  // namespace

ScheduleRun run_schedule(MPI_Comm communicator, const Schedule& schedule, Method formulation, const Model& model,
                         std::span<const double> q, std::span<const double> v, std::span<const double> a, int rounds) {
  const Communicator own = Communicator::copy_of(communicator);
  const MPI_Comm comm = own.get();
  const auto here = static_cast<std::size_t>(rank_in(comm)), processors = schedule.processors.size();
  if (rounds < 1) throw Error(sentence("rounds: expected 1 or more, not ", rounds));
  if (processors > static_cast<std::size_t>(size_of(comm)))
    throw Error(
        sentence("the schedule is for ", processors, " processors, but there are ", size_of(comm), " processes"));
  TaskList list(model, formulation);
  list.set_state(q, v, a);
  check_tasks(schedule, list, comm);
  const std::vector<Slot> nothing;
  const std::vector<Slot>& slots = here < processors ? schedule.processors[here] : nothing;
  std::vector<MPI_Request> sent;
  std::vector<double> mine(static_cast<std::size_t>(rounds));
  for (double& us : mine) {
    MPI_Barrier(comm);
    const auto begin = std::chrono::steady_clock::now();
    do_round(slots, list, comm, sent);
    us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    MPI_Waitall(static_cast<int>(sent.size()), sent.data(), MPI_STATUSES_IGNORE);
  }
  std::vector<double> all(mine.size() * static_cast<std::size_t>(size_of(comm)));
  MPI_Allgather(mine.data(), rounds, MPI_DOUBLE, all.data(), rounds, MPI_DOUBLE, comm);
  FinishTimes times;
  for (std::size_t k = 0; k < mine.size(); ++k) {
    auto& round = times.rounds.emplace_back();
    for (std::size_t p = 0; p < processors; ++p) round.push_back(all[p * mine.size() + k]);
  }
  ScheduleRun run;
  run.finished = times.middle();
  run.length = *std::max_element(run.finished.begin(), run.finished.end());
  const std::vector<int> owner = owners(schedule, list.size());
  for (int k = 0; k < list.size(); ++k) {  // each torque is known to the process that found it
    const std::span<double> outputs = list.result(k);
    if (std::string_view(list.task(k).quantity) == "tau")
      MPI_Bcast(outputs.data(), static_cast<int>(outputs.size()), MPI_DOUBLE, owner[static_cast<std::size_t>(k)], comm);
  }
  run.tau.assign(list.tau().begin(), list.tau().end());
  run.serial = middle_time(
      [&] {
        for (int k = 0; k < list.size(); ++k) list.run(k);
      },
      5);
  return run;
}

MachineModel measured_machine(MPI_Comm communicator) {
  const Communicator own = Communicator::copy_of(communicator);
  const MPI_Comm comm = own.get();
  if (size_of(comm) < 2) throw Error("messages between processes: expected two processes or more");
  MachineModel machine = tandem::measured_machine(5);
  machine.name = "mpi";
  machine.origin += ", messages of MPI";
  MessageTimes times;
  MPI_Barrier(comm);
  Pair pair(comm);
  if (rank_in(comm) == 0) times = play_first(pair);
  if (rank_in(comm) == 1) play_second(pair);
  machine.send = times.send;
  machine.travel = times.travel;
  machine.receive = times.receive;
  double numbers[] = {machine.multiplication, machine.addition,      machine.trigonometric, machine.assignment,
                      machine.task,           machine.send.fixed,    machine.send.each,     machine.travel.fixed,
                      machine.travel.each,    machine.receive.fixed, machine.receive.each};
  MPI_Bcast(numbers, static_cast<int>(std::size(numbers)), MPI_DOUBLE, 0, comm);
  machine.multiplication = numbers[0], machine.addition = numbers[1], machine.trigonometric = numbers[2];
  machine.assignment = numbers[3], machine.task = numbers[4];
  machine.send = {numbers[5], numbers[6]};
  machine.travel = {numbers[7], numbers[8]};
  machine.receive = {numbers[9], numbers[10]};
  return machine;
}

}  // namespace tandem::mpi
