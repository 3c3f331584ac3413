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
  int threads = 1;                       ///< number of threads of a method; 0: all cores
  std::uint64_t seed = 1;                ///< seed of configuration, velocity and joint torques
  double velocity = 1;                   ///< largest random velocity, rad/s|m/s, and joint torque, N m|N
  double milliseconds = 50;              ///< least timing of each method, ms; 0: not timed
  double tolerance = 0;                  ///< tolerance of iterative methods, see Options
  int max_iterations = 0;                ///< limit of iterations of iterative methods, see Options
  bool counts = true;                    ///< count operations; takes far longer than a call
  bool configuration_near_zero = false;  ///< q = 0.1 times a random one: nearly straight
  bool of_papers = false;                ///< also CFA, DCA+, DCAe and the slides' scans as printed
  std::string problem;                   ///< name of an algorithm; empty: all that have several methods
  ComparisonState state = {};            ///< replaces the random state if its q is not empty
  /// Selects methods; empty: all.
  std::function<bool(const std::string& algorithm, const Options& options)> wanted = {};
  std::function<void(int done, int all)> progress;  ///< called after each of them, if given
};

/// Result of one method with its options.
struct MethodResult {
  std::string algorithm;       ///< name of the algorithm
  Options options;             ///< method and its options
  std::string name;            ///< method, and its distinctive options in brackets: "constraint_force (block_lu)"
  std::string refusal;         ///< why it does not support the robot, or empty
  double error = 0;            ///< largest error over the largest number of the reference; NaN if it failed
  std::int32_t steps = 0;      ///< number of iterations; 0: not iterative
  Status status = Status::ok;  ///< status of the state
  double nanoseconds = 0;      ///< median time of a call, ns; 0: not timed
  std::int64_t flops = 0;      ///< operations of a call, each counted as one; 0: not counted
  /// Length of the longest dependency chain of operations, with one processor for every part that may run on a thread
  /// or a lane; for formulations, of the critical path of their tasks.
  std::int64_t depth = 0;
};

/// Whether compare_methods() includes an algorithm: those with several methods and a single result, optional ones
/// included. Not included are `step`, whose methods are those of forward dynamics, and `closed_loop_dynamics`, because
/// the compared robots are trees.
bool is_compared(const Algorithm& algorithm);

/// Compare all methods in the order of methods_of(), with their default options and with each alternative. The
/// reference is the serial method in long double on the same inputs, which are rounded to float if the methods run in
/// float. Methods that need a matrix of more than 2^28 entries are refused. Throws Error if the robot has no joints.
std::vector<MethodResult> compare_methods(const Model& model, const ComparisonSettings& settings = {});

}  // namespace tandem
