// SPDX-License-Identifier: Apache-2.0
/// Selection of a method for `Method::automatic` and of a device for "auto", from measured tuning tables.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/api/evaluate.hpp"
#include "tandem/api/machine_model.hpp"

namespace tandem {

/// The fastest method for chains from a number of links on.
struct TuningStep {
  Index links = 0;                    ///< smallest number of links
  Method method = Method::automatic;  ///< fastest method
  int chunk = 0;                      ///< links per chunk; 0: chosen by the method
};

/// Measured methods of an algorithm in one precision. Chains shorter than the first step use a serial method.
struct TuningRow {
  std::string algorithm;          ///< name of the algorithm
  bool in_float = false;          ///< true: float; false: double
  std::vector<TuningStep> steps;  ///< in ascending order of links
};

/// The smallest batch for which the GPU is faster than all CPU cores, arrays in host memory.
struct CrossoverStep {
  Index links = 0;   ///< smallest number of links of the robot
  Index states = 0;  ///< size of the batch; 0: the GPU is never faster
};

/// Measured crossovers of an algorithm in one precision. Robots with fewer links than the first step use that step.
struct CrossoverRow {
  std::string algorithm;             ///< name of the algorithm
  bool in_float = false;             ///< true: float; false: double
  std::vector<CrossoverStep> steps;  ///< in ascending order of links
};

/// Tuning table of one machine.
struct TuningTable {
  std::string machine;                        ///< CPU and instruction set, as in machine_name()
  std::string origin;                         ///< file of the table, or "built in"
  std::vector<TuningRow> rows;                ///< one per algorithm and precision
  std::string gpu = {};                       ///< GPU of the crossovers; empty: not measured
  std::vector<CrossoverRow> crossovers = {};  ///< one per algorithm and precision
  std::vector<MachineModel> machines = {};    ///< machine models for schedules, see machine_model()
};

/// CPU and current instruction set, such as "AMD EPYC, avx512".
std::string machine_name();

/// Path of the tuning file: the environment variable TANDEM_TUNING, else tandem/tuning.json in XDG_CONFIG_HOME or
/// ~/.config. `tandem tune` writes it, and the first use of `automatic` reads it.
std::string tuning_file();

/// The current table: that of tuning_file() if it exists and was measured on this machine, else the built-in one.
const TuningTable& tuning_table();

/// Read a table from a JSON file. Throws Error that names the file and the error.
TuningTable read_tuning_table(const std::string& file);
/// Write a table to a JSON file. Throws Error that names the file.
void write_tuning_table(const std::string& file, const TuningTable& table);

/// Whether the results of a method are about as accurate as those of the serial methods. `automatic` and `tandem tune`
/// consider only such methods. An exception is `scan` for forward_dynamics_vjp, which loses three digits of v_bar and
/// more, see docs/algorithms/products_scan.md.
bool keeps_digits(const Algorithm& algorithm, Method method);

/// Result of choose_method().
struct Choice {
  Options options;  ///< the given options with the selected method and chunk
  std::string why;  ///< the reason, one sentence
};

/// Select a method for options with `Method::automatic`; other options are returned unchanged. The selection does not
/// depend on the batch or the threads, so that the results of a state are unique. T is double or float. Throws Error
/// for an invalid value of an option.
template <class T>
Choice choose_method(const Algorithm& algorithm, const Model& model, const Options& options);

/// The smallest of 1, 2, 4, ... `most` states for which the GPU is at least 5 % faster, or 0 if there is none, by
/// bisection. `seconds` returns the time of a call, s.
Index crossover(const std::function<double(Device::Kind, Index states)>& seconds, Index most);

/// The smallest batch of a table for which the GPU is faster, for a robot with `links` links; 0: never or unknown.
Index states_for_gpu(const TuningTable& table, std::string_view gpu, std::string_view algorithm, bool in_float,
                     Index links);

/// The device of a call with device "auto" and arrays in host memory. It is the current GPU for batches that are at
/// least as large as the measured crossover (`tandem tune`). It is the CPU if there is no GPU, if nothing was measured
/// with it, or if a method is given by name. T is double or float.
template <class T>
Device choose_device(const Algorithm& algorithm, const Model& model, Index states, const Options& options = {});

}  // namespace tandem
