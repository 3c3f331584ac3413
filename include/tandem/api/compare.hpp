// SPDX-License-Identifier: Apache-2.0
/// Comparison of accuracy, time and operations of all methods on one robot.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tandem/api/evaluate.hpp"

namespace tandem {

/// Inputs of the compared methods.
struct ComparisonState {
  std::vector<double> q;      ///< [nq] rad|m
  std::vector<double> v;      ///< [nv] rad/s|m/s
  std::vector<double> a;      ///< [nv] rad/s^2|m/s^2
  std::vector<double> tau;    ///< [nv] N m|N
  std::vector<double> f_ext;  ///< [n_links][6], or empty: none
};

/// Options of a comparison.
struct ComparisonSettings {
  bool in_float = false;                 ///< in single precision
  int threads = 1;                       ///< that a method may use; 0: all cores
  std::uint64_t seed = 1;                ///< seed of configuration, velocity and joint torques
  double velocity = 1;                   ///< rad/s|m/s and, as forces, N m|N: largest random entry
  double milliseconds = 50;              ///< that each method is timed for, at least; 0: not timed
  double tolerance = 0;                  ///< of methods that iterate, see Options
  int max_iterations = 0;                ///< the same
  bool counts = true;                    ///< count operations; takes far longer than a call
  bool configuration_near_zero = false;  ///< q = 0.1 times a random one: nearly straight
  bool of_papers = false;                ///< also CFA, DCA+, DCAe and the slides' scans as printed
  std::string problem;                   ///< "forward_dynamics", ... or empty for all that have methods
  ComparisonState state = {};            ///< where its q is not empty, in place of the random state
  /// Selects methods; empty: all.
  std::function<bool(const std::string& algorithm, const Options& options)> wanted = {};
  std::function<void(int done, int all)> progress;  ///< called after each of them, if given
};

/// Result of one method with its options.
struct MethodResult {
  std::string algorithm;       ///< which problem it solves
  Options options;             ///< method and its options
  std::string name;            ///< method, and in brackets what of its options differs: "constraint_force (block_lu)"
  std::string refusal;         ///< why it does not support the robot, or empty
  double error = 0;            ///< largest error over the largest number of the reference; NaN if it broke down
  std::int32_t steps = 0;      ///< of an iteration; 0: none
  Status status = Status::ok;  ///< of the state
  double nanoseconds = 0;      ///< a call, median; 0: not timed
  std::int64_t flops = 0;      ///< a call, each operation counted as one; 0: not counted
  /// Of them, the longest chain that wait for each other, if every part that may go to a thread or a lane has a
  /// processor of its own; of formulations the longest path through their tasks.
  std::int64_t depth = 0;
};

/// Whether its methods are compared: of what has several and one result, counting those that may be left out, as they
/// would not be looked at; but `step`, which takes those of forward dynamics, and `closed_loop_dynamics`, as what is
/// compared are trees.
bool is_compared(const Algorithm& algorithm);

/// Methods in the order of methods_of, each as it chooses itself and with what else its options give. The reference is
/// the serial method in long double on the same numbers, rounded to float first where the methods run in float. Methods
/// that would hold a matrix of more than 2^28 entries are refused. Throws Error if the robot cannot move.
std::vector<MethodResult> compare_methods(const Model& model, const ComparisonSettings& settings = {});

}  // namespace tandem
