// SPDX-License-Identifier: Apache-2.0
/// The GPU against the processor.
#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "robots.hpp"
#include "sections.hpp"
#include "tandem/detail/core/column.hpp"

namespace tandem::gpu_check {

struct Comparison {
  std::string robot, algorithm, method, precision;
  Index batch = 0;
  bool all_arguments = false;
  Index worst_state = 0;   ///< of the batch
  double worst = 0;        ///< share of the tolerance; NaN where a result is no number
  double same_bits = 0;    ///< share of the numbers that the processor gives to the bit, compiled by its own compiler
  Index not_repeated = 0;  ///< numbers that depend on where in the batch their state stands
  Index other_ways = 0;    ///< numbers that depend on memory: fewer states at a time, arrays of the host in pieces
  bool passed() const { return worst <= 1 && not_repeated == 0 && other_ways == 0; }
};

/// Every algorithm, precision, robot, batch and method: a unit for a robot and a precision. With `on_host` the threads
/// run on the processor. A comparison that fails prints its worst state.
void add_comparisons(const std::vector<Robot>& robots, bool on_host, std::vector<Unit>& units);

}  // namespace tandem::gpu_check
