// SPDX-License-Identifier: Apache-2.0
/// What operations and messages take on a machine, and who its processors can talk to.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <string>
#include <vector>

#include "tandem/api/task_graph.hpp"

namespace tandem {

/// A time that grows with a number of numbers: fixed + each * x, in microseconds.
struct LineTime {
  double fixed = 0;  ///< us, of nothing
  double each = 0;   ///< us, of a number more

  double of(double x) const { return fixed + each * x; }  ///< for x numbers
  bool operator==(const LineTime&) const = default;       ///< in both
};

/// A machine of processors that are all alike, each of which does one thing at a time. All times in microseconds.
///
/// A task takes its operations one after the other, and `task` besides. A message keeps its sender for `send`, then
/// travels, then keeps its receiver for `receive`. Where processors meet to talk (`meets`), as transputers do, both are
/// kept for `send`, which begins and ends for both at once; then there is neither `travel` nor `receive`.
struct MachineModel {
  std::string name;           ///< as the user calls it
  std::string origin;         ///< where its numbers come from
  double multiplication = 0;  ///< us
  double addition = 0;        ///< us
  double trigonometric = 0;   ///< us, a sine or a cosine
  double assignment = 0;      ///< us, a number stored
  double task = 0;            ///< us, to begin one
  bool meets = false;         ///< sender and receiver wait for each other
  LineTime send;              ///< how long a message of x numbers keeps its sender
  LineTime travel;            ///< and how long it is on its way after that
  LineTime receive;           ///< and keeps its receiver

  /// What a task takes.
  double time(const TaskCost& cost) const {
    return task + multiplication * cost.multiplications + addition * cost.additions +
           trigonometric * cost.trigonometric + assignment * cost.assignments;
  }
  /// What a message takes from its beginning to its end.
  double message(double x) const { return meets ? send.of(x) : send.of(x) + travel.of(x) + receive.of(x); }
};

/// The INMOS T800 of [Pond] table 2.8: M 1.37, A 0.85, T 42, E 1.55 us; a message of x numbers keeps both sides for (13
/// x + 7) / 2.
MachineModel transputer();

/// This machine, on threads: operations fitted to what tasks of inverse dynamics take, messages through memory. Takes
/// about a second; keep the machine quiet meanwhile.
MachineModel measured_machine(double milliseconds = 5);
/// The same as `this`; as `this-processes`, with messages between processes through memory that they have in common;
/// and as `this-lanes`, where as many states as a register has lanes go together, times of one of them.
std::vector<MachineModel> measured_machines(double milliseconds = 5);

/// As `gpu`, a block of the GPU that calls of this thread use: a processor is a warp, which has a state with each of
/// its lanes; a message is stored in shared memory, where a flag tells that it is there. Times are those of all states
/// of the warp. Takes a few hundredths of a second. Throws Error that says what is missing where there is none.
MachineModel measured_gpu();

/// A machine by name: transputer; this, this-processes, this-lanes or gpu, as `tandem tune` has measured them, or
/// measured now; or a .json file. The gpu that a table of another processor has serves, too. Throws Error that lists
/// them, or says how to get a gpu.
MachineModel machine_model(const std::string& name);

/// Throws Error that names the machine: a time that is negative or no number, a machine on which nothing takes time.
void check(const MachineModel& machine);

/// A machine from a file, JSON: {"name": .., "multiplication": .., "addition": .., "trigonometric": .., "assignment":
/// .., "task": .., "meets": true, "send": [fixed, each], "travel": [..], "receive": [..]}, times in us; what is left
/// out is 0. Throws Error that names the file and what is wrong in it.
MachineModel read_machine_model(const std::string& file);

/// Which processors are neighbours. Others pass messages on.
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
