// SPDX-License-Identifier: Apache-2.0
/// Errors of methods on chains of four families, against long double.
#pragma once
#include <cstdio>

#include "results.hpp"
#include "tandem/api/evaluate.hpp"

namespace tandem::bench {

/// What is measured: chains of these lengths, of every family, in double and float.
struct AccuracyGrid {
  std::vector<int> links;
  std::vector<std::string> problems;
  std::vector<Method> methods = {};  ///< empty: all
};

/// A line for each family, length, precision and problem: {"kind": "chain_accuracy", "errors": {method: [one for each
/// chain]}}. An error is null where a method broke down; methods that do not serve a chain, and those whose time grows
/// as the cube of its length on long chains, are left out.
Lines chain_accuracy(const AccuracyGrid& grid);

/// The same of chains of ball joints that are three revolute joints each, in double.
Lines ball_joint_accuracy(const std::vector<Method>& methods = {});

/// Largest error of a method on the chains of a line; infinite if it broke down, NaN if it was left out.
double worst_error(const Line& line, const std::string& method);

/// How many times larger the scan form's error is than that of articulated_body on the same chain, errors below a
/// rounding counted as one: the median over the chains of a line, and the ratio that one chain in ten exceeds, each at
/// worst over all lines of a precision. Chains differ by decades in condition, so that errors of different ones are not
/// compared. NaN if there are none.
struct ErrorRatio {
  double median, ninth_decile;
  std::string where;  ///< the line that the median is from
};
ErrorRatio scan_over_serial(const Lines& lines, const std::string& precision);

/// Tables of every family, precision and problem, and how they compare.
void print_accuracy(const Lines& lines, std::FILE* file);

}  // namespace tandem::bench
