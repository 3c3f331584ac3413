// SPDX-License-Identifier: Apache-2.0
/// One robot of many links divided among the threads of the GPU, by every method.
#pragma once
#include <string>
#include <vector>

#include "sections.hpp"
#include "tandem/index.hpp"

namespace tandem::gpu_check {

struct DividedRobot {
  std::string robot, algorithm, precision, method;
  Index links = 0, batch = 0;
  bool all_arguments = false;
  double error = 0;        ///< largest error of a result over the largest result; NaN: no number
  double serial = 0;       ///< that of the method for one thread on the processor in the same precision
  Index not_repeated = 0;  ///< numbers that a second call gives otherwise
  bool passed = false;
};
/// Chains, ropes, snakes and trees of all joints against the processor in double: a unit for a robot. Prints a line for
/// each.
void add_divided(std::vector<Unit>& units);

/// Chains of 10^3 to 10^7 links by scan, trees, a thousand chains at a time, then every other method.
void add_divided_rates(std::vector<Unit>& units);

/// The methods of [Yang], [Yang slides] as printed and as they stand here, over links and over robots, as
/// `scripts/figures` measures them on the processor.
void add_papers(std::vector<Unit>& units);

}  // namespace tandem::gpu_check
