// SPDX-License-Identifier: Apache-2.0
/// Whether a schedule can be carried out.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/at.hpp"
#include "core/text.hpp"
#include "papers/schedules/network.hpp"
#include "tandem/api/schedule.hpp"

namespace tandem {
namespace {

class Inspection {
 public:
  Inspection(const Schedule& schedule, const TaskGraph& graph, const MachineModel& machine, const Network& network)
      : schedule_(schedule), graph_(graph), machine_(machine), network_(network) {}

  std::string find() {
    std::vector<char> is_done(graph_.tasks.size());
    for (Index q = 0; q < network_.size(); ++q) {
      double end = 0;
      for (const Slot& slot : schedule_.processors[at(q)]) {
        if (slot.task < 0 || slot.task >= static_cast<Index>(graph_.tasks.size()))
          return sentence("processor ", q, " has task number ", slot.task, ", which does not exist");
        if (slot.begin < end - hair) return said(q, slot, "begins before the previous slot ends");
        end = slot.end;
        if (slot.end > schedule_.length + hair) return said(q, slot, "ends after the end of the schedule");
        std::string fault = slot.kind == SlotKind::task ? of_task(q, slot) : of_message(q, slot);
        if (!fault.empty()) return fault;
        if (slot.kind == SlotKind::task) is_done[at(slot.task)] = 1;
      }
    }
    const auto missing = std::find(is_done.begin(), is_done.end(), 0);
    if (missing != is_done.end())
      return "task " + graph_.tasks[static_cast<std::size_t>(missing - is_done.begin())].name + " is not scheduled";
    return "";
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity(), hair = 1e-6;  // us
  std::string said(Index q, const Slot& slot, const std::string& what) const {
    return sentence("processor ", q, ": ", to_string(slot.kind), " of ", graph_.tasks[at(slot.task)].name, " at ",
                    slot.begin, " us ", what);
  }
  /// When a task's outputs are at a processor.
  double there(Index task, Index q) const {
    double time = never;
    for (const Slot& slot : schedule_.processors[at(q)])
      if (slot.task == task && slot.kind != SlotKind::send) time = std::min(time, slot.end);
    return time;
  }
  std::string of_task(Index q, const Slot& slot) const {
    const Task& task = graph_.tasks[at(slot.task)];
    if (std::abs(slot.end - slot.begin - machine_.time(task.cost)) > hair)
      return said(q, slot, "has the wrong duration");
    for (const Index needed : task.needs)
      if (there(needed, q) > slot.begin + hair)
        return said(q, slot, "begins before " + graph_.tasks[at(needed)].name + " is available");
    return "";
  }
  std::string of_message(Index q, const Slot& slot) const {
    if (slot.other < 0 || slot.other >= network_.size() || network_.distance(q, slot.other) != 1)
      return said(q, slot, sentence("goes to or from ", slot.other, ", which is not a neighbour"));
    const double size = static_cast<double>(graph_.tasks[at(slot.task)].outputs);
    const bool sends = slot.kind == SlotKind::send;
    const double takes = sends || machine_.meets ? machine_.send.of(size) : machine_.receive.of(size);
    if (std::abs(slot.end - slot.begin - takes) > hair) return said(q, slot, "has the wrong duration");
    if (sends && there(slot.task, q) > slot.begin + hair)
      return said(q, slot, "begins before its outputs are available");
    for (const Slot& end : schedule_.processors[at(slot.other)]) {
      if (end.kind != (sends ? SlotKind::receive : SlotKind::send) || end.task != slot.task || end.other != q) continue;
      const double sent = sends ? slot.end : end.end, taken = sends ? end.begin : slot.begin;
      const bool fits =
          machine_.meets ? std::abs(end.begin - slot.begin) < hair : taken > sent + machine_.travel.of(size) - hair;
      if (fits) return "";
    }
    return said(q, slot, "has no matching slot");
  }

  const Schedule& schedule_;
  const TaskGraph& graph_;
  const MachineModel& machine_;
  const Network& network_;
};

}  // namespace

std::string fault_of(const Schedule& schedule, const TaskGraph& graph, const MachineModel& machine, Topology topology) {
  const Network network(topology, static_cast<Index>(schedule.processors.size()));
  return Inspection(schedule, graph, machine, network).find();
}

}  // namespace tandem
