// SPDX-License-Identifier: Apache-2.0
/// Every function on the GPU against its threads on the processor: with one model for all states and with one for each,
/// and what becomes of the states.
#pragma once
#include <string>
#include <vector>

#include "robots.hpp"
#include "sections.hpp"
#include "tandem/detail/core/column.hpp"

namespace tandem::gpu_check {

struct FunctionCheck {
  std::string robot, algorithm, method, precision;
  bool varied = false;     ///< parameters differ from state to state
  double worst = 0;        ///< largest difference as a share of what rounding may bring; NaN where one is no number
  double same_bits = 0;    ///< share of the numbers that the processor gives to the bit
  Index wrong_status = 0;  ///< states of which something else is reported
  Index worst_state = 0;
  std::string worst_output;
  bool passed() const { return worst <= 1 && wrong_status == 0; }
};

/// Whether the processor has its second derivatives soon: their matrices take 2 nv products.
inline bool has_short_matrices(const Robot& robot) { return robot.model.nv() <= 40; }

void check_places(const Robot& robot, std::vector<FunctionCheck>& results);
void check_forces(const Robot& robot, std::vector<FunctionCheck>& results);
void check_responses(const Robot& robot, std::vector<FunctionCheck>& results);
void check_wrenches(const Robot& robot, std::vector<FunctionCheck>& results);

/// A unit for a robot and some of the functions. With `on_host` what the processor computes is compared with itself.
void add_functions(const std::vector<Robot>& robots, std::vector<Unit>& units);

}  // namespace tandem::gpu_check
