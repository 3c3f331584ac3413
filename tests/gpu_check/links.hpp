// SPDX-License-Identifier: Apache-2.0
/// One robot of many links divided among the threads of the GPU, by every method.
#pragma once
#include <string>
#include <vector>

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
/// Chains, ropes, snakes and trees of all joints against the processor in double. Prints a line for each.
std::vector<DividedRobot> compare_divided();

struct DividedRate {
  std::string robot, algorithm, precision, method;
  Index links = 0, batch = 0;
  double seconds = 0, fastest = 0;  ///< of a call, arrays on the device: median, best repetition
  double one_core = 0;              ///< of the processor by the method for one thread; 0: not measured
};
/// Chains of 100 links on, a thousand chains at a time, trees. Prints a line for each that there is time for.
std::vector<DividedRate> measure_divided();

}  // namespace tandem::gpu_check
