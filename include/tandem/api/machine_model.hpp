// SPDX-License-Identifier: Apache-2.0
/// Machine models of schedulers: times of operations and messages, and connections of processors.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <string>
#include <vector>

#include "tandem/api/task_graph.hpp"

namespace tandem {

/// A time that is affine in the number x of transferred values: fixed + each * x, us.
struct LineTime {
  double fixed = 0;  ///< latency, us
  double each = 0;   ///< time per value, us

  double of(double x) const { return fixed + each * x; }  ///< time of x values, us
  bool operator==(const LineTime&) const = default;       ///< equality of both members
};

/// A machine with identical processors, each of which executes one task or message at a time. All times are in
/// microseconds.
///
/// A task takes `task` plus the times of its operations. A message occupies the sender for `send`, is in transit for
/// `travel`, and then occupies the receiver for `receive`. If communication is synchronous (`meets`), as on
/// transputers, a message occupies sender and receiver at the same time for `send`; `travel` and `receive` are unused.
struct MachineModel {
  std::string name;           ///< name for users
  std::string origin;         ///< source of its times
  double multiplication = 0;  ///< us
  double addition = 0;        ///< us
  double trigonometric = 0;   ///< sine or cosine, us
  double assignment = 0;      ///< stored number, us
  double task = 0;            ///< overhead per task, us
  bool meets = false;         ///< synchronous communication (rendezvous)
  LineTime send;              ///< time of the sender
  LineTime travel;            ///< time in transit
  LineTime receive;           ///< time of the receiver

  /// Time of a task, us.
  double time(const TaskCost& cost) const {
    return task + multiplication * cost.multiplications + addition * cost.additions +
           trigonometric * cost.trigonometric + assignment * cost.assignments;
  }
  /// Time of a message of x values from begin to end, us.
  double message(double x) const { return meets ? send.of(x) : send.of(x) + travel.of(x) + receive.of(x); }
};

/// The INMOS T800 of [Pond] table 2.8: M 1.37, A 0.85, T 42, E 1.55 us; a message of x values occupies sender and
/// receiver for (13 x + 7) / 2 us.
MachineModel transputer();

/// Model of this machine with threads as processors: operation times fitted to measured tasks of inverse dynamics, and
/// messages through memory. Takes about a second, during which the machine should be idle.
MachineModel measured_machine(double milliseconds = 5);
/// Three models of this machine: `this`, as measured_machine(); `this-processes`, with messages between processes
/// through shared memory; `this-lanes`, with one state per SIMD lane and times per state.
std::vector<MachineModel> measured_machines(double milliseconds = 5);

/// Model `gpu` of a thread block of the current GPU. A processor is a warp with one state per lane; messages pass
/// through shared memory and are signalled by a flag. Times are those of all states of the warp. Takes a few hundredths
/// of a second. Throws Error with the reason if there is no GPU.
MachineModel measured_gpu();

/// A machine model by name: transputer; this, this-processes, this-lanes or gpu, from the tuning table of `tandem tune`
/// or else measured now; or a .json file. A table of another CPU is also used for gpu. Throws Error that lists the
/// names, or explains how to measure a GPU.
MachineModel machine_model(const std::string& name);

/// Check a machine model. Throws Error that names the machine if a time is negative or not finite, or all are zero.
void check(const MachineModel& machine);

/// Read a machine model from a JSON file: {"name": .., "multiplication": .., "addition": .., "trigonometric": ..,
/// "assignment": .., "task": .., "meets": true, "send": [fixed, each], "travel": [..], "receive": [..]}, times in us.
/// The default of omitted times is 0. Throws Error that names the file and the error.
MachineModel read_machine_model(const std::string& file);

/// Connections between processors. Messages between other pairs are forwarded by neighbours.
enum class Topology : unsigned char {
  full,   ///< all processors are neighbours
  chain,  ///< a row
  ring,   ///< a closed row
  grid,   ///< a square grid, the last row may be shorter
  tree    ///< a binary tree
};
template <>
struct NamesOf<Topology> {
  static constexpr const char* kind = "topology";
  static constexpr Named table[] = {{"full", "all processors are neighbours"},
                                    {"chain", "a row"},
                                    {"ring", "a closed row"},
                                    {"grid", "a square grid, the last row may be shorter"},
                                    {"tree", "a binary tree"}};
};

}  // namespace tandem
