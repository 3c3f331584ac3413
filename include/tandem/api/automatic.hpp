// SPDX-License-Identifier: Apache-2.0
/// The method `automatic`: which method a call gets, and why. And the device "auto": whether it goes to the GPU.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/api/evaluate.hpp"
#include "tandem/api/machine_model.hpp"

namespace tandem {

/// From `links` on a chain is best served by `method`, with that many links a chunk (0: the method's own choice).
struct TuningStep {
  Index links = 0;                    ///< of a chain, from which on
  Method method = Method::automatic;  ///< which is fastest there
  int chunk = 0;                      ///< option of that method; 0: its own
};

/// What was measured for an algorithm in one precision: steps in ascending order of links; shorter chains get the
/// algorithm's own methods.
struct TuningRow {
  std::string algorithm;          ///< by name
  bool in_float = false;          ///< or in double
  std::vector<TuningStep> steps;  ///< in ascending order of links
};

/// Robots of `links` links and more: from how many states on the GPU is faster than all cores, the arrays on the host.
struct CrossoverStep {
  Index links = 0;   ///< of the robot
  Index states = 0;  ///< 0: never
};

/// What was measured for an algorithm in one precision: steps in ascending order of links. Smaller robots go by the
/// first.
struct CrossoverRow {
  std::string algorithm;             ///< by name
  bool in_float = false;             ///< or in double
  std::vector<CrossoverStep> steps;  ///< in ascending order of links
};

/// Which method is fastest when, on one machine.
struct TuningTable {
  std::string machine;                        ///< processor and instruction set, as in machine_name()
  std::string origin;                         ///< file the table was read from, or "built in"
  std::vector<TuningRow> rows;                ///< of algorithms and precisions
  std::string gpu = {};                       ///< that the crossovers were measured with; empty: none was
  std::vector<CrossoverRow> crossovers = {};  ///< of algorithms and precisions
  std::vector<MachineModel> machines = {};    ///< this one as schedules see it, see machine_model
};

/// Processor and instruction set in use: "AMD EPYC, avx512".
std::string machine_name();

/// File that `tandem tune` writes and that is read when `automatic` is first asked for: the environment variable
/// TANDEM_TUNING, else tandem/tuning.json in XDG_CONFIG_HOME or ~/.config.
std::string tuning_file();

/// The table in use: that of tuning_file() if it is there and of this machine, else the one built in.
const TuningTable& tuning_table();

/// Reads a table, JSON. Throws Error that names the file and what is wrong in it.
TuningTable read_tuning_table(const std::string& file);
/// Writes it. Throws Error that names the file.
void write_tuning_table(const std::string& file, const TuningTable& table);

/// Whether results by a method are about as exact as by the algorithm's own: `automatic` and `tandem tune` look at no
/// other. By `scan` weighted accelerations (forward_dynamics_vjp) lose three digits of v_bar and more, see
/// docs/algorithms/products_scan.md.
bool keeps_digits(const Algorithm& algorithm, Method method);

/// What `automatic` becomes for a call.
struct Choice {
  Options options;  ///< those given, with method and chunk decided
  std::string why;  ///< a sentence
};

/// Options with another method than automatic are left as they are. The choice depends on neither the batch nor the
/// threads of a call: a state has one result. T is double or float. Throws Error for an option that is no value of its
/// kind.
template <class T>
Choice choose_method(const Algorithm& algorithm, const Model& model, const Options& options);

/// From how many of 1, 2, 4, ... `most` states on the GPU gains at least a twentieth, or 0 if it does not: by halving,
/// as what it gains grows with their number. `seconds`: what a call of so many states takes.
Index crossover(const std::function<double(Device::Kind, Index states)>& seconds, Index most);

/// The table's number of states from which that GPU is faster for a robot of so many links; 0: never or unknown.
Index states_for_gpu(const TuningTable& table, std::string_view gpu, std::string_view algorithm, bool in_float,
                     Index links);

/// Where a call whose arrays lie on the host is computed if its device is "auto": on the GPU in use from as many states
/// on as `tandem tune` found it faster from; on the processor where there is no GPU, or nothing was measured with it,
/// or a method is asked for by name. T is double or float.
template <class T>
Device choose_device(const Algorithm& algorithm, const Model& model, Index states, const Options& options = {});

}  // namespace tandem
