// SPDX-License-Identifier: Apache-2.0
/// States a second.
#pragma once
#include <string>
#include <vector>

#include "robots.hpp"
#include "tandem/detail/core/column.hpp"

namespace tandem::gpu_check {

struct Rate {
  std::string robot, algorithm, precision;
  Index batch = 0;
  double kernel = 0;     ///< states a second, arrays on the device; median; 0: not measured
  double fastest = 0;    ///< the same, best repetition
  double from_host = 0;  ///< states a second with [batch][row] arrays of the host; 0: not measured, arrays over 128 MiB
  double from_locked = 0;   ///< the same with page-locked arrays
  double states_first = 0;  ///< states a second with arrays [batch][row] on the device; 0: not measured
  double one_core = 0;  ///< states a second on one core of this processor, plain doubles or floats; 0: not measured
};

/// Every algorithm, precision, robot and batch whose arrays take no more than 1 GiB, products of derivatives of robots of up to 40
/// degrees of freedom; with `on_host` the rate of one core alone. Robots in their order, float first: the last are left out if there
/// is no time. Prints them.
std::vector<Rate> measure_all(const std::vector<Robot>& robots, bool on_host);

}  // namespace tandem::gpu_check
